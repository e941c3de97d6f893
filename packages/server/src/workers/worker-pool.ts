import { Piscina } from 'piscina';
import type { Stage } from '@winnow/contract';
import { AbortRelay } from '../domain/abort-relay.ts';
import { currentParty } from '../domain/admission/current-party.ts';
import { FairQueue } from '../domain/admission/fair-queue.ts';
import type { Place } from '../domain/admission/fair-queue.ts';
import { AppError } from '../domain/errors.ts';
import type { StageBudget } from '../domain/ports.ts';
import { limitTime } from '../domain/time-limit.ts';
import { type Box, unbox } from '../domain/box.ts';

export interface WorkerPoolOptions {
  readonly threads: number;
  /** Bytes of heap that one thread may use before it is ended. */
  readonly memoryBytes: number;
  /** Tasks that may wait for a thread; more are refused with `overloaded`. */
  readonly maxQueue: number;
  /** Milliseconds without a task after which a thread ends. Default: a minute. */
  readonly idleTimeoutMs?: number;
  /** What is full when no more may wait, for the message. Default `the extraction`. */
  readonly name?: string;
  /** Module whose exports are the tasks, each of which answers in a box. Default: `worker.ts`. */
  readonly module?: URL;
}

/** Milliseconds after which an idle thread ends by default: when idle, the process keeps no memory of threads. */
export const IDLE_TIMEOUT_MS = 60_000;

/** V8's own stack guard is generous enough for any page; a young generation this large spares promotions. */
const YOUNG_GENERATION_MB = 64;

/**
 * How much less the threads count to the system than the event loop, which every request goes through many times: without
 * it each of its turns waits for pages that others have in work.
 */
const NICENESS = 5;

/**
 * Milliseconds that a task may go on, within its time, after its caller has hung up. A thread takes as long to start: where
 * each hang-up ended one, a few impatient callers kept everybody else waiting for new threads.
 */
const LAST_WORK_MS = 1000;

const MIB = 1024 * 1024;

/**
 * Threads for work that would block the event loop. A task ends with its budget: when that runs out, or a second after the
 * caller has hung up, the thread is ended and a fresh one takes its place.
 */
export class WorkerPool {
  readonly #piscina: Piscina;
  /** Tasks take turns here, fairly among callers; the pool's own queue stays empty. */
  readonly #queue: FairQueue;
  readonly #places: number;
  /** Milliseconds without a task after which a thread ends. */
  readonly idleTimeoutMs: number;
  #idleDeath = createDeath();

  constructor(options: WorkerPoolOptions) {
    this.#places = options.threads;
    this.idleTimeoutMs = options.idleTimeoutMs ?? IDLE_TIMEOUT_MS;
    this.#queue = new FairQueue({
      places: options.threads,
      maxWaiting: options.maxQueue,
      name: options.name ?? 'the extraction',
      // All threads but one; the only one is anybody's.
      greed: Math.max(1, options.threads - 1),
      allWhenAlone: true,
    });
    this.#piscina = new Piscina({
      filename: (options.module ?? new URL('./worker.ts', import.meta.url)).href,
      minThreads: 0,
      recordTiming: false,
      maxThreads: options.threads,
      idleTimeout: this.idleTimeoutMs,
      niceIncrement: NICENESS,
      resourceLimits: {
        maxOldGenerationSizeMb: Math.ceil(options.memoryBytes / MIB),
        maxYoungGenerationSizeMb: YOUNG_GENERATION_MB,
      },
    });
    // A thread that dies at work rejects its task. One that dies without a task (it could not even load its
    // module) would leave those that wait for it waiting for ever.
    this.#piscina.on('error', (error) => {
      this.#idleDeath.abort(error);
      this.#idleDeath = createDeath();
    });
  }

  /**
   * Runs one exported function of the module.
   * @throws {AppError} `overloaded` when the queue is full; `extract_timeout`, `response_too_large` (a page of the snapshot
   * stage that takes too much memory) or `internal` of the stage
   */
  async run<T>(task: string, input: unknown, stage: Stage, budget: StageBudget): Promise<T> {
    const { relay: idleDeath } = this.#idleDeath;
    const latest = performance.now() + budget.timeoutMs;
    const late = (): AppError => toLateError(stage, budget);
    const limit = limitTime([budget.signal, idleDeath], budget.timeoutMs, late);
    const { signal } = limit;
    let place: Place | undefined;
    let lastWork: NodeJS.Timeout | undefined;
    try {
      place = await this.#queue.enter({ ...currentParty(), signal });
      if (signal.aborted) throw signal.reason;
      const ending = new AbortController();
      const end = (): void => ending.abort(signal.reason);
      signal.addEventListener('abort', () => {
        const left = latest - performance.now();
        if (left <= 0 || idleDeath.aborted) end();
        else lastWork = setTimeout(end, Math.min(LAST_WORK_MS, left));
      });
      return unbox((await this.#piscina.run(input, { name: task, signal: ending.signal })) as Box<T>);
    } catch (error) {
      const cause = idleDeath.aborted ? idleDeath.reason : error;
      throw toAppError(cause, stage, budget, limit.isLate);
    } finally {
      clearTimeout(lastWork);
      limit.release();
      place?.release();
    }
  }

  /** Threads that are alive, tasks that run and tasks that wait; `isFull` when every thread has its task. */
  get state(): { readonly threads: number; readonly isFull: boolean; readonly queued: number } {
    const { running, waiting } = this.#queue.state();
    return { threads: this.#piscina.threads.length, isFull: running >= this.#places, queued: waiting };
  }

  /** Ends all threads; tasks that run or wait fail. */
  async close(): Promise<void> {
    await this.#piscina.destroy();
  }
}

interface Death {
  readonly relay: AbortRelay;
  abort(error: unknown): void;
}

function createDeath(): Death {
  const controller = new AbortController();
  return { relay: new AbortRelay(controller.signal), abort: (error) => controller.abort(error) };
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

/** Where a page is to blame for the memory that it takes. */
const MEMORY_CODES: Partial<Record<Stage, AppError['code']>> = {
  request: 'payload_too_large',
  snapshot: 'response_too_large',
  extract: 'extract_timeout',
};

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

function toLateError(stage: Stage, { timeoutMs }: StageBudget): AppError {
  const code = stage === 'extract' ? 'extract_timeout' : 'internal';
  return new AppError(code, `the ${stage} stage did not finish within ${timeoutMs} ms`, { stage });
}
