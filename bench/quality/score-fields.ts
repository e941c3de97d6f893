/** Whether one of the normalised strings contains the other: the rule for titles and authors. */
export function agreeAsNames(truth: string, output: string | null): boolean {
  const wanted = normalise(truth);
  const given = normalise(output ?? '');
  if (wanted === '' || given === '') return false;
  return wanted.includes(given) || given.includes(wanted);
}

/**
 * Whether both name the same day, as written, without time zone conversion; a truth with only a month agrees with each of
 * its days.
 */
export function agreeAsDays(truth: string, output: string | null): boolean {
  const day = truth.slice(0, 10);
  return output !== null && output.slice(0, day.length) === day;
}

/** Whether a truth or an output has a letter or number to compare. */
export function isGiven(value: string | null): value is string {
  return value !== null && normalise(value) !== '';
}

/** NFKC, lower case, one space for each run of other characters than letters, marks and numbers. */
function normalise(value: string): string {
  return value
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim();
}
