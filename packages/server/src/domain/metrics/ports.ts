import type { DoubtCode } from '@winnow/contract';
import type { LoggedRequest } from '../request-log/ports.ts';
import type { AppError } from '../shared/errors.ts';
import type { Step } from '../shared/workflow.ts';
import type { Histogram } from './latency-histogram.ts';

/** What lists and headers show of an extracted page. */
export interface JudgedPage {
  /** 0 to 1. */
  readonly confidence: number;
  /** Each code once. */
  readonly warnings: readonly DoubtCode[];
}

export interface FinishedItem {
  readonly at: Date;
  readonly projectId: string;
  readonly failed: boolean;
  readonly judged: JudgedPage | null;
}

export interface FinishedRequest extends Pick<
  LoggedRequest,
  'at' | 'projectId' | 'code' | 'stage' | 'engine' | 'elapsedMs'
> {
  /** Null without an extraction. */
  readonly judged: JudgedPage | null;
}

/** W3C Trace Context. */
export interface TraceContext {
  /** 32 hex digits. */
  readonly traceId: string;
  /** Undefined if the trace starts here. */
  readonly parentId: string | undefined;
  /** 16 hex digits. */
  readonly spanId: string;
  /** Two hex digits. */
  readonly flags: string;
  /** Vendor data, forwarded unchanged. */
  readonly state: string | undefined;
}

export interface ServedRequest extends Pick<LoggedRequest, 'requestId' | 'method' | 'status' | 'elapsedMs'> {
  /** Pattern, for example `/v1/extract`; `unknown` for unknown paths. */
  readonly route: string;
  readonly failure: AppError | null;
  readonly steps: readonly Step[];
  readonly trace: TraceContext | null;
  /** Set for authenticated requests with stages. */
  readonly finished: FinishedRequest | undefined;
}

/** Minutes are kept for a day, hours for a month. */
export const SPANS = { minute: 60, hour: 3600 } as const;
export type SpanSeconds = (typeof SPANS)[keyof typeof SPANS];

export interface RequestSpan extends Pick<LoggedRequest, 'projectId' | 'code' | 'stage' | 'engine'> {
  readonly spanSeconds: SpanSeconds;
  /** Seconds since 1970. */
  readonly at: number;
  readonly count: number;
  readonly histogram: Histogram;
}

export const GAUGES = [
  'browsers_running',
  'browsers_busy',
  'browsers_waiting',
  'snapshots',
  'bytes',
  'stored_bytes',
] as const;
export type GaugeName = (typeof GAUGES)[number];

/** `items`: finished items of batches; `confidence`: sum over the `pages` that were extracted. */
export type CountName = 'items' | 'items_failed' | 'pages' | 'pages_doubtful' | 'confidence' | `warning ${DoubtCode}`;

/** Counted in one minute by one process. */
export interface CountSample {
  /** Seconds since 1970. */
  readonly at: number;
  readonly name: CountName;
  readonly projectId: string;
  readonly value: number;
}

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
  /** Adds to what this process has counted. */
  addCounts(counts: readonly CountSample[]): Promise<void>;
  /** Yields samples and counts from `from` to before `to`, in slices. */
  readSamples(from: number, to: number): AsyncIterable<readonly (GaugeSample | CountSample)[]>;
  measureStorage(): Promise<ProjectStorage[]>;
  /** Removes minutes after about a day, hours after about a month. */
  forgetOld(now: Date): Promise<void>;
}

export interface BrowserPoolState {
  readonly running: number;
  readonly busy: number;
  readonly waiting: number;
}
