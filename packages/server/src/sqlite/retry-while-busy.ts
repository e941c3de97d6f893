import { setTimeout as sleep } from 'node:timers/promises';
import { isBusy } from './sqlite-faults.ts';

const PATIENCE_MS = 5000;

const MAX_PAUSE_MS = 50;

/**
 * Retries work during locks of other processes. SQLite's own waiting would block the thread.
 * @param work must have no effect when it fails
 * @throws what `work` throws; SQLite's error when the lock lasts too long
 */
export async function retryWhileBusy<T>(
  work: () => T | Promise<T>,
  pause: (ms: number) => Promise<unknown> = sleep,
): Promise<T> {
  const until = performance.now() + PATIENCE_MS;
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
    try {
      return await work();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= until) throw error;
    }
    await pause(pauseMs);
  }
}
