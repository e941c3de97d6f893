import type { DevtoolsSession } from '../devtools/devtools-connection.ts';
import { poll } from '../devtools/poll.ts';

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
 * @returns ends the watch
 */
export function watchHeap(session: DevtoolsSession, maxBytes: number, onExceeded: (bytes: number) => void): () => void {
  const look = async (): Promise<void> => {
    const usage = await session.send<HeapUsage>('Runtime.getHeapUsage');
    const bytes = usage.usedSize + (usage.embedderHeapUsedSize ?? 0) + (usage.backingStorageSize ?? 0);
    if (bytes > maxBytes) onExceeded(bytes);
  };
  return poll(look, POLL_MS);
}
