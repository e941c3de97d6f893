/**
 * Shares a reading among callers for a while, so that frequent probes cost nothing. Failures are not cached.
 * @param forMs since the start of the reading
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
