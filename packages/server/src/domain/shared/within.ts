/**
 * Settles like `work`, or after the time limit like `onLate`. Late work continues unobserved.
 * @param onLate returns the late result or throws. Default: undefined
 */
export async function within<T, Late = undefined>(
  work: Promise<T>,
  timeoutMs: number,
  onLate?: () => Late,
): Promise<T | Late> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, Math.max(0, timeoutMs));
  try {
    return await Promise.race([work, late.promise.then(() => onLate?.() as Late)]);
  } finally {
    clearTimeout(timer);
  }
}

/** For `onLate`: throws `no answer within … ms`, with a system error code if given. */
export function failLate(timeoutMs: number, code?: string): () => never {
  return () => {
    throw Object.assign(new Error(`no answer within ${timeoutMs} ms`), code === undefined ? {} : { code });
  };
}
