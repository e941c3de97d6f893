import { STAGES, type DoubtCode, type ErrorCode, type Stage, type StageDetails } from '@winnow/contract';
import { AppError, toAppError } from './errors.ts';
import { limitTime } from './time-limit.ts';

/** Record of a stage; whole milliseconds since the request's arrival. */
interface StepOf<S extends Stage> {
  readonly stage: S;
  readonly status: 'ok' | 'failed' | 'skipped';
  readonly startedMs: number;
  readonly elapsedMs: number;
  readonly detail: Readonly<StageDetails[S]>;
}

export type Step = { [S in Stage]: StepOf<S> }[Stage];

export interface StageContext<S extends Stage = Stage> {
  /** Aborted by the budget, the caller or a shutdown. */
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Runs a part of another stage, which does not count towards the time of this one. */
  readonly outside: <T>(work: () => Promise<T>) => Promise<T>;
  /** Adds to the step's detail. */
  readonly note: (detail: Readonly<StageDetails[S]>) => void;
}

interface StageOptions {
  /** Default: unlimited. */
  readonly timeoutMs?: number;
  /** Of a timeout. Default `internal`. */
  readonly timeoutCode?: ErrorCode;
}

/** Of the stage `snapshot`; far above the usual duration. */
export const SNAPSHOT_LIMIT = { timeoutMs: 15_000, timeoutCode: 'overloaded' } as const satisfies StageOptions;

interface WorkflowOptions {
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

  /**
   * Runs a stage. Settles within the budget even if the work ignores its signal. Unknown errors become `internal` of
   * the stage. A stage that runs again adds to the time of its step.
   */
  async run<S extends Stage, T>(
    stage: S,
    options: StageOptions,
    work: (context: StageContext<S>) => Promise<T> | T,
  ): Promise<T> {
    const startedMs = this.elapsedMs();
    let outsideMs = 0;
    const detail: StageDetails[S] = {};
    const end = (status: Step['status'], more: object = {}): void => {
      const before = this.#steps.get(stage);
      const elapsedMs = (before?.elapsedMs ?? 0) + this.elapsedMs() - startedMs - outsideMs;
      this.record({
        stage,
        status,
        startedMs: before?.startedMs ?? startedMs,
        elapsedMs,
        detail: { ...detail, ...more },
      });
    };
    const limit = limitStage(stage, options, this.signal);
    try {
      const context: StageContext<S> = {
        signal: limit.signal,
        timeoutMs: options.timeoutMs ?? Number.POSITIVE_INFINITY,
        outside: async (other) => {
          const leftMs = this.elapsedMs();
          try {
            return await other();
          } finally {
            outsideMs += this.elapsedMs() - leftMs;
          }
        },
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
    this.record({ stage, status: 'skipped', startedMs: this.elapsedMs(), elapsedMs: 0, detail: { reason } });
  }

  /** Records a step, replacing an earlier one of its stage. */
  record<S extends Stage>(step: StepOf<S>): void {
    this.#steps.set(step.stage, step as Step);
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

export function findStep<S extends Stage>(steps: readonly Step[], stage: S): StepOf<S> | undefined {
  return steps.find((step) => step.stage === stage) as StepOf<S> | undefined;
}

export function findDomId(steps: readonly Step[]): string | undefined {
  const step = findStep(steps, 'snapshot');
  return step?.status === 'ok' ? step.detail.dom_id : undefined;
}

/** Returns what is doubtful about the page of a request: the codes of its warnings, and that it is not whole. */
export function findDoubts(steps: readonly Step[]): DoubtCode[] {
  const isPartial = findStep(steps, 'fetch')?.detail.partial === true;
  return [...(findStep(steps, 'extract')?.detail.warnings ?? []), ...(isPartial ? (['partial'] as const) : [])];
}

/** Adds details to the step of an ended stage, and extends its time to now. */
export function extendStep<S extends Stage>(flow: Workflow, stage: S, detail: StageDetails[S]): void {
  const step = findStep(flow.steps, stage);
  if (step === undefined) return;
  flow.record({ ...step, elapsedMs: flow.elapsedMs() - step.startedMs, detail: { ...step.detail, ...detail } });
}

/**
 * Marks a stage as failed, even if it has ended (a match that the extraction proves wrong) or never began.
 * @returns the error, to be thrown
 */
export function failStep(flow: Workflow, stage: Stage, error: AppError): AppError {
  const step = findStep(flow.steps, stage) ?? { stage, startedMs: flow.elapsedMs(), elapsedMs: 0, detail: {} };
  const detail = { ...step.detail, error: error.code, message: error.message };
  flow.record({ ...step, status: 'failed', detail });
  return error;
}
