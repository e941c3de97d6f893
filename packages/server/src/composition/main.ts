/** Composition root: builds the parts, connects them and closes them in order. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { buildApp } from '../http/app.ts';
import { basePathOf, projectStorageQuota, resolveDataDir, startsBrowsers, type Config } from '../config/config.ts';
import { workerMemoryBytes, workerThreadCount } from '../config/machine.ts';
import { AbortBroadcaster } from '../domain/shared/time-limit.ts';
import { Passwords } from '../domain/accounts/passwords.ts';
import { prepareFirstStart, type FirstStart } from '../domain/keys/first-start.ts';
import { createDumpJudge, createHtmlJudge } from '../domain/extraction/judge-capture.ts';
import type { StoredContent } from '../domain/storage/attachments.ts';
import { shuttingDown } from '../domain/shared/errors.ts';
import { ProjectQuota } from '../domain/storage/project-quota.ts';
import { SiteTemplates } from '../domain/templates/site-templates.ts';
import { createRecentHostMemory } from '../engines/auto/host-memory.ts';
import { createShellJudge } from '../domain/shells/judge-shell.ts';
import type { EngineFetcher, FetcherCheck } from '../engines/create-fetcher.ts';
import { whyNoSandbox } from '../engines/chromium/browsers/launch-browser.ts';
import { allowHeapGrowth, keepPagesYoung, leaveThreadsTheirLimits } from './process/heap.ts';
import type { ReadinessChecks } from '../http/routes/health-routes.ts';
import { uploadBodyLimit } from '../http/routes/snapshot-routes.ts';
import { openContentReads } from '../http/routes/read-in-turn.ts';
import { openAdmission, type Admission } from './open-admission.ts';
import { openAlerts } from './open-alerts.ts';
import { openBatches } from './open-batches.ts';
import { joinFaults } from './self-test/check.ts';
import { startSelfTest, type SelfTest } from './self-test/open-self-test.ts';
import { openMetrics, openTelemetry, readBrowsers, readExports, readLoad } from './open-metrics.ts';
import { openConsole } from './open-console.ts';
import { openFetcher, openDocuments, openEgress } from './open-fetcher.ts';
import { openReach } from './open-reach.ts';
import { putInThisThread } from './open-snapshots.ts';
import { openStorage, openSecrets, type Storage } from './open-storage.ts';
import { explainStart, listenOrExplain } from './process/start-error.ts';
import { BodyParserThread } from '../workers/body-parser-thread.ts';
import { PasswordThreads } from '../workers/password-threads.ts';
import { noteAddress } from '../store/data-folder-lock.ts';
import { warmParts } from './warm-parts.ts';
import type { EarlierCrawls } from '../domain/crawls/crawl-ports.ts';
import { WorkerExtractor } from '../workers/worker-extractor.ts';
import { WorkerPool } from '../workers/worker-pool.ts';
import { WorkerTemplates } from '../workers/worker-templates.ts';

export interface Service {
  readonly url: string;
  readonly app: FastifyInstance;
  /** Newly created project and keys, shown once. Undefined on later starts. */
  readonly firstStart: FirstStart | undefined;
  /** One-time link for the first administrator; undefined once there is one. */
  readonly setupUrl: string | undefined;
  /** Starts a worker and a browser, if so configured; `/readyz` is 503 until it has ended. */
  warmUp(): Promise<void>;
  /** Logs what makes the service less safe. Call it after the keys are shown, which it would push away. */
  warn(): void;
  /** Lets running requests finish within the grace period. Idempotent. */
  close(): Promise<void>;
}

type Closer = () => Promise<void> | void;

/** For a whole request; cuts off slow senders. */
const REQUEST_TIMEOUT_MS = 60_000;

/**
 * Closes opened parts when a later step fails.
 * @param earlier crawls to compare with; default: those in the store
 * @throws {StartError} with advice
 */
export async function startService(config: Config, logger: Logger, earlier?: EarlierCrawls): Promise<Service> {
  const opened: Closer[] = [];
  const closeAll = async (): Promise<void> => {
    for (const close of opened.toReversed()) {
      try {
        await close();
      } catch (error) {
        logger.error({ err: error }, 'closing a part failed');
      }
    }
  };
  try {
    return await open(config, { logger, earlier }, opened, closeAll);
  } catch (error) {
    await closeAll();
    throw explainStart(error);
  }
}

async function open(
  config: Config,
  { logger, earlier }: { readonly logger: Logger; readonly earlier: EarlierCrawls | undefined },
  opened: Closer[],
  closeAll: () => Promise<void>,
): Promise<Service> {
  const keep = <T extends { close(): Promise<void> | void }>(part: T): T => {
    opened.push(() => part.close());
    return part;
  };
  allowHeapGrowth();
  keepPagesYoung();
  leaveThreadsTheirLimits();
  const node = randomUUID();
  const { store, content } = await openStorage(config, { logger, node, onOpened: (close) => opened.push(close) });
  const extraction = openExtraction(config);
  opened.push(() => extraction.pool.close());
  const templateWorker = new WorkerTemplates(extraction.pool);
  const templates = new SiteTemplates({
    templates: store.siteTemplates,
    notes: store.siteNotes,
    projects: store.projects,
    worker: templateWorker,
    extractor: extraction.worker,
    minConfidence: config.minConfidence,
    logger,
  });
  opened.push(() => templates.close());
  const judgeHtml = createHtmlJudge(createShellJudge(extraction.worker));
  const documents = keep(openDocuments(config));
  const memory = createRecentHostMemory(store.hostMemory);
  const egress = keep(openEgress(config));
  const fetcher = keep(openFetcher(config, { egress, memory, documents, logger }));
  const admission = openAdmission(config, {
    fetcher,
    shared: store.shared,
    node,
    onError: warn(logger, 'host rate limiter'),
  });
  opened.push(() => admission.hosts.close());
  const stop = new AbortController();
  const stopBroadcaster = new AbortBroadcaster(stop.signal);
  let stopping = false;
  let started = false;
  const pages = {
    ...store,
    content,
    fetcher: admission.fetcher,
    filter: extraction.worker,
    extractor: extraction.worker,
    judgeHtml,
    judgeDump: createDumpJudge(judgeHtml, extraction.worker),
    templates,
    urlPolicy: fetcher,
    projectEgress: config.projectEgress,
    requestProxies: new Set(config.requestProxies),
    storage: new ProjectQuota(store.usage, projectStorageQuota(config)),
    fetchTimeoutMs: config.fetchTimeoutMs,
    minConfidence: config.minConfidence,
  };
  const secrets = openSecrets(config);
  const batches = keep(
    openBatches(config, {
      store,
      earlier,
      pages,
      crawlWorker: extraction.worker,
      logger,
      admission,
      egress,
      secrets,
      onFinished: (item) => consoleRoom.recordItem(item),
    }),
  );
  const alerts = keep(openAlerts(config, { store, pages, egress, secrets, logger, node }));
  const served = config.respectRobots ? { ...pages, fetcher: batches.robotsFetcher } : pages;
  const settings = routeSettings(config, admission);
  const mapping = { ...served, sitemaps: batches.sitemaps, hosts: admission.hosts };
  const passwordThreads = keep(new PasswordThreads());
  const selfTest = config.selfTest ? startSelfTest(config, logger) : undefined;
  opened.push(async () => selfTest?.close());
  const readiness = readinessChecks({ store, content }, fetcher, extraction, { selfTest, hasStarted: () => started });
  const consoleRoom = openConsole({
    store,
    passwords: new Passwords(passwordThreads),
    pages: served,
    previewRenderer: extraction.worker,
    settings,
    version,
    logger,
    siteTemplates: {
      repository: store.siteTemplates,
      notes: store.siteNotes,
      examples: store.siteExamples,
      worker: templateWorker,
      snapshots: store.snapshots,
      content,
      onChange: () => templates.forget(),
    },
    addresses: config,
    retentionAgeMs: config.retentionAgeMs,
    requestLog: {
      mode: config.requestLog,
      maxAgeMs: config.requestLogAgeMs,
      maxRows: config.requestLogRows,
      maxBytes: Math.min(MOST_LOG_BYTES, SHARE_OF_LOG * (projectStorageQuota(config) ?? Infinity)),
    },
    folder: CONSOLE_FOLDER,
    batches: batches.routes,
    alerts: alerts.deps,
    readiness,
    load: () => readLoad({ fetcher, admission, pool: extraction.pool }, resolveDataDir(config)),
    browserPool: () => {
      const { running, leases: busy, waiting } = readBrowsers(fetcher);
      return { running, busy, waiting };
    },
    stop: stopBroadcaster,
  });
  opened.push(() => consoleRoom.close());
  const metrics = openMetrics({ store, storage: pages.storage, fetcher, admission, pool: extraction.pool });
  const telemetry = await openTelemetry(config, { metrics, version, node, logger });
  opened.push(async () => telemetry?.close());
  const basePath = config.baseUrl === null ? '' : basePathOf(config.baseUrl);
  const largeBodies = keep(new BodyParserThread());
  const oauth = { ...store.accounts, projects: store.projects, keys: store.keys, settings: store.settings };
  const reach = openReach(config, { pages: served, batches: batches.routes, mapping, settings, oauth, version });
  const app = buildApp({
    ...served,
    maxPageBytes: config.maxPageBytes,
    largeBodies,
    batchRoutes: batches.routes,
    settings,
    quota: admission.quota,
    largeWork: admission.largeWork,
    plugins: [consoleRoom.plugin, (room) => metrics.addRoute(room), ...reach.plugins],
    keyedPlugins: reach.keyedPlugins,
    recorders: [
      ({ finished }) => {
        if (finished) consoleRoom.recordRequest(finished);
      },
      (request) => metrics.record(request),
      ...(telemetry === undefined ? [] : [telemetry.record.bind(telemetry)]),
    ],
    exportsTraces: readExports(config).traces,
    requestLog: { mode: config.requestLog, log: consoleRoom.logRequest },
    version,
    servers: publicServers(config),
    basePath,
    consoleUrl: config.consoleUrl ?? `${basePath}/console`,
    logger,
    readiness,
    stop: stopBroadcaster,
    isStopping: () => stopping,
  });
  opened.push(async () => {
    stopping = true;
    admission.queue.close(shuttingDown());
    await finishWithin(app, config.shutdownGraceMs, stop);
  });
  app.server.requestTimeout = REQUEST_TIMEOUT_MS;
  const { host, port } = config;
  const listening = await listenOrExplain(() => app.listen({ host, port }), `${host}:${port}`);
  // Fastify replaces the wildcard address itself only for IPv4.
  const url = listening.replace('//[::]:', '//[::1]:');
  noteAddress(resolveDataDir(config), url);
  batches.start();
  alerts.start();
  const setupUrl = await consoleRoom.start(url);
  // Last: a failed start must not have created keys, which are shown once.
  const firstStart = await makeFirstStart(config, { store, content });
  const close = onlyOnce(closeAll);
  const warmUp = async (): Promise<void> => {
    if (config.keepWarmMs > 0) await warmParts({ extractor: extraction.worker, content, fetcher, logger });
    started = true;
  };
  started = config.keepWarmMs === 0;
  return { url, app, firstStart, setupUrl, warmUp, warn: () => warnAboutSandbox(config, logger), close };
}

function makeFirstStart(config: Config, { store, content }: Storage): Promise<FirstStart | undefined> {
  const put = (html: string): Promise<StoredContent> =>
    config.s3Bucket === null ? putInThisThread(config, html) : content.put(html);
  return prepareFirstStart({ ...store, content: { put } });
}

function openExtraction(config: Config) {
  const pool = new WorkerPool({
    workers: workerThreadCount(config),
    memoryBytes: workerMemoryBytes(config),
    maxQueue: config.maxQueue,
    ...(config.keepWarmMs > 0 ? { idleTimeoutMs: config.keepWarmMs } : {}),
  });
  return { pool, worker: new WorkerExtractor(pool) };
}

function readinessChecks(
  { store, content }: Storage,
  fetcher: EngineFetcher,
  extraction: ReturnType<typeof openExtraction>,
  { selfTest, hasStarted }: { readonly selfTest: SelfTest | undefined; readonly hasStarted: () => boolean },
): ReadinessChecks {
  return {
    start: async () => {
      if (!hasStarted()) throw new Error('the service is still starting');
      return 'finished';
    },
    database: async () => (await store.check(), 'answers'),
    snapshots: async () => (await content.check(), 'can be written'),
    browser: async () => summarizeEngines(await fetcher.check()),
    worker: async () => extraction.worker.check(),
    ...(selfTest ? { engines: () => selfTest.check() } : {}),
  };
}

function summarizeEngines(checks: readonly FetcherCheck[]): string {
  const broken = joinFaults(checks.map(({ engine, ...check }) => ({ name: engine, ...check }))).filter(({ ok }) => !ok);
  if (broken.length > 0) throw new Error(broken.map(({ name, detail }) => `${name}: ${detail}`).join('; '));
  return checks.at(-1)?.detail ?? 'no engines';
}

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

const CONSOLE_FOLDER = fileURLToPath(new URL('../../../console/dist', import.meta.url));

function publicServers(config: Config): { url: string; description: string }[] {
  const region = config.region === null ? '' : ` (${config.region})`;
  return [
    ...(config.baseUrl === null ? [] : [{ url: config.baseUrl, description: `This deployment${region}` }]),
    ...(config.baseUrlOverseas === null ? [] : [{ url: config.baseUrlOverseas, description: 'Overseas access' }]),
  ];
}

function routeSettings(config: Config, admission: Admission) {
  return {
    limits: { maxTimeoutMs: config.maxTimeoutMs, maxUrlLength: config.maxUrlLength },
    engineFamily: config.engineFamily,
    dumpTimeoutMs: config.dumpTimeoutMs,
    stageTimeoutMs: config.stageTimeoutMs,
    maxBodyBytes: config.maxBodyBytes,
    bodyLimits: {
      WINNOW_BATCH_MAX_BODY_BYTES: config.batchMaxBodyBytes,
      WINNOW_MAX_PAGE_BYTES: uploadBodyLimit(config.maxPageBytes),
    },
    trustedProxies: config.trustedProxies,
    admission: admission.queue,
    contentReads: openContentReads(),
    quota: admission.quota,
    maxWaitMs: config.maxWaitMs,
  };
}

/** Of the request log of a project, which counts towards its quota. */
const MOST_LOG_BYTES = 256 * 1024 * 1024;
const SHARE_OF_LOG = 0.1;

/** For error responses to cut-off requests. */
const FAREWELL_MS = 2000;

/** Stops accepting and waits. After the grace period running requests get an error; then connections are cut. */
async function finishWithin(app: FastifyInstance, graceMs: number, stop: AbortController): Promise<void> {
  const timers = [
    setTimeout(() => stop.abort(shuttingDown()), graceMs),
    setTimeout(() => app.server.closeAllConnections(), graceMs + FAREWELL_MS),
  ];
  try {
    await app.close();
  } finally {
    for (const timer of timers) clearTimeout(timer);
  }
}

function onlyOnce(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => (running ??= work());
}

function warnAboutSandbox(config: Config, logger: Logger): void {
  const why = startsBrowsers(config) ? whyNoSandbox(config.chromiumSandbox === 'off') : undefined;
  if (why === undefined) return;
  const advice = why.endsWith('root')
    ? 'run it as another user'
    : 'pages of strangers run with the rights of the service';
  logger.warn({}, `Chromium runs without its sandbox, because ${why}: ${advice}`);
}

function warn(logger: Logger, message: string): (error: unknown) => void {
  return (error) => logger.warn({ err: error }, message);
}
