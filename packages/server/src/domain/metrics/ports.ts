/** Figures over time for the console's overview. `store/` keeps them. */
import type { ErrorCode, Stage } from '@winnow/contract';
import type { Histogram } from './latency-histogram.ts';

/** One finished request of `/v1`. */
export interface FinishedRequest {
  readonly at: Date;
  readonly projectId: string;
  readonly code: ErrorCode | 'ok';
  readonly stage: Stage | null;
  /** Engine that captured the page; null when nothing was fetched. */
  readonly engine: string | null;
  readonly elapsedMs: number;
}

/** The spans over which requests are counted, in seconds: fine for a day, coarse for a month. */
export const SPANS = { minute: 60, hour: 3600 } as const;
export type SpanSeconds = (typeof SPANS)[keyof typeof SPANS];

/** Requests of one span and kind. */
export interface RequestSpan {
  readonly spanSeconds: SpanSeconds;
  /** Start of the span, seconds since 1970. */
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
  /** Null for what belongs to no project. */
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
  /** Writes spans as they stand; a span written before by this process is replaced. */
  putSpans(spans: readonly RequestSpan[]): Promise<void>;
  listSpans(spanSeconds: SpanSeconds, from: number, to: number): Promise<RequestSpan[]>;
  addSamples(samples: readonly GaugeSample[]): Promise<void>;
  listSamples(from: number, to: number): Promise<GaugeSample[]>;
  /** What the snapshots of each project take now. */
  measureStorage(): Promise<ProjectStorage[]>;
  /** Removes minutes older than a day and a bit, and everything older than a month and a bit. */
  forgetOld(now: Date): Promise<void>;
}

/** State of the browser pool. */
export interface BrowserPoolState {
  readonly running: number;
  readonly busy: number;
  readonly waiting: number;
}
