/**
 * Caches the results for the first `most` keys; later keys are computed each time.
 *
 * @param compute must not return undefined
 */
export function memoize<Answer extends string | number | boolean | object | null>(
  compute: (key: string) => Answer,
  most: number,
): (key: string) => Answer {
  const known = new Map<string, Answer>();
  return (key) => {
    const remembered = known.get(key);
    if (remembered !== undefined) return remembered;
    const answer = compute(key);
    if (known.size < most) known.set(key, answer);
    return answer;
  };
}
