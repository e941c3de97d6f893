import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { removeUnreferenced, ROW_GRACE_MS } from '../domain/storage/delete-snapshot.ts';
import type { RemovedSnapshot, SnapshotContent, SnapshotRepository } from '../domain/storage/snapshot-ports.ts';
import { runAlone, type Sharing } from '../domain/shared/leases.ts';

const BATCH = 200;

/** Above this excess rows are removed in batches, below it one by one. */
const COARSE_EXCESS_BYTES = 64 * 1024 * 1024;

export interface SweepLimits {
  /** Undefined: unlimited. */
  readonly maxAgeMs?: number | undefined;
  /** Undefined: unlimited. */
  readonly maxTotalBytes?: number | undefined;
}

export interface SweepReport {
  readonly removedByAge: number;
  readonly removedBySize: number;
}

/**
 * Removes old and excess snapshots, and content without rows. Rows are removed before their content, so that no row
 * lacks content.
 */
export class SnapshotSweeper {
  readonly #rows: SnapshotRepository;
  readonly #content: SnapshotContent;
  readonly #limits: SweepLimits;
  readonly #now: () => number;

  constructor(rows: SnapshotRepository, content: SnapshotContent, limits: SweepLimits, now: () => number = Date.now) {
    this.#rows = rows;
    this.#content = content;
    this.#limits = limits;
    this.#now = now;
  }

  /** Works in small steps, between which requests run. */
  async sweep(signal: AbortSignal): Promise<SweepReport> {
    const removedByAge = await this.#sweepByAge(signal);
    const removedBySize = await this.#sweepBySize(signal);
    return { removedByAge, removedBySize };
  }

  /** Removes content without rows, left by a crash or by a sweep soon after a put. Returns how many. */
  async sweepOrphans(signal: AbortSignal): Promise<number> {
    let removed = 0;
    for await (const hashes of this.#content.listPutBefore(new Date(this.#now() - ROW_GRACE_MS))) {
      if (signal.aborted) break;
      removed += await this.#deleteUnreferenced(hashes);
      await yieldToOthers();
    }
    return removed;
  }

  async #sweepByAge(signal: AbortSignal): Promise<number> {
    const { maxAgeMs } = this.#limits;
    if (maxAgeMs === undefined) return 0;
    const before = new Date(this.#now() - maxAgeMs);
    let count = 0;
    while (!signal.aborted) {
      const removed = await this.#rows.removeOldest(BATCH, { fetchedBefore: before });
      await this.#deleteUnreferenced(removed.flatMap(listHashes));
      count += removed.length;
      if (removed.length < BATCH) break;
      await yieldToOthers();
    }
    return count;
  }

  async #sweepBySize(signal: AbortSignal): Promise<number> {
    const { maxTotalBytes } = this.#limits;
    if (maxTotalBytes === undefined) return 0;
    let excess = (await this.#rows.totalStoredBytes()) - maxTotalBytes;
    let count = 0;
    while (excess > 0 && !signal.aborted) {
      const removed = await this.#removeOfLargest(excess > COARSE_EXCESS_BYTES ? BATCH : 1);
      if (removed.length === 0) break;
      excess -= await this.#freedBytes(removed);
      count += removed.length;
      await yieldToOthers();
    }
    return count;
  }

  /** A project within its fair share loses nothing to others. */
  async #removeOfLargest(limit: number): Promise<RemovedSnapshot[]> {
    const projectId = await this.#rows.findLargestProject();
    const removed = projectId === undefined ? [] : await this.#rows.removeOldest(limit, { projectId });
    // Rows stored by earlier versions are not counted for a project.
    return removed.length > 0 ? removed : this.#rows.removeOldest(limit);
  }

  /** Content that other rows share does not count as freed. */
  async #freedBytes(removed: readonly RemovedSnapshot[]): Promise<number> {
    const unreferenced = await this.#deleteContent(removed.flatMap(listHashes));
    const sizes = new Map(removed.map((row) => [row.hash, row.storedBytes]));
    const rowBytes = removed.reduce((sum, row) => sum + row.rowBytes, 0);
    return unreferenced.reduce((sum, hash) => sum + (sizes.get(hash) ?? 0), rowBytes);
  }

  async #deleteUnreferenced(hashes: readonly string[]): Promise<number> {
    return (await this.#deleteContent(hashes)).length;
  }

  #deleteContent(hashes: readonly string[]): Promise<string[]> {
    return removeUnreferenced({ snapshots: this.#rows, content: this.#content }, hashes, this.#now());
  }
}

function listHashes({ hash, attachmentHashes }: RemovedSnapshot): string[] {
  return [hash, ...attachmentHashes];
}

const MINUTE_MS = 60 * 1000;

interface SweepScheduleOptions {
  /** Default: 5 minutes. */
  readonly intervalMs?: number;
  /** Number of sweeps between removals of orphans. Default: 72 (6 hours). */
  readonly orphansEvery?: number;
  /** Undefined: a single process. */
  readonly sharing?: Sharing | undefined;
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
