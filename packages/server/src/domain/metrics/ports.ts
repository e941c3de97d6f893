import type { ErrorCode, Stage } from '@winnow/contract';
import type { Histogram } from './latency-histogram.ts';

export interface FinishedRequest {
  readonly at: Date;
  readonly projectId: string;
  readonly code: ErrorCode | 'ok';
  readonly stage: Stage | null;
  /** Null without a fetch. */
  readonly engine: string | null;
  readonly elapsedMs: number;
}

/** Minutes are kept for a day, hours for a month. */
export const SPANS = { minute: 60, hour: 3600 } as const;
export type SpanSeconds = (typeof SPANS)[keyof typeof SPANS];

export interface RequestSpan {
  readonly spanSeconds: SpanSeconds;
  /** Seconds since 1970. */
  readonly at: number;
  readonly projectId: string;
  readonly code: ErrorCode | 'ok';
  readonly stage: Stage | null;
  readonly engine: string | null;
  readonly count: number;
  readonly histogram: Histogram;
}

export type GaugeName =
  | 'browsers_running'
  | 'browsers_busy'
  | 'browsers_waiting'
  | 'snapshots'
  | 'bytes'
  | 'stored_bytes';

export interface GaugeSample {
  /** Seconds since 1970. */
  readonly at: number;
  readonly name: GaugeName;
  /** Null for deployment-wide values. */
  readonly projectId: string | null;
  readonly value: number;
}

export interface ProjectStorage {
  readonly projectId: string;
  readonly snapshots: number;
  readonly bytes: number;
  readonly storedBytes: number;
}

export interface MetricRepository {
  /** Replaces spans written by this process. */
  putSpans(spans: readonly RequestSpan[]): Promise<void>;
  /** Yields spans from `from` to before `to`, in slices. */
  readSpans(
    spanSeconds: SpanSeconds,
    from: number,
    to: number,
    projectIds: ReadonlySet<string>,
  ): AsyncIterable<readonly RequestSpan[]>;
  addSamples(samples: readonly GaugeSample[]): Promise<void>;
  /** Yields samples from `from` to before `to`, in slices. */
  readSamples(from: number, to: number): AsyncIterable<readonly GaugeSample[]>;
  measureStorage(): Promise<ProjectStorage[]>;
  /** Removes minutes after about a day, hours after about a month. */
  forgetOld(now: Date): Promise<void>;
}

export interface BrowserPoolState {
  readonly running: number;
  readonly busy: number;
  readonly waiting: number;
}
