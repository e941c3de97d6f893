/**
 * Calls `look` repeatedly, never concurrently; ignores failures.
 * @returns stops the calls
 */
export function poll(look: () => Promise<void>, everyMs: number): () => void {
  let isLooking = false;
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    look()
      .catch(() => {})
      .finally(() => (isLooking = false));
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}
