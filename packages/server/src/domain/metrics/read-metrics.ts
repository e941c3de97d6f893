import { DOUBT_CODES, type ErrorCode, type MetricRange, type MetricsResponse, type Stage } from '@winnow/contract';
import { createHistogram, mergeHistogram, readPercentile, type Histogram } from './latency-histogram.ts';
import { GAUGES, SPANS } from './ports.ts';
import type {
  CountName,
  CountSample,
  GaugeName,
  GaugeSample,
  MetricRepository,
  ProjectStorage,
  RequestSpan,
  SpanSeconds,
} from './ports.ts';

/** Seconds. */
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

/** The answer of the operation, but for what is not read from the figures. */
export type MetricsReport = Omit<MetricsResponse, 'request_id' | 'range' | 'storage' | 'browsers'> & {
  readonly storage: Omit<MetricsResponse['storage'], 'batches' | 'used_bytes' | 'quota_bytes'>;
  readonly browsers: NonNullable<MetricsResponse['browsers']>;
};

/** Reads all series on one grid of steps that ends now. */
export async function readMetrics(metrics: MetricRepository, query: MetricsQuery): Promise<MetricsReport> {
  const { length, step, span } = RANGES[query.range];
  const end = Math.floor(query.now.getTime() / 1000 / step) * step + step;
  const start = end - length;
  const times = Array.from({ length: length / step }, (_, index) => start + index * step);
  const grid = { steps: times.length, indexOf: (at: number): number => Math.floor((at - start) / step) };
  const counter = new RequestCounter(grid);
  for await (const spans of metrics.readSpans(span, start, end, query.projectIds)) counter.add(spans);
  const gauges = new SampleReader(grid);
  for await (const samples of metrics.readSamples(start, end))
    gauges.add(samples.filter(({ projectId }) => projectId === null || query.projectIds.has(projectId)));
  const storage = await metrics.measureStorage();
  const { totals, ...requests } = counter.count();
  const { itemTotals, ...pages } = countPages(gauges);
  return {
    step_seconds: step,
    times,
    ...requests,
    ...pages,
    totals: { ...totals, ...itemTotals },
    storage: {
      ...sumStorage(storage.filter(({ projectId }) => query.projectIds.has(projectId))),
      stored_bytes_over_time: gauges.read('stored_bytes'),
    },
    browsers: {
      running: gauges.read('browsers_running'),
      busy: gauges.read('browsers_busy'),
      waiting: gauges.read('browsers_waiting'),
    },
  };
}

function countPages(samples: SampleReader) {
  const [items, failed, pages] = [samples.sum('items'), samples.sum('items_failed'), samples.sum('pages')];
  const mean = (values: readonly number[]): Series =>
    values.map((value, index) => {
      const count = pages[index] ?? 0;
      return count === 0 ? null : value / count;
    });
  return {
    items: { done: items.map((count, index) => count - (failed[index] ?? 0)), failed },
    confidence: mean(samples.sum('confidence')),
    doubtful: mean(samples.sum('pages_doubtful')),
    warnings_by_code: DOUBT_CODES.map((code) => ({ code, count: sum(samples.sum(`warning ${code}`)) }))
      .filter(({ count }) => count > 0)
      .toSorted((a, b) => b.count - a.count),
    itemTotals: { items: sum(items), items_failed: sum(failed) },
  };
}

interface Grid {
  readonly steps: number;
  /** Seconds since 1970. */
  readonly indexOf: (at: number) => number;
}

class RequestCounter {
  readonly #grid: Grid;
  readonly #requests: number[];
  readonly #errors: number[];
  readonly #engines: Record<string, number[]> = {};
  readonly #codes = new Map<string, { code: ErrorCode; stage: Stage; count: number }>();
  readonly #histograms: Histogram[];
  readonly #all = createHistogram();

  constructor(grid: Grid) {
    this.#grid = grid;
    this.#requests = zeros(grid.steps);
    this.#errors = zeros(grid.steps);
    this.#histograms = Array.from({ length: grid.steps }, createHistogram);
  }

  add(spans: readonly RequestSpan[]): void {
    for (const span of spans) {
      const index = this.#grid.indexOf(span.at);
      const histogram = this.#histograms[index];
      if (histogram === undefined) continue;
      increase(this.#requests, index, span.count);
      mergeHistogram(histogram, span.histogram);
      mergeHistogram(this.#all, span.histogram);
      if (span.engine !== null) increase((this.#engines[span.engine] ??= zeros(this.#grid.steps)), index, span.count);
      if (span.code !== 'ok') this.#addError(span.code, span, index);
    }
  }

  #addError(code: ErrorCode, { stage: given, count }: RequestSpan, index: number): void {
    increase(this.#errors, index, count);
    const stage = given ?? 'request';
    const row = this.#codes.get(`${code} ${stage}`) ?? { code, stage, count: 0 };
    this.#codes.set(`${code} ${stage}`, { ...row, count: row.count + count });
  }

  count() {
    const percentiles = (share: number): Series =>
      this.#histograms.map((histogram) => readPercentile(histogram, share));
    return {
      requests: this.#requests,
      errors: this.#errors,
      engines: this.#engines,
      latency_ms: { p50: percentiles(0.5), p90: percentiles(0.9), p99: percentiles(0.99) },
      errors_by_code: [...this.#codes.values()].toSorted((a, b) => b.count - a.count),
      totals: { requests: sum(this.#requests), errors: sum(this.#errors), ...readTotals(this.#all) },
    };
  }
}

function readTotals(all: Histogram) {
  return { p50_ms: readPercentile(all, 0.5), p90_ms: readPercentile(all, 0.9), p99_ms: readPercentile(all, 0.99) };
}

/** Of each step, the last reading of a gauge and the sum of a count, over projects and processes. */
class SampleReader {
  readonly #grid: Grid;
  readonly #last = new Map<string, { readonly at: number; readonly value: number }>();
  readonly #sums = new Map<CountName, number[]>();

  constructor(grid: Grid) {
    this.#grid = grid;
  }

  add(samples: readonly (GaugeSample | CountSample)[]): void {
    for (const { at, name, value } of samples) {
      const index = this.#grid.indexOf(at);
      if (!isGauge(name)) {
        const sums = this.#sums.get(name) ?? zeros(this.#grid.steps);
        this.#sums.set(name, sums);
        increase(sums, index, value);
        continue;
      }
      const key = `${name} ${index}`;
      const last = this.#last.get(key);
      if (last === undefined || last.at < at) this.#last.set(key, { at, value });
      else if (last.at === at) this.#last.set(key, { at, value: last.value + value });
    }
  }

  sum(name: CountName): number[] {
    return this.#sums.get(name) ?? zeros(this.#grid.steps);
  }

  read(name: GaugeName): Series {
    return Array.from({ length: this.#grid.steps }, (_, index) => this.#last.get(`${name} ${index}`)?.value ?? null);
  }
}

function isGauge(name: GaugeName | CountName): name is GaugeName {
  return GAUGES.some((one) => one === name);
}

function sumStorage(rows: readonly ProjectStorage[]) {
  return {
    snapshots: sum(rows.map((row) => row.snapshots)),
    bytes: sum(rows.map((row) => row.bytes)),
    stored_bytes: sum(rows.map((row) => row.storedBytes)),
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
