import { setTimeout as sleep } from 'node:timers/promises';
import { isBusy } from './sqlite-faults.ts';

/** Milliseconds that a lock of another process (a command of the CLI, a backup) is waited for. */
const PATIENCE_MS = 5000;

/** Milliseconds between two tries, after the first few. */
const MAX_PAUSE_MS = 50;

/**
 * Does what may meet a lock of another process, again and again until the lock is gone or patience is over. SQLite's own
 * waiting would hold the thread that it happens in, and the service with it.
 *
 * @param work leaves nothing behind where it fails
 * @param pause waits for so many milliseconds
 * @throws what `work` throws; SQLite's own error when the lock outlasts the patience
 */
export async function outwaitLock<T>(
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
