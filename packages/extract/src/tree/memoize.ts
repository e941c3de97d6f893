/**
 * Caches the results for the first `most` keys; later keys are computed each time.
 *
 * @param compute must not return undefined
 */
export function memoize<Answer extends string | number | boolean | object | null, Key extends string | number = string>(
  compute: (key: Key) => Answer,
  most: number,
): (key: Key) => Answer {
  const known = new Map<Key, Answer>();
  return (key) => {
    const remembered = known.get(key);
    if (remembered !== undefined) return remembered;
    const answer = compute(key);
    if (known.size < most) known.set(key, answer);
    return answer;
  };
}
