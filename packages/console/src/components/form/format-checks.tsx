import type { BatchRequest } from '@winnow/client';
import { CheckField } from './field.tsx';

export type Format = NonNullable<BatchRequest['formats']>[number];

const FORMATS = [
  { format: 'markdown', label: 'Markdown' },
  { format: 'html', label: 'Clean HTML' },
  { format: 'stated', label: 'Stated data' },
] as const;

interface FormatChecksProps {
  readonly formats: readonly Format[];
  readonly onChange: (formats: Format[]) => void;
}

/** A box for each further format of a result. */
export function FormatChecks({ formats, onChange }: FormatChecksProps) {
  const choose = (format: Format, isWanted: boolean): void =>
    onChange(FORMATS.map((one) => one.format).filter((one) => (one === format ? isWanted : formats.includes(one))));
  return FORMATS.map(({ format, label }) => (
    <CheckField
      key={format}
      label={label}
      checked={formats.includes(format)}
      onChange={(isWanted) => choose(format, isWanted)}
    />
  ));
}
