import type { ErrorCode, MetricRange, Stage } from '@winnow/contract';
import { createHistogram, mergeHistogram, readPercentile } from './latency-histogram.ts';
import type { Histogram } from './latency-histogram.ts';
import { SPANS } from './ports.ts';
import type { GaugeName, GaugeSample, MetricRepository, ProjectStorage, RequestSpan, SpanSeconds } from './ports.ts';

/** Seconds: length, step and stored span of each range. */
const RANGES: Readonly<Record<MetricRange, { length: number; step: number; span: SpanSeconds }>> = {
  '1h': { length: 3600, step: 60, span: SPANS.minute },
  '24h': { length: 86_400, step: 900, span: SPANS.minute },
  '7d': { length: 7 * 86_400, step: 3600, span: SPANS.hour },
  '30d': { length: 30 * 86_400, step: 6 * 3600, span: SPANS.hour },
};

export interface MetricsQuery {
  readonly range: MetricRange;
  /** Visible projects. */
  readonly projectIds: ReadonlySet<string>;
  readonly now: Date;
}

type Series = (number | null)[];

export interface MetricsReport {
  readonly stepSeconds: number;
  readonly times: number[];
  readonly requests: Series;
  readonly errors: Series;
  readonly latencyMs: { p50: Series; p90: Series; p99: Series };
  readonly engines: Record<string, Series>;
  readonly errorsByCode: { code: ErrorCode; stage: Stage; count: number }[];
  readonly totals: { requests: number; errors: number; p50: number | null; p90: number | null; p99: number | null };
  readonly storage: { snapshots: number; bytes: number; storedBytes: number; storedBytesOverTime: Series };
  readonly browsers: { running: Series; busy: Series; waiting: Series };
}

/** Reads all series on one grid of steps that ends now. */
export async function readMetrics(metrics: MetricRepository, query: MetricsQuery): Promise<MetricsReport> {
  const { length, step, span } = RANGES[query.range];
  const end = Math.floor(query.now.getTime() / 1000 / step) * step + step;
  const start = end - length;
  const times = Array.from({ length: length / step }, (_, index) => start + index * step);
  const indexOf = (at: number): number => Math.floor((at - start) / step);
  const [allSpans, samples, storage] = await Promise.all([
    metrics.listSpans(span, start, end),
    metrics.listSamples(start, end),
    metrics.measureStorage(),
  ]);
  const spans = allSpans.filter(({ projectId }) => query.projectIds.has(projectId));
  const own = samples.filter(({ projectId }) => projectId === null || query.projectIds.has(projectId));
  const gauge = (name: GaugeName): Series => readGauge(own, name, times.length, indexOf);
  return {
    stepSeconds: step,
    times,
    ...countRequests(spans, times.length, indexOf),
    storage: {
      ...sumStorage(storage.filter(({ projectId }) => query.projectIds.has(projectId))),
      storedBytesOverTime: gauge('stored_bytes'),
    },
    browsers: { running: gauge('browsers_running'), busy: gauge('browsers_busy'), waiting: gauge('browsers_waiting') },
  };
}

type Counted = Pick<MetricsReport, 'requests' | 'errors' | 'latencyMs' | 'engines' | 'errorsByCode' | 'totals'>;

function countRequests(spans: readonly RequestSpan[], steps: number, indexOf: (at: number) => number): Counted {
  const requests = zeros(steps);
  const errors = zeros(steps);
  const engines: Record<string, number[]> = {};
  const codes = new Map<string, { code: ErrorCode; stage: Stage; count: number }>();
  const histograms = Array.from({ length: steps }, createHistogram);
  const all = createHistogram();
  for (const span of spans) {
    const index = indexOf(span.at);
    const histogram = histograms[index];
    if (histogram === undefined) continue;
    increase(requests, index, span.count);
    mergeHistogram(histogram, span.histogram);
    mergeHistogram(all, span.histogram);
    if (span.engine !== null) increase((engines[span.engine] ??= zeros(steps)), index, span.count);
    if (span.code === 'ok') continue;
    increase(errors, index, span.count);
    const stage = span.stage ?? 'request';
    const row = codes.get(`${span.code} ${stage}`) ?? { code: span.code, stage, count: 0 };
    codes.set(`${span.code} ${stage}`, { ...row, count: row.count + span.count });
  }
  const percentiles = (share: number): Series => histograms.map((histogram) => readPercentile(histogram, share));
  return {
    requests,
    errors,
    engines,
    latencyMs: { p50: percentiles(0.5), p90: percentiles(0.9), p99: percentiles(0.99) },
    errorsByCode: [...codes.values()].toSorted((a, b) => b.count - a.count),
    totals: { requests: sum(requests), errors: sum(errors), ...readTotals(all) },
  };
}

function readTotals(all: Histogram): { p50: number | null; p90: number | null; p99: number | null } {
  return { p50: readPercentile(all, 0.5), p90: readPercentile(all, 0.9), p99: readPercentile(all, 0.99) };
}

/** Last reading of each step, summed over projects and processes; null without readings. */
function readGauge(
  samples: readonly GaugeSample[],
  name: GaugeName,
  steps: number,
  indexOf: (at: number) => number,
): Series {
  const readings = new Map<number, Map<number, number>>();
  for (const sample of samples) {
    if (sample.name !== name) continue;
    const index = indexOf(sample.at);
    const byTime = readings.get(index) ?? new Map<number, number>();
    readings.set(index, byTime.set(sample.at, (byTime.get(sample.at) ?? 0) + sample.value));
  }
  return Array.from({ length: steps }, (_, index) => {
    const byTime = readings.get(index);
    if (byTime === undefined) return null;
    return byTime.get(Math.max(...byTime.keys())) ?? null;
  });
}

function sumStorage(rows: readonly ProjectStorage[]): { snapshots: number; bytes: number; storedBytes: number } {
  return {
    snapshots: sum(rows.map((row) => row.snapshots)),
    bytes: sum(rows.map((row) => row.bytes)),
    storedBytes: sum(rows.map((row) => row.storedBytes)),
  };
}

function zeros(length: number): number[] {
  return Array.from({ length }, () => 0);
}

function increase(series: number[], index: number, by: number): void {
  series[index] = (series[index] ?? 0) + by;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
