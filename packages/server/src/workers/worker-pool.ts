import { Piscina } from 'piscina';
import type { Stage } from '@winnow/contract';
import { currentTenant } from '../domain/admission/current-tenant.ts';
import { FairQueue } from '../domain/admission/fair-queue.ts';
import type { Permit } from '../domain/admission/fair-queue.ts';
import { AppError } from '../domain/shared/errors.ts';
import type { StageBudget } from '../domain/shared/ports.ts';
import { limitTime, AbortBroadcaster } from '../domain/shared/time-limit.ts';
import { type TransferCell, takeContent } from '../domain/shared/transfer-cell.ts';

export interface WorkerPoolOptions {
  readonly threads: number;
  readonly memoryBytes: number;
  readonly maxQueue: number;
  /** Default: a minute. */
  readonly idleTimeoutMs?: number;
  /** Default `the extraction`. */
  readonly name?: string;
  /** Exports the tasks. Default: `worker.ts`. */
  readonly module?: URL;
  /** Runs the tasks instead of threads. */
  readonly createRunner?: (limits: RunnerLimits) => TaskRunner;
}

export interface RunnerLimits {
  readonly memoryBytes: number;
  readonly idleTimeoutMs: number;
}

/** Threads or processes that run one task each at a time. */
export interface TaskRunner {
  /** Threads or processes that live. */
  readonly size: number;
  /** Ends the thread or process of the task when the signal is aborted. Resolves with a {@link TransferCell}. */
  run(task: string, input: unknown, signal: AbortSignal): Promise<unknown>;
  close(): Promise<void>;
}

export const IDLE_TIMEOUT_MS = 60_000;

/** Large enough to avoid promotions to the old generation. */
const YOUNG_GENERATION_MB = 64;

/** Without it every tick of the event loop waits for extractions. */
export const NICENESS = 5;

/** Grace for abandoned tasks: a new thread takes as long to start. */
const GRACE_MS = 1000;

const MIB = 1024 * 1024;

/**
 * Threads or processes for blocking work. A task that exceeds its budget, or continues long after its caller
 * disconnected, loses its thread or process.
 */
export class WorkerPool {
  readonly #runner: TaskRunner;
  readonly #queue: FairQueue;
  readonly #slots: number;
  readonly idleTimeoutMs: number;
  #idleDeath = createDeath();

  constructor(options: WorkerPoolOptions) {
    this.#slots = options.threads;
    this.idleTimeoutMs = options.idleTimeoutMs ?? IDLE_TIMEOUT_MS;
    this.#queue = new FairQueue({
      slots: options.threads,
      maxWaiting: options.maxQueue,
      name: options.name ?? 'the extraction',
    });
    const limits = { memoryBytes: options.memoryBytes, idleTimeoutMs: this.idleTimeoutMs };
    this.#runner = options.createRunner?.(limits) ?? this.#openThreads(options);
  }

  /** The threads have no queue of their own: it would always be empty. */
  #openThreads({ module, threads, memoryBytes }: WorkerPoolOptions): TaskRunner {
    const piscina = new Piscina({
      filename: (module ?? new URL('./worker.ts', import.meta.url)).href,
      minThreads: 0,
      recordTiming: false,
      maxThreads: threads,
      idleTimeout: this.idleTimeoutMs,
      niceIncrement: NICENESS,
      resourceLimits: {
        maxOldGenerationSizeMb: Math.ceil(memoryBytes / MIB),
        maxYoungGenerationSizeMb: YOUNG_GENERATION_MB,
      },
    });
    // A thread that dies without a task (its module fails to load) must reject the waiting tasks.
    piscina.on('error', (error) => {
      this.#idleDeath.abort(error);
      this.#idleDeath = createDeath();
    });
    return {
      // oxlint-disable-next-line garbage/no-object-getters -- one for the life of the pool
      get size() {
        return piscina.threads.length;
      },
      run: (name, input, signal) => piscina.run(input, { name, signal }),
      close: () => piscina.destroy(),
    };
  }

  /**
   * @throws {AppError} `overloaded` for a full queue; `extract_timeout`, `response_too_large` or `internal` of the
   *   stage
   */
  async run<T>(task: string, input: unknown, stage: Stage, budget: StageBudget): Promise<T> {
    const { relay: idleDeath } = this.#idleDeath;
    const latest = performance.now() + budget.timeoutMs;
    const late = (): AppError => toLateError(stage, budget);
    const limit = limitTime([budget.signal, idleDeath], budget.timeoutMs, late);
    const { signal } = limit;
    let permit: Permit | undefined;
    let graceTimer: NodeJS.Timeout | undefined;
    try {
      permit = await this.#queue.acquire({ ...currentTenant(), signal });
      if (signal.aborted) throw signal.reason;
      const ending = new AbortController();
      const end = (): void => ending.abort(signal.reason);
      signal.addEventListener('abort', () => {
        const left = latest - performance.now();
        if (left <= 0 || idleDeath.aborted) end();
        else graceTimer = setTimeout(end, Math.min(GRACE_MS, left));
      });
      return takeContent((await this.#runner.run(task, input, ending.signal)) as TransferCell<T>);
    } catch (error) {
      const cause = idleDeath.aborted ? idleDeath.reason : error;
      throw toAppError(cause, stage, budget, limit.isLate);
    } finally {
      clearTimeout(graceTimer);
      limit.release();
      permit?.release();
    }
  }

  get state(): { readonly threads: number; readonly isFull: boolean; readonly queued: number } {
    const { running, waiting } = this.#queue.state();
    return { threads: this.#runner.size, isFull: running >= this.#slots, queued: waiting };
  }

  async close(): Promise<void> {
    await this.#runner.close();
  }
}

interface Death {
  readonly relay: AbortBroadcaster;
  abort(error: unknown): void;
}

function createDeath(): Death {
  const controller = new AbortController();
  return { relay: new AbortBroadcaster(controller.signal), abort: (error) => controller.abort(error) };
}

function toAppError(error: unknown, stage: Stage, budget: StageBudget, late: boolean): AppError {
  if (budget.signal.aborted && budget.signal.reason instanceof AppError) return budget.signal.reason;
  if (error instanceof AppError) return error;
  if (late) return toLateError(stage, budget);
  if (isOutOfMemory(error)) {
    const message =
      stage === 'request'
        ? 'the request body needs more than the memory of a worker thread'
        : 'the page needs more than the memory of a worker thread (WINNOW_WORKER_MEMORY)';
    return new AppError(MEMORY_CODES[stage] ?? 'internal', message, { stage, retryable: false, cause: error });
  }
  return new AppError('internal', 'a worker thread failed', { stage, cause: error });
}

const MEMORY_CODES: Partial<Record<Stage, AppError['code']>> = {
  request: 'payload_too_large',
  fetch: 'response_too_large',
  snapshot: 'response_too_large',
  extract: 'extract_timeout',
};

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

/** Stages in which the page causes the delay. */
const LATE_CODES: Partial<Record<Stage, AppError['code']>> = { fetch: 'fetch_timeout', extract: 'extract_timeout' };

function toLateError(stage: Stage, { timeoutMs }: StageBudget): AppError {
  return new AppError(LATE_CODES[stage] ?? 'internal', `the ${stage} stage did not finish within ${timeoutMs} ms`, {
    stage,
  });
}
