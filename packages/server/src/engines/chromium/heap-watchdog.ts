import type { DevtoolsSession } from './devtools-connection.ts';

interface HeapUsage {
  readonly usedSize: number;
  /** Wrapped objects of the browser; newer browsers tell. */
  readonly embedderHeapUsedSize?: number;
  /** Typed arrays and other memory outside the heap; newer browsers tell. */
  readonly backingStorageSize?: number;
}

const POLL_MS = 250;

/**
 * Watches the memory of one page through the protocol, for browsers whose processes cannot be seen from here.
 * A page answers between its tasks only: a single task that never ends is left to the deadline.
 */
export function watchHeap(session: DevtoolsSession, maxBytes: number, onExceeded: (bytes: number) => void): () => void {
  let isLooking = false;
  const look = async (): Promise<void> => {
    const usage = await session.send<HeapUsage>('Runtime.getHeapUsage');
    const bytes = usage.usedSize + (usage.embedderHeapUsedSize ?? 0) + (usage.backingStorageSize ?? 0);
    if (bytes > maxBytes) onExceeded(bytes);
  };
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    look()
      .catch(() => {})
      .finally(() => (isLooking = false));
  }, POLL_MS);
  timer.unref();
  return () => clearInterval(timer);
}
