import type { SnapshotSweeper, SweepReport } from './snapshot-sweeper.ts';

const MINUTE_MS = 60 * 1000;

export interface SweepScheduleOptions {
  /** Milliseconds from the end of one sweep to the next. Default: 5 minutes. */
  readonly intervalMs?: number;
  /** Every how many sweeps content without a row is looked for as well, the first included. Default: 72 (6 hours). */
  readonly orphansEvery?: number;
  /** Called after each sweep; the next one, and `stop`, wait for it. */
  readonly onReport: (report: SweepReport & { readonly removedOrphans: number }) => void | Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** Sweeps in the background until stopped; `stop` resolves when nothing is under way any more. */
export function startSweeping(sweeper: SnapshotSweeper, options: SweepScheduleOptions): { stop(): Promise<void> } {
  const stopped = new AbortController();
  let count = 0;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();

  const sweepOnce = async (): Promise<void> => {
    try {
      const report = await sweeper.sweep(stopped.signal);
      const withOrphans = count % (options.orphansEvery ?? 72) === 0;
      count += 1;
      const removedOrphans = withOrphans ? await sweeper.sweepOrphans(stopped.signal) : 0;
      await options.onReport({ ...report, removedOrphans });
    } catch (error) {
      options.onError(error);
    }
    schedule();
  };
  const schedule = (): void => {
    if (stopped.signal.aborted) return;
    timer = setTimeout(
      () => {
        running = sweepOnce();
      },
      options.intervalMs ?? 5 * MINUTE_MS,
    ).unref();
  };

  running = sweepOnce();
  return {
    stop: async () => {
      stopped.abort();
      clearTimeout(timer);
      await running;
    },
  };
}
