/**
 * Caches the result of `read`, so that frequent probes cost nothing. Failures are not cached.
 * @param forMs from the start of `read`
 */
export function reuseReading<T>(read: () => Promise<T>, forMs: number): () => Promise<T> {
  let last: { readonly at: number; readonly value: Promise<T> } | undefined;
  return () => {
    const now = performance.now();
    if (!last || now - last.at > forMs) {
      const value = read();
      value.catch(() => (last = undefined));
      last = { at: now, value };
    }
    return last.value;
  };
}
