/** True when the normalised strings are equal or one contains the other; how titles and authors count. */
export function agreeAsNames(truth: string, output: string | null): boolean {
  const wanted = normalise(truth);
  const given = normalise(output ?? '');
  if (wanted === '' || given === '') return false;
  return wanted.includes(given) || given.includes(wanted);
}

/**
 * True when both name the same day. The days are compared as written, without moving between time
 * zones; a truth that names only a month is matched by any day of it.
 */
export function agreeAsDays(truth: string, output: string | null): boolean {
  const day = truth.slice(0, 10);
  return output !== null && output.slice(0, day.length) === day;
}

/** True when a truth or an output holds something to compare at all. */
export function isGiven(value: string | null): value is string {
  return value !== null && normalise(value) !== '';
}

/** Compatibility forms folded, lower case, anything but letters, marks and numbers as one space. */
function normalise(value: string): string {
  return value
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim();
}
