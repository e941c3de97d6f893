import { STAGES } from '@winnow/contract';
import type { ErrorCode, Stage } from '@winnow/contract';
import { AppError } from './errors.ts';
import { limitTime } from './time-limit.ts';

/** Times are relative to the request's arrival. */
export interface Step {
  readonly stage: Stage;
  readonly status: 'ok' | 'failed' | 'skipped';
  readonly startedMs: number;
  readonly elapsedMs: number;
  readonly detail: Readonly<Record<string, unknown>>;
}

export interface StageContext {
  /** By the budget, the caller or a shutdown. */
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly note: (detail: Readonly<Record<string, unknown>>) => void;
}

export interface StageOptions {
  /** Default: unlimited. */
  readonly timeoutMs?: number;
  /** Of a timeout. Default `internal`. */
  readonly timeoutCode?: ErrorCode;
}

export interface WorkflowOptions {
  /** Its reason is an AppError. */
  readonly signal: AbortSignal;
  /** Monotonic, in milliseconds. */
  readonly now?: () => number;
  /** By that clock. */
  readonly arrivedAt?: number;
}

/** Runs the stages of a request and records a step for each. */
export class Workflow {
  readonly signal: AbortSignal;
  domId: string | undefined;
  rawDom: string | undefined;
  readonly #now: () => number;
  readonly #arrivedAt: number;
  readonly #steps = new Map<Stage, Step>();

  constructor(options: WorkflowOptions) {
    this.signal = options.signal;
    this.#now = options.now ?? (() => performance.now());
    this.#arrivedAt = options.arrivedAt ?? this.#now();
  }

  get steps(): Step[] {
    return STAGES.flatMap((stage) => this.#steps.get(stage) ?? []);
  }

  elapsedMs(): number {
    return Math.round(this.#now() - this.#arrivedAt);
  }

  /** Settles within the budget even if the work ignores its signal. Unknown errors become `internal`. */
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
      // The abort may have caused other errors.
      const failure = toAppError(limit.signal.aborted ? limit.signal.reason : error, stage);
      end('failed', { error: failure.code, message: failure.message, ...failure.details });
      throw failure;
    } finally {
      limit.release();
    }
  }

  skip(stage: Stage, reason: string): void {
    this.#steps.set(stage, { stage, status: 'skipped', startedMs: this.elapsedMs(), elapsedMs: 0, detail: { reason } });
  }

  /** Marks an earlier step as failed: only applying a template shows whether the match was right. */
  failEarlier(stage: Stage, error: AppError): AppError {
    const step = this.#steps.get(stage) ?? { stage, startedMs: this.elapsedMs(), elapsedMs: 0, detail: {} };
    const failed = { error: error.code, message: error.message };
    this.#steps.set(stage, { ...step, status: 'failed', detail: { ...step.detail, ...failed } });
    return error;
  }

  /** Adds to the step of an ended stage. */
  extend(stage: Stage, detail: Readonly<Record<string, unknown>>): void {
    const step = this.#steps.get(stage);
    if (!step) return;
    const elapsedMs = this.elapsedMs() - step.startedMs;
    this.#steps.set(stage, { ...step, elapsedMs, detail: { ...step.detail, ...detail } });
  }

  record(step: Step): void {
    this.#steps.set(step.stage, step);
  }
}

interface StageLimit {
  readonly signal: AbortSignal;
  /** Never resolves. */
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
