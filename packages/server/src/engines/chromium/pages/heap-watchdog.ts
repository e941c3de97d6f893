import type { DevtoolsSession } from '../devtools/devtools-connection.ts';
import { poll } from '../devtools/poll.ts';

interface HeapUsage {
  readonly usedSize: number;
  /** Wrapped browser objects; newer browsers only. */
  readonly embedderHeapUsedSize?: number;
  /** Typed arrays and other memory outside the heap; newer browsers only. */
  readonly backingStorageSize?: number;
}

const POLL_MS = 250;

/**
 * Watches a page's memory through the protocol, for browsers without visible processes. A page answers only between
 * tasks, so the deadline ends an endless task.
 * @returns stops the watch
 */
export function watchHeap(session: DevtoolsSession, maxBytes: number, onExceeded: (bytes: number) => void): () => void {
  const look = async (): Promise<void> => {
    const usage = await session.send<HeapUsage>('Runtime.getHeapUsage');
    const bytes = usage.usedSize + (usage.embedderHeapUsedSize ?? 0) + (usage.backingStorageSize ?? 0);
    if (bytes > maxBytes) onExceeded(bytes);
  };
  return poll(look, POLL_MS);
}
