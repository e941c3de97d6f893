/**
 * A reading that all who ask within a time share, so that probes and scrapes cost the same however often they come. One
 * that fails is not kept.
 * @param forMs milliseconds from the begin of a reading
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
