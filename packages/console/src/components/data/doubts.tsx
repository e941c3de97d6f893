import { Badge } from '../feedback/feedback.tsx';
import { formatPercent } from '../../lib/format.ts';

/** Columns of lists of extracted pages: the warnings of each, and its confidence. */
export const DOUBT_COLUMNS = [
  {
    label: 'Warnings',
    cell: ({ warnings }: Doubted) =>
      warnings.length === 0
        ? '–'
        : warnings.map((code) => (
            <Badge key={code} tone="warn">
              {code}
            </Badge>
          )),
  },
  {
    label: 'Confidence',
    className: 'number',
    cell: ({ confidence }: Doubted) => (confidence === null ? '–' : formatPercent(confidence)),
  },
] as const;

interface Doubted {
  readonly warnings: readonly string[];
  readonly confidence: number | null;
}
