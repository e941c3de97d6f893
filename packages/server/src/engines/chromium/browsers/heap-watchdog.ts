import type { DevtoolsSession } from '../devtools/devtools-connection.ts';
import { poll } from '../devtools/poll.ts';

const POLL_MS = 250;

/**
 * Watches a page's memory where processes are not visible. A page answers only between tasks.
 * @returns stops the watch
 */
export function watchHeap(session: DevtoolsSession, maxBytes: number, onExceeded: (bytes: number) => void): () => void {
  const look = async (): Promise<void> => {
    const usage = await session.send('Runtime.getHeapUsage');
    // Older browsers state the first part only.
    const bytes = usage.usedSize + (usage.embedderHeapUsedSize ?? 0) + (usage.backingStorageSize ?? 0);
    if (bytes > maxBytes) onExceeded(bytes);
  };
  return poll(look, POLL_MS);
}
