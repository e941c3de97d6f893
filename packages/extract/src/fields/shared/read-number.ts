/**
 * Reads "1,299.00", "1.299,00 €", "12 345". With two kinds of separators the last is the decimal point; a single
 * separator before exactly three digits separates thousands.
 */
export function readNumber(text: string | undefined): number | null {
  const match = /-?\d[\d.,'\u00a0\u202f ]*/.exec(text?.slice(0, 200) ?? '');
  if (match === null) return null;
  const digits = match[0].replace(/[\s']/g, '').replace(/(?<![.,])[.,]+$/, '');
  const last = Math.max(digits.lastIndexOf('.'), digits.lastIndexOf(','));
  if (last < 0) return Number(digits);
  const separator = digits[last];
  const other = separator === '.' ? ',' : '.';
  const single = digits.indexOf(separator) === last;
  const thousands = !single || (!digits.includes(other) && digits.length - last === 4 && !/^-?0/.test(digits));
  const plain = thousands
    ? digits.replace(/[.,]/g, '')
    : `${digits.slice(0, last).replace(/[.,]/g, '')}.${digits.slice(last + 1)}`;
  const value = Number(plain);
  return Number.isFinite(value) ? value : null;
}
