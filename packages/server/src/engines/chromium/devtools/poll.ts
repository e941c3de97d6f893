/**
 * Looks again and again, never twice at a time; a look that fails is followed by the next.
 * @param everyMs milliseconds between the begin of two looks; longer where one takes longer
 * @returns ends the looking
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
