import { keepLease } from '../domain/shared/leases.ts';
import type { SharedTasks } from '../domain/shared/leases.ts';
import type { SnapshotSweeper, SweepReport } from './snapshot-sweeper.ts';

const MINUTE_MS = 60 * 1000;

/** Delay until another node takes over from a dead one. */
const LEASE_MS = 30_000;

export interface SweepScheduleOptions {
  /** Default: 5 minutes. */
  readonly intervalMs?: number;
  /** Number of sweeps between removals of orphans. Default: 72 (6 hours). */
  readonly orphansEvery?: number;
  /** Undefined: a single process. */
  readonly sharing?: { readonly tasks: SharedTasks; readonly node: string } | undefined;
  /** The next sweep and `stop` wait for it. */
  readonly onReport: (report: SweepReport & { readonly removedOrphans: number }) => void | Promise<void>;
  readonly onError: (error: unknown) => void;
}

export function startSweeping(sweeper: SnapshotSweeper, options: SweepScheduleOptions): { stop(): Promise<void> } {
  const { intervalMs = 5 * MINUTE_MS, orphansEvery = 72, sharing } = options;
  const stopped = new AbortController();
  let count = 0;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();

  const sweep = async (signal: AbortSignal): Promise<void> => {
    const report = await sweeper.sweep(signal);
    let removedOrphans = 0;
    if (sharing !== undefined) {
      await runAlone(sharing, 'sweep orphans', orphansEvery * intervalMs, signal, async (own) => {
        removedOrphans = await sweeper.sweepOrphans(own);
      });
    } else {
      if (count % orphansEvery === 0) removedOrphans = await sweeper.sweepOrphans(signal);
      count += 1;
    }
    await options.onReport({ ...report, removedOrphans });
  };
  const sweepOnce = async (): Promise<void> => {
    try {
      if (sharing === undefined) await sweep(stopped.signal);
      else await runAlone(sharing, 'sweep', intervalMs, stopped.signal, sweep);
    } catch (error) {
      options.onError(error);
    }
    schedule();
  };
  const schedule = (): void => {
    if (stopped.signal.aborted) return;
    timer = setTimeout(() => {
      running = sweepOnce();
    }, intervalMs).unref();
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

/** The signal is aborted when the lease is lost. */
async function runAlone(
  { tasks, node }: NonNullable<SweepScheduleOptions['sharing']>,
  name: string,
  everyMs: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  if (!(await tasks.begin(name, node, LEASE_MS))) return;
  const lost = new AbortController();
  const stopRenewing = keepLease(
    LEASE_MS,
    () => tasks.renew(name, node, LEASE_MS),
    () => lost.abort(),
  );
  const own = AbortSignal.any([signal, lost.signal]);
  let done = false;
  try {
    await work(own);
    done = !own.aborted;
  } finally {
    stopRenewing();
    // Interrupted work is due immediately.
    await tasks.end(name, node, done ? everyMs : 0);
  }
}
