/** Sends traces and metrics to the collector of the operator. Loaded only when an endpoint is set. */
import { randomBytes } from 'node:crypto';
import { createTraceState, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, ValueType } from '@opentelemetry/api';
import type { Attributes, Context, HrTime } from '@opentelemetry/api';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  DataPointType,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import type { DataPoint, Histogram, MetricData } from '@opentelemetry/sdk-metrics';
import { BatchSpanProcessor, TracerProvider, type IdGenerator } from '@opentelemetry/sdk-trace';
import type { MetricObjectWithValues, MetricValue } from '@prometheus-io/client';
import type { ServedRequest, TraceContext } from '../domain/metrics/ports.ts';
import type { AppError } from '../domain/shared/errors.ts';
import { within } from '../domain/shared/within.ts';
import { findStep, type Step } from '../domain/shared/workflow.ts';

interface TelemetryOptions {
  /** Without `/v1/traces` and `/v1/metrics`. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly resource: Readonly<Record<string, string>>;
  readonly traces: boolean;
  readonly metrics: boolean;
  readonly metricIntervalMs: number;
  readonly version: string;
  /** The metrics of `GET /metrics`. */
  readonly readMetrics: () => Promise<readonly Metric[]>;
  readonly warn: (reason: string) => void;
}

type Metric = MetricObjectWithValues<MetricValue<string> & { readonly metricName?: string }>;

/** Of an export, retries included. */
const EXPORT_TIMEOUT_MS = 10_000;
/** At the end of the service. */
const FLUSH_TIMEOUT_MS = 3000;
const WARNING_INTERVAL_MS = 10 * 60_000;
const MAX_REASON_LENGTH = 200;
/** Further spans are dropped while the collector does not answer. */
const MAX_QUEUED_SPANS = 2048;

export class Telemetry {
  readonly #options: TelemetryOptions;
  readonly #ids = new RequestIds();
  readonly #tracers: TracerProvider | undefined;
  readonly #meters: MeterProvider | undefined;
  #warnedAt = Number.NEGATIVE_INFINITY;

  constructor(options: TelemetryOptions) {
    this.#options = options;
    const resource = resourceFromAttributes(options.resource);
    if (options.traces) {
      const exporter = this.#withWarning(new OTLPTraceExporter(this.#target('traces')));
      const spanProcessors = [new BatchSpanProcessor({ exporter, maxQueueSize: MAX_QUEUED_SPANS })];
      this.#tracers = new TracerProvider({ resource, idGenerator: this.#ids, spanProcessors });
    }
    if (options.metrics) {
      const reader = new PeriodicExportingMetricReader({
        exporter: this.#withWarning(new OTLPMetricExporter(this.#target('metrics'))),
        exportIntervalMillis: options.metricIntervalMs,
        metricProducers: [{ collect: () => this.#collect() }],
      });
      this.#meters = new MeterProvider({ resource, readers: [reader] });
    }
  }

  /** Makes the spans of a request with stages: itself, and each stage that was not skipped. */
  record(request: ServedRequest): void {
    const { trace: position, steps, method, route, status, failure } = request;
    const tracer = this.#tracers?.getTracer('winnow', this.#options.version);
    if (tracer === undefined || position === null || steps.length === 0) return;
    const endedAt = Date.now();
    const startTime = endedAt - request.elapsedMs;
    this.#ids.next = position;
    const root = tracer.startSpan(
      `${method} ${route}`,
      {
        kind: SpanKind.SERVER,
        startTime: toHrTime(startTime),
        attributes: {
          'http.request.method': method,
          'http.route': route,
          'http.response.status_code': status,
          'winnow.request_id': request.requestId,
          ...describeFailure(failure),
        },
      },
      parentOf(position),
    );
    this.#ids.next = undefined;
    if (status >= 500) root.setStatus({ code: SpanStatusCode.ERROR });
    const inRoot = trace.setSpan(ROOT_CONTEXT, root);
    for (const step of steps) {
      if (step.status === 'skipped') continue;
      const from = Math.min(startTime + step.startedMs, endedAt);
      const options = { startTime: toHrTime(from), attributes: describeStep(steps, step) };
      const span = tracer.startSpan(step.stage, options, inRoot);
      if (step.status === 'failed') span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(toHrTime(Math.min(from + step.elapsedMs, endedAt)));
    }
    root.end(toHrTime(endedAt));
  }

  /** Sends what is left, within seconds. */
  async close(): Promise<void> {
    const flushed = Promise.allSettled([this.#tracers?.shutdown(), this.#meters?.shutdown()]);
    await within(flushed, FLUSH_TIMEOUT_MS);
  }

  #target(signal: 'traces' | 'metrics') {
    const { endpoint, headers } = this.#options;
    return { url: `${endpoint}/v1/${signal}`, headers, timeoutMillis: EXPORT_TIMEOUT_MS };
  }

  /** The libraries fail silently. */
  #withWarning<Exporter extends Pick<OTLPTraceExporter | OTLPMetricExporter, 'export'>>(exporter: Exporter): Exporter {
    const send = exporter.export.bind(exporter) as OTLPTraceExporter['export'];
    exporter.export = ((items, done) =>
      send(items, (result) => {
        if (result.code !== 0) this.#warn(result.error?.message ?? 'unknown');
        done(result);
      })) as OTLPTraceExporter['export'] as Exporter['export'];
    return exporter;
  }

  #warn(reason: string): void {
    const now = performance.now();
    if (now - this.#warnedAt < WARNING_INTERVAL_MS) return;
    this.#warnedAt = now;
    this.#options.warn(reason.slice(0, MAX_REASON_LENGTH));
  }

  async #collect() {
    const times = { startTime: toHrTime(performance.timeOrigin), endTime: toHrTime(Date.now()) };
    const metrics = (await this.#options.readMetrics()).flatMap((metric) => toMetricData(metric, times));
    const scope = { name: 'winnow', version: this.#options.version };
    return {
      resourceMetrics: { resource: resourceFromAttributes({}), scopeMetrics: [{ scope, metrics }] },
      errors: [],
    };
  }
}

/** Gives the span of a request the ids that its caller and the log know. */
class RequestIds implements IdGenerator {
  next: TraceContext | undefined;

  generateTraceId(): string {
    return this.next?.traceId ?? randomBytes(16).toString('hex');
  }

  generateSpanId(): string {
    return this.next?.spanId ?? randomBytes(8).toString('hex');
  }
}

function parentOf({ traceId, parentId, flags, state }: TraceContext): Context {
  if (parentId === undefined) return ROOT_CONTEXT;
  const traceState = state === undefined ? {} : { traceState: createTraceState(state) };
  const parent = { traceId, spanId: parentId, traceFlags: Number.parseInt(flags, 16), isRemote: true, ...traceState };
  return trace.setSpanContext(ROOT_CONTEXT, parent);
}

/** Codes only: messages may contain addresses. */
function describeFailure(failure: AppError | null): Attributes {
  return failure === null ? {} : { 'error.type': failure.code, 'winnow.error_stage': failure.stage };
}

function describeStep(steps: readonly Step[], { stage, detail }: Step): Attributes {
  const error = 'error' in detail && typeof detail.error === 'string' ? { 'error.type': detail.error } : {};
  if (stage === 'request') return { ...error, 'winnow.queued_ms': findStep(steps, stage)?.detail.queued_ms };
  if (stage === 'fetch') return { ...error, 'winnow.engine': findStep(steps, stage)?.detail.engine };
  return error;
}

/** The libraries take a plain number from before the start of the process, as after a jump of the clock, for an offset. */
function toHrTime(ms: number): HrTime {
  return [Math.floor(ms / 1000), Math.round((ms % 1000) * 1e6)];
}

interface Times {
  readonly startTime: HrTime;
  readonly endTime: HrTime;
}

/** Returns nothing for a type that the service does not use. */
function toMetricData(metric: Metric, times: Times): MetricData[] {
  const descriptor = { name: metric.name, description: metric.help, unit: '', valueType: ValueType.DOUBLE };
  const shared = { descriptor, aggregationTemporality: AggregationTemporality.CUMULATIVE };
  if (metric.type === 'histogram')
    return [{ ...shared, dataPointType: DataPointType.HISTOGRAM, dataPoints: toHistograms(metric, times) }];
  const dataPoints = metric.values
    .filter(({ value }) => Number.isFinite(value))
    .map(({ value, labels }) => ({ ...times, attributes: { ...labels }, value }));
  if (metric.type === 'counter')
    return [{ ...shared, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }];
  return metric.type === 'gauge' ? [{ ...shared, dataPointType: DataPointType.GAUGE, dataPoints }] : [];
}

/** Prometheus counts each bucket with those below it. */
function toHistograms({ name, values }: Metric, times: Times): DataPoint<Histogram>[] {
  const found = new Map<string, { attributes: Attributes; bounds: number[]; totals: number[]; sum: number }>();
  for (const { metricName, labels, value } of values) {
    const { le, ...others }: Attributes = labels;
    const key = JSON.stringify(others);
    const point = found.get(key) ?? { attributes: others, bounds: [], totals: [], sum: 0 };
    found.set(key, point);
    if (metricName === `${name}_sum`) point.sum = value;
    else if (le !== undefined) {
      if (le !== '+Inf') point.bounds.push(Number(le));
      point.totals.push(value);
    }
  }
  return [...found.values()].map(({ attributes, bounds, totals, sum }) => {
    const counts = totals.map((total, index) => total - (totals[index - 1] ?? 0));
    const value = { buckets: { boundaries: bounds, counts }, count: totals.at(-1) ?? 0, sum };
    return { ...times, attributes, value };
  });
}
