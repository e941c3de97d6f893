import { Badge } from '../feedback/feedback.tsx';
import { formatPercent } from '../../lib/format.ts';

interface Doubted {
  readonly warnings: readonly string[];
  readonly confidence: number | null;
}

/** Column of lists of extracted pages: the warnings of each, and its confidence. */
export const DOUBT_COLUMN = {
  label: 'Confidence',
  cell: ({ warnings, confidence }: Doubted) => (
    <>
      {warnings.map((code) => (
        <Badge key={code} tone="warn">
          {code}
        </Badge>
      ))}
      <div>{confidence === null ? '–' : formatPercent(confidence)}</div>
    </>
  ),
} as const;
