import { STAGES } from '@winnow/contract';
import type { ErrorCode, Stage } from '@winnow/contract';
import { AppError } from './errors.ts';
import { limitTime } from './time-limit.ts';

/** What happened in one stage; times in whole milliseconds from the request's arrival. */
export interface Step {
  readonly stage: Stage;
  readonly status: 'ok' | 'failed' | 'skipped';
  readonly startedMs: number;
  readonly elapsedMs: number;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** What a stage's work gets to know. */
export interface StageContext {
  /** Aborted when the stage's budget runs out, the caller hangs up or the service stops. */
  readonly signal: AbortSignal;
  /** The stage's budget, in milliseconds. */
  readonly timeoutMs: number;
  /** Adds to the step's detail. */
  readonly note: (detail: Readonly<Record<string, unknown>>) => void;
}

export interface StageOptions {
  /** Milliseconds that the stage may take. None: as long as the request lives. */
  readonly timeoutMs?: number;
  /** Code of the error when the budget runs out. Default `internal`. */
  readonly timeoutCode?: ErrorCode;
}

export interface WorkflowOptions {
  /** Ends the request: its reason, an AppError, becomes the request's error. */
  readonly signal: AbortSignal;
  /** Milliseconds on a clock that only goes forward; `performance.now` when left out. */
  readonly now?: () => number;
  /** Reading of that clock when the request arrived. */
  readonly arrivedAt?: number;
}

/**
 * The way of one request: runs its stages one after the other, each with its budget, keeps one trace
 * step for each, and whatever a failure must not lose (the snapshot that was taken, the raw DOM).
 */
export class Workflow {
  readonly signal: AbortSignal;
  /** Id of the snapshot that the request took or used, once there is one. */
  domId: string | undefined;
  /** The document, once there is one. */
  rawDom: string | undefined;
  readonly #now: () => number;
  readonly #arrivedAt: number;
  readonly #steps = new Map<Stage, Step>();

  constructor(options: WorkflowOptions) {
    this.signal = options.signal;
    this.#now = options.now ?? (() => performance.now());
    this.#arrivedAt = options.arrivedAt ?? this.#now();
  }

  /** The steps so far, in the order of the stages. */
  get steps(): Step[] {
    return STAGES.flatMap((stage) => this.#steps.get(stage) ?? []);
  }

  /** Whole milliseconds since the request arrived. */
  elapsedMs(): number {
    return Math.round(this.#now() - this.#arrivedAt);
  }

  /**
   * Runs one stage. The promise settles at the latest when the budget is over, whether the work
   * heeds its signal or not. A foreign error leaves as `internal` of this stage.
   */
  async run<T>(stage: Stage, options: StageOptions, work: (context: StageContext) => Promise<T> | T): Promise<T> {
    const startedMs = this.elapsedMs();
    const detail: Record<string, unknown> = {};
    const end = (status: Step['status'], more: object = {}): void => {
      const elapsedMs = this.elapsedMs() - startedMs;
      this.#steps.set(stage, { stage, status, startedMs, elapsedMs, detail: { ...detail, ...more } });
    };
    const limit = limitStage(stage, options, this.signal);
    try {
      const context: StageContext = {
        signal: limit.signal,
        timeoutMs: options.timeoutMs ?? Number.POSITIVE_INFINITY,
        note: (more) => void Object.assign(detail, more),
      };
      const value = await Promise.race([limit.over, Promise.resolve(work(context))]);
      end('ok');
      return value;
    } catch (error) {
      // What the work makes of an abort is noise; the reason of the abort is the error.
      const failure = toAppError(limit.signal.aborted ? limit.signal.reason : error, stage);
      end('failed', { error: failure.code, message: failure.message, ...failure.details });
      throw failure;
    } finally {
      limit.release();
    }
  }

  /** Notes that a stage was not run, and why. */
  skip(stage: Stage, reason: string): void {
    this.#steps.set(stage, { stage, status: 'skipped', startedMs: this.elapsedMs(), elapsedMs: 0, detail: { reason } });
  }

  /**
   * Turns an earlier step into a failure: whether the last template fits shows only once it was
   * applied, and the error then belongs to the match. A stage that could not begin gets its step so.
   */
  failEarlier(stage: Stage, error: AppError): AppError {
    const step = this.#steps.get(stage) ?? { stage, startedMs: this.elapsedMs(), elapsedMs: 0, detail: {} };
    const failed = { error: error.code, message: error.message };
    this.#steps.set(stage, { ...step, status: 'failed', detail: { ...step.detail, ...failed } });
    return error;
  }

  /** Adds to a step that is over, whose stage went on until now. */
  extend(stage: Stage, detail: Readonly<Record<string, unknown>>): void {
    const step = this.#steps.get(stage);
    if (!step) return;
    const elapsedMs = this.elapsedMs() - step.startedMs;
    this.#steps.set(stage, { ...step, elapsedMs, detail: { ...step.detail, ...detail } });
  }

  /** Records a stage that ran elsewhere, such as before the workflow could begin. */
  record(step: Step): void {
    this.#steps.set(step.stage, step);
  }
}

interface StageLimit {
  readonly signal: AbortSignal;
  /** Rejects when the signal aborts; never settles otherwise. */
  readonly over: Promise<never>;
  readonly release: () => void;
}

function limitStage(
  stage: Stage,
  { timeoutMs, timeoutCode = 'internal' }: StageOptions,
  outer: AbortSignal,
): StageLimit {
  const late = (): AppError =>
    new AppError(timeoutCode, `the ${stage} stage did not finish within ${timeoutMs} ms`, { stage });
  const { signal, release } = limitTime([outer], timeoutMs ?? Number.POSITIVE_INFINITY, late);
  const { promise: over, reject } = Promise.withResolvers<never>();
  over.catch(() => undefined);
  const onAbort = (): void => {
    const reason: unknown = signal.reason;
    reject(reason instanceof Error ? reason : new Error('aborted', { cause: reason }));
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  return {
    signal,
    over,
    release: () => {
      signal.removeEventListener('abort', onAbort);
      release();
    },
  };
}

function toAppError(error: unknown, stage: Stage): AppError {
  if (error instanceof AppError) return error;
  return new AppError('internal', 'an unexpected error occurred', { stage, cause: error });
}
