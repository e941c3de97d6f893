import { Piscina } from 'piscina';
import type { Stage } from '@winnow/contract';
import { currentTenant } from '../domain/admission/current-tenant.ts';
import { FairQueue, type Permit } from '../domain/admission/fair-queue.ts';
import { AppError } from '../domain/shared/errors.ts';
import type { StageBudget } from '../domain/shared/ports.ts';
import { limitTime, AbortBroadcaster } from '../domain/shared/time-limit.ts';
import { type TransferCell, takeContent } from '../domain/shared/transfer-cell.ts';
import { ProcessFailure, TaskProcesses, type TaskRunner } from './task-processes.ts';

export interface WorkerPoolOptions {
  /** Tasks that run at the same time. */
  readonly workers: number;
  /** Per worker. */
  readonly memoryBytes: number;
  readonly maxQueue: number;
  /** Default: a minute. */
  readonly idleTimeoutMs?: number;
  /** Default `the extraction`. */
  readonly name?: string;
  /** What the tasks read, for errors. Default `page`. */
  readonly content?: string;
  /** Exports the tasks. Default: `worker.ts`. */
  readonly module?: URL;
  /** Tasks run in threads and return {@link TransferCell}s: for input that cannot end a whole process. */
  readonly inThreads?: boolean;
}

export const IDLE_TIMEOUT_MS = 60_000;

/** Grace for abandoned tasks: a new process takes as long to start. */
const GRACE_MS = 1000;

const MIB = 1024 * 1024;

/**
 * Processes for work on what strangers send, or threads. A task that exceeds its budget, or continues long after its
 * caller disconnected, loses its process or thread.
 */
export class WorkerPool {
  readonly #runner: TaskRunner;
  readonly #queue: FairQueue;
  readonly #slots: number;
  readonly #content: string;
  readonly idleTimeoutMs: number;
  #idleDeath = createDeath();

  constructor(options: WorkerPoolOptions) {
    this.#slots = options.workers;
    this.#content = options.content ?? 'page';
    this.idleTimeoutMs = options.idleTimeoutMs ?? IDLE_TIMEOUT_MS;
    this.#queue = new FairQueue({
      slots: options.workers,
      maxWaiting: options.maxQueue,
      name: options.name ?? 'the extraction',
    });
    const module = options.module ?? new URL('./worker.ts', import.meta.url);
    const limits = { memoryBytes: options.memoryBytes, idleTimeoutMs: this.idleTimeoutMs };
    this.#runner = options.inThreads === true ? this.#openThreads(module, options) : new TaskProcesses(module, limits);
  }

  /** The threads have no queue of their own: it would always be empty. */
  #openThreads(module: URL, { workers, memoryBytes }: WorkerPoolOptions): TaskRunner {
    const piscina = new Piscina({
      filename: module.href,
      minThreads: 0,
      recordTiming: false,
      maxThreads: workers,
      idleTimeout: this.idleTimeoutMs,
      resourceLimits: { maxOldGenerationSizeMb: Math.ceil(memoryBytes / MIB) },
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
      run: async (name, input, signal) =>
        takeContent((await piscina.run(input, { name, signal })) as TransferCell<unknown>),
      close: () => piscina.destroy(),
    };
  }

  /**
   * @throws {AppError} `overloaded` for a full queue; `extract_timeout`, `response_too_large`, `unsupported_content` or
   *   `internal` of the stage
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
      return (await this.#runner.run(task, input, ending.signal)) as T;
    } catch (error) {
      const cause = idleDeath.aborted ? idleDeath.reason : error;
      throw this.#toAppError(cause, stage, budget, limit.isLate);
    } finally {
      clearTimeout(graceTimer);
      limit.release();
      permit?.release();
    }
  }

  get state(): { readonly workers: number; readonly isFull: boolean; readonly queued: number } {
    const { running, waiting } = this.#queue.state();
    return { workers: this.#runner.size, isFull: running >= this.#slots, queued: waiting };
  }

  async close(): Promise<void> {
    await this.#runner.close();
  }

  #toAppError(error: unknown, stage: Stage, budget: StageBudget, late: boolean): AppError {
    if (budget.signal.aborted && budget.signal.reason instanceof AppError) return budget.signal.reason;
    if (error instanceof AppError) return error;
    if (late) return toLateError(stage, budget);
    const more = { stage, retryable: false, cause: error };
    const content = stage === 'request' ? 'request body' : this.#content;
    if (isOutOfMemory(error))
      return new AppError(
        MEMORY_CODES[stage] ?? 'internal',
        `the ${content} needs more than the memory of its worker${stage === 'request' ? '' : ' (WINNOW_WORKER_MEMORY)'}`,
        more,
      );
    if (error instanceof ProcessFailure)
      return new AppError('unsupported_content', `the ${content} ended the process that read it`, more);
    return new AppError('internal', 'a worker failed', { stage, cause: error });
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

const MEMORY_CODES: Partial<Record<Stage, AppError['code']>> = {
  request: 'payload_too_large',
  fetch: 'response_too_large',
  snapshot: 'response_too_large',
  extract: 'extract_timeout',
};

function isOutOfMemory(error: unknown): boolean {
  if (error instanceof ProcessFailure) return error.isOutOfMemory;
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

/** Stages in which the page causes the delay. */
const LATE_CODES: Partial<Record<Stage, AppError['code']>> = { fetch: 'fetch_timeout', extract: 'extract_timeout' };

function toLateError(stage: Stage, { timeoutMs }: StageBudget): AppError {
  return new AppError(LATE_CODES[stage] ?? 'internal', `the ${stage} stage did not finish within ${timeoutMs} ms`, {
    stage,
  });
}
