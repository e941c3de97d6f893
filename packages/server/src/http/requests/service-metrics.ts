import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from '@prometheus-io/client';
import type { StageDetails } from '@winnow/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { findDoubts, findStep } from '../../domain/shared/workflow.ts';
import { reuseReading } from '../answers/static-answer.ts';
import type { FinishedRequest, ServedRequest } from '../../domain/metrics/ports.ts';

export type ServedRecorder = (request: ServedRequest) => void;

export type RequestRecorder = (request: FinishedRequest) => void;

/** The only place that counts requests. Add it to the root, so that it sees every route. */
export function addRequestRecording(app: FastifyInstance, recorders: readonly ServedRecorder[]): void {
  app.addHook('onResponse', (request, reply, done) => {
    const served = describeRequest(request, reply);
    for (const record of recorders) record(served);
    done();
  });
}

function describeRequest(request: FastifyRequest, reply: FastifyReply): ServedRequest {
  return {
    requestId: request.id,
    method: request.method,
    route: request.is404 ? 'unknown' : (request.routeOptions.url ?? 'unknown'),
    status: reply.statusCode,
    elapsedMs: reply.elapsedTime,
    failure: request.failure,
    steps: request.workflow?.steps ?? [],
    trace: request.trace,
    finished: describeFinished(request, reply),
  };
}

function describeFinished(request: FastifyRequest, reply: FastifyReply): FinishedRequest | undefined {
  const { workflow, apiKey, failure } = request;
  if (!workflow || !apiKey) return undefined;
  const fetched = findStep(workflow.steps, 'fetch');
  const extracted = findStep(workflow.steps, 'extract')?.detail;
  return {
    at: new Date(),
    projectId: apiKey.projectId,
    code: failure?.code ?? 'ok',
    stage: failure?.stage ?? null,
    engine: fetched?.status === 'ok' ? (fetched.detail.engine ?? null) : null,
    elapsedMs: reply.elapsedTime,
    judged:
      failure !== null || extracted?.confidence === undefined
        ? null
        : { confidence: extracted.confidence, warnings: findDoubts(workflow.steps) },
  };
}

/** Values read at each scrape. */
interface MetricSources {
  /** Running and queued requests. */
  readonly queue: () => { readonly running: number; readonly waiting: number; readonly expectedWaitMs: number };
  /** Pages waiting for their target site. */
  readonly hosts: () => { readonly waiting: number };
  readonly browsers: () => BrowserReadings;
  readonly workers: () => { readonly workers: number; readonly queued: number };
  /** Over all projects. */
  readonly storage: () => Promise<{ readonly snapshots: number; readonly storedBytes: number }>;
  readonly usage: () => Promise<StorageReadings>;
}

/** A label per project would create too many series. */
export interface StorageReadings {
  readonly batches: number;
  readonly batchBytes: number;
  /** Usage of the fullest project, 0 to 1; 0 without a quota. */
  readonly largestShare: number;
}

export interface BrowserReadings {
  readonly running: number;
  readonly started: number;
  readonly leases: number;
  readonly waiting: number;
  readonly killedRenderers: number;
}

/** Seconds. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120];

/** Summing scans all snapshots, so scrapes share it. */
const STORAGE_REUSE_MS = 60_000;

/** Shared by the gauges of one scrape. */
const USAGE_REUSE_MS = 1000;

/** The default of 100 would wake an idle process ten times a second. */
const UTILIZATION_INTERVAL_MS = 1000;

type Reading = readonly [name: string, help: string, read: () => number | Promise<number>];

/** Metrics in the format of Prometheus, at `GET /metrics`. */
export class ServiceMetrics {
  readonly #registry = new Registry();
  readonly #requests: Counter<'method' | 'route' | 'status'>;
  readonly #duration: Histogram<'route'>;
  readonly #errors: Counter<'code' | 'stage'>;
  readonly #stages: Histogram<'stage' | 'status'>;
  readonly #queueWait: Histogram;
  readonly #captures: Counter<'engine' | 'outcome'>;
  readonly #refusals: Counter;
  readonly #templates: Counter<'outcome'>;

  constructor(sources: MetricSources) {
    const registers = [this.#registry];
    const count = <T extends string>(name: string, help: string, labelNames: T[] = []) =>
      new Counter({ name, help, labelNames, registers });
    const measure = <T extends string>(name: string, help: string, labelNames: T[] = []) =>
      new Histogram({ name, help, labelNames, buckets: BUCKETS, registers });
    this.#requests = count('winnow_requests_total', 'Requests by route and status', ['method', 'route', 'status']);
    this.#duration = measure('winnow_request_duration_seconds', 'Time from arrival to answer', ['route']);
    this.#errors = count('winnow_errors_total', 'Requests that failed, by error code and stage', ['code', 'stage']);
    this.#stages = measure('winnow_stage_duration_seconds', 'Time in each stage', ['stage', 'status']);
    this.#queueWait = measure('winnow_queue_wait_seconds', 'Time that requests waited in the queue');
    this.#captures = count('winnow_engine_attempts_total', 'Captures tried by engine', ['engine', 'outcome']);
    this.#refusals = count('winnow_egress_refusals_total', 'Targets that the egress policy refused');
    this.#templates = count('winnow_template_pages_total', 'Pages that a template matched', ['outcome']);
    for (const [name, help, collect] of listReadings(sources)) addGauge(this.#registry, name, help, collect);
    // Event loop, CPU time, memory, handles.
    collectDefaultMetrics({ register: this.#registry, eventLoopUtilizationTimeout: UTILIZATION_INTERVAL_MS });
  }

  record(request: ServedRequest): void {
    const { method, route, status, failure, steps } = request;
    this.#requests.inc({ method, route, status: String(status) });
    this.#duration.observe({ route }, request.elapsedMs / 1000);
    if (failure) this.#errors.inc({ code: failure.code, stage: failure.stage });
    if (failure?.code === 'egress_denied' || failure?.code === 'url_not_allowed') this.#refusals.inc();
    for (const { stage, status: outcome, elapsedMs } of steps) {
      if (outcome !== 'skipped') this.#stages.observe({ stage, status: outcome }, elapsedMs / 1000);
    }
    const queuedMs = findStep(steps, 'request')?.detail.queued_ms;
    if (queuedMs !== undefined) this.#queueWait.observe(queuedMs / 1000);
    const fetched = findStep(steps, 'fetch')?.detail;
    if (fetched?.blocked_requests) this.#refusals.inc(fetched.blocked_requests.length);
    for (const { engine, outcome } of fetched?.engine_attempts ?? []) this.#captures.inc({ engine, outcome });
    const outcome = readTemplateOutcome(findStep(steps, 'extract')?.detail ?? {});
    if (outcome !== undefined) this.#templates.inc({ outcome });
  }

  read(): ReturnType<Registry['getMetricsAsJSON']> {
    return this.#registry.getMetricsAsJSON();
  }

  addRoute(app: FastifyInstance): void {
    app.get('/metrics', async (_request, reply) => {
      void reply.header('Cache-Control', 'no-store').type(this.#registry.contentType);
      return this.#registry.metrics();
    });
  }
}

/** `failed`: the generic extractor answered; `incomplete`: it supplied a part. Undefined if no template matched. */
function readTemplateOutcome({
  fallback,
  from_generic: supplied,
}: StageDetails['extract']): 'served' | 'incomplete' | 'failed' | undefined {
  if (fallback !== undefined) return 'failed';
  if (supplied === undefined) return undefined;
  return Object.keys(supplied).length > 0 ? 'incomplete' : 'served';
}

function listReadings(sources: MetricSources): Reading[] {
  const storage = reuseReading(sources.storage, STORAGE_REUSE_MS);
  const usage = reuseReading(sources.usage, USAGE_REUSE_MS);
  return [
    ['winnow_requests_running', 'Requests that are running', () => sources.queue().running],
    ['winnow_queue_length', 'Requests that wait in the queue', () => sources.queue().waiting],
    [
      'winnow_queue_expected_wait_seconds',
      'Expected wait of a new request',
      () => sources.queue().expectedWaitMs / 1000,
    ],
    ['winnow_host_queue_length', 'Pages that wait for their target site', () => sources.hosts().waiting],
    ['winnow_browsers', 'Running browsers', () => sources.browsers().running],
    ['winnow_browsers_started', 'Browsers started so far', () => sources.browsers().started],
    ['winnow_browser_leases', 'Captures that run in browsers', () => sources.browsers().leases],
    ['winnow_browser_queue_length', 'Captures that wait for a browser', () => sources.browsers().waiting],
    [
      'winnow_renderers_killed',
      'Renderers ended for their memory or processor time so far',
      () => sources.browsers().killedRenderers,
    ],
    ['winnow_worker_threads', 'Processes that extract', () => sources.workers().workers],
    ['winnow_worker_queue_length', 'Pages that wait for a worker', () => sources.workers().queued],
    ['winnow_snapshots', 'Snapshots stored', async () => (await storage()).snapshots],
    ['winnow_snapshot_bytes', 'Bytes as stored of all snapshots', async () => (await storage()).storedBytes],
    ['winnow_batches', 'Batches stored', async () => (await usage()).batches],
    ['winnow_batch_bytes', 'Bytes of all batches, their items and results', async () => (await usage()).batchBytes],
    [
      'winnow_storage_quota_used_ratio',
      'Largest share of its storage quota that a project uses',
      async () => (await usage()).largestShare,
    ],
  ];
}

function addGauge(registry: Registry, name: string, help: string, read: Reading[2]): void {
  const gauge = new Gauge({
    name,
    help,
    registers: [],
    // An unreadable value is omitted: during a failure the others matter most.
    async collect() {
      try {
        this.set(await read());
      } catch {
        this.remove();
      }
    },
  });
  registry.registerMetric(gauge);
}
