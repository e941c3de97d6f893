import type { BatchBody } from './contract-types.ts';
import { startDeadline, wait } from './deadline.ts';
import type { CallOptions } from './send.ts';

/** Options of a wait for a batch. */
export interface WaitOptions extends CallOptions {
  /** Milliseconds for the whole wait. Default: no limit. */
  timeoutMs?: number | undefined;
  /** Milliseconds between two requests. Default 2000. */
  pollIntervalMs?: number | undefined;
}

const DEFAULT_INTERVAL_MS = 2000;

/** Returns the batch once no item is queued or running. Throws WinnowTimeoutError, or the signal's reason. */
export async function waitUntilEnded(
  read: (options: CallOptions) => Promise<BatchBody>,
  { timeoutMs = Number.POSITIVE_INFINITY, pollIntervalMs = DEFAULT_INTERVAL_MS, ...options }: WaitOptions,
): Promise<BatchBody> {
  if (!(pollIntervalMs > 0)) throw new TypeError('pollIntervalMs: must be more than 0');
  const deadline = startDeadline(timeoutMs, options.signal);
  const { signal } = deadline;
  try {
    for (;;) {
      const batch = await read({ ...options, signal });
      const { queued, running } = batch.counts;
      // A cancelled batch ends with its last running item.
      if (batch.state !== 'running' && queued + running === 0) return batch;
      await wait(pollIntervalMs, signal);
    }
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw error;
  } finally {
    deadline.release();
  }
}
