/** The composition root: makes the parts from the configuration, wires them, and ends them in order. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { buildApp } from '../http/app.ts';
import {
  basePathOf,
  projectStorageQuota,
  resolveDataDir,
  startsBrowsers,
  workerThreadCount,
} from '../config/config.ts';
import type { Config } from '../config/config.ts';
import { AbortBroadcaster } from '../domain/shared/abort-broadcaster.ts';
import { Passwords } from '../domain/accounts/passwords.ts';
import { prepareFirstStart } from '../domain/keys/first-start.ts';
import type { FirstStart } from '../domain/keys/first-start.ts';
import { createCaptureJudge } from '../domain/extraction/judge-capture.ts';
import { RememberingExtractor } from '../domain/extraction/remember-extractions.ts';
import { shuttingDown } from '../domain/shared/shutting-down.ts';
import { ProjectQuota } from '../domain/storage/project-quota.ts';
import { SiteTemplates } from '../domain/templates/site-templates.ts';
import { SnapshotPageReader } from '../domain/templates/snapshot-page-reader.ts';
import { createRecentHostMemory } from '../engines/auto/recent-host-memory.ts';
import { createShellJudge } from '../engines/auto/shell-judge.ts';
import type { EngineFetcher, FetcherCheck } from '../engines/create-fetcher.ts';
import { lacksSandbox } from '../engines/chromium/browsers/launch-browser.ts';
import { allowHeapGrowth, keepPagesYoung, leaveThreadsTheirLimits, releaseStartMemory } from './process/heap.ts';
import type { ReadinessChecks } from '../http/routes/health-routes.ts';
import { openAdmission } from './open-admission.ts';
import { openBatches } from './open-batches.ts';
import type { Admission } from './open-admission.ts';
import { startSelfTest } from './self-test/open-self-test.ts';
import type { SelfTest } from './self-test/open-self-test.ts';
import { openMetrics } from './open-metrics.ts';
import { openConsole } from './open-console.ts';
import { openDocuments } from './open-documents.ts';
import { openFetcher } from './open-fetcher.ts';
import { openReach } from './open-reach.ts';
import { openSecrets } from './open-secrets.ts';
import { openSnapshots } from './open-snapshots.ts';
import { openStorage } from './open-storage.ts';
import type { Storage } from './open-storage.ts';
import { explainStart, listenOrExplain } from './process/start-error.ts';
import { BodyParserThread } from '../workers/body-parser-thread.ts';
import { PasswordThreads } from '../workers/password-threads.ts';
import { noteAddress } from '../store/data-folder-lock.ts';
import { warmParts } from './warm-parts.ts';
import { WorkerExtractor } from '../workers/worker-extractor.ts';
import { WorkerPool } from '../workers/worker-pool.ts';
import { WorkerTemplates } from '../workers/worker-templates.ts';

/** A running service. */
export interface Service {
  /** Address that it listens on. */
  readonly url: string;
  readonly app: FastifyInstance;
  /** Project and keys that were just created; they can be shown once. Undefined on later starts. */
  readonly firstStart: FirstStart | undefined;
  /** One-time link that creates the first administrator of the console; undefined once there is one. */
  readonly setupUrl: string | undefined;
  /** Starts what the first page needs: a thread that has extracted a page, the snapshots' thread, a browser. */
  warmUp(): Promise<void>;
  /** Stops accepting, lets running requests finish within the grace, and closes every part. Idempotent. */
  close(): Promise<void>;
}

type Closer = () => Promise<void> | void;

const NO_SANDBOX = 'Chromium runs without its sandbox, because the service runs as root: run it as another user';

/** Milliseconds that Node may take to receive a whole request; a caller who dribbles loses the connection. */
const REQUEST_TIMEOUT_MS = 60_000;

/**
 * Opens every part and listens. What was opened is closed again when a later step fails.
 * @throws {StartError} that says what to do, where whoever starts it can repair it
 */
export async function startService(config: Config, logger: Logger): Promise<Service> {
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
    return await open(config, logger, opened, closeAll);
  } catch (error) {
    await closeAll();
    throw explainStart(error);
  }
}

async function open(config: Config, logger: Logger, opened: Closer[], closeAll: () => Promise<void>): Promise<Service> {
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
    learning: store.learning,
    worker: templateWorker,
    extractor: extraction.extractor,
    pages: new SnapshotPageReader(store.snapshots, content),
    owner: node,
    minConfidence: config.minConfidence,
    logger,
  });
  opened.push(() => templates.close());
  const judge = createCaptureJudge(extraction.extractor, createShellJudge(extraction.worker), templates);
  const documents = openDocuments(config);
  opened.push(() => documents.close());
  const memory = createRecentHostMemory(store.hostMemory);
  const fetcher = openFetcher(config, { judge, memory, documents, logger });
  opened.push(() => fetcher.close());
  if (startsBrowsers(config) && lacksSandbox()) logger.warn({}, NO_SANDBOX);
  const admission = openAdmission(config, {
    fetcher,
    shared: store.shared,
    node,
    onError: warn(logger, 'turns at sites'),
  });
  opened.push(() => admission.hosts.close());
  const stop = new AbortController();
  const stopBroadcaster = new AbortBroadcaster(stop.signal);
  let stopping = false;
  const pages = {
    ...store,
    content,
    fetcher: admission.fetcher,
    filter: extraction.worker,
    templates,
    urlPolicy: fetcher,
    projectEgress: config.projectEgress,
    requestProxies: new Set(config.requestProxies),
    storage: new ProjectQuota(store.usage, projectStorageQuota(config)),
    fetchTimeoutMs: config.fetchTimeoutMs,
    minConfidence: config.minConfidence,
  };
  const batches = openBatches(config, { store, pages, logger, admission, secrets: openSecrets(config) });
  opened.push(() => batches.close());
  const served = config.respectRobots ? { ...pages, fetcher: batches.robotsFetcher } : pages;
  const settings = routeSettings(config, admission);
  const passwordThreads = new PasswordThreads();
  opened.push(() => passwordThreads.close());
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
    },
    folder: CONSOLE_FOLDER,
    browserPool: () => readPool(fetcher),
    stop: stopBroadcaster,
  });
  opened.push(() => consoleRoom.close());
  const selfTest = config.selfTest ? startSelfTest(config, logger) : undefined;
  opened.push(async () => selfTest?.close());
  const metrics = openMetrics({ store, storage: pages.storage, fetcher, admission, pool: extraction.pool });
  const basePath = config.baseUrl === null ? '' : basePathOf(config.baseUrl);
  const largeBodies = new BodyParserThread();
  opened.push(() => largeBodies.close());
  const app = buildApp({
    ...served,
    maxPageBytes: config.maxPageBytes,
    largeBodies,
    batchRoutes: batches.routes,
    settings,
    quota: admission.quota,
    plugins: [consoleRoom.plugin, (room) => metrics.addRoute(room)],
    keyedPlugins: openReach(config, { pages: served, extractor: extraction.extractor, settings, version }),
    recorders: [
      ({ finished }) => {
        if (finished) consoleRoom.recordRequest(finished);
      },
      (request) => metrics.record(request),
    ],
    requestLog: { mode: config.requestLog, log: consoleRoom.logRequest },
    version,
    servers: publicServers(config),
    basePath,
    consoleUrl: config.consoleUrl ?? `${basePath}/console`,
    logger,
    readiness: readinessChecks({ store, content }, fetcher, extraction, selfTest),
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
  // All addresses of IPv6 are none to go to; for those of IPv4 Fastify names one.
  const url = listening.replace('//[::]:', '//[::1]:');
  noteAddress(resolveDataDir(config), url);
  batches.start();
  const setupUrl = await consoleRoom.start(url);
  // Last, since its keys are shown this once: a start that fails must not have made them.
  const firstStart = await makeFirstStart(config, store);
  const close = onlyOnce(closeAll);
  releaseStartMemory();
  const warmUp = async (): Promise<void> => {
    if (config.keepWarmMs > 0) await warmParts({ extractor: extraction.worker, content, fetcher, logger });
  };
  return { url, app, firstStart, setupUrl, warmUp, close };
}

/** Opens the snapshots for itself: their thread ends with the start, where that of the service would wait for a minute. */
async function makeFirstStart(config: Config, store: Storage['store']): Promise<FirstStart | undefined> {
  const snapshots = await openSnapshots(config);
  try {
    return await prepareFirstStart({ ...store, content: snapshots.content });
  } finally {
    // The keys are shown this once, whatever becomes of the thread.
    await snapshots.close().catch(() => {});
  }
}

/** The extraction: threads, and the extractor over them. */
interface Extraction {
  readonly pool: WorkerPool;
  readonly worker: WorkerExtractor;
  readonly extractor: RememberingExtractor;
}

function openExtraction(config: Config): Extraction {
  const pool = new WorkerPool({
    threads: workerThreadCount(config),
    memoryBytes: config.workerMemoryBytes,
    maxQueue: config.maxQueue,
    ...(config.keepWarmMs > 0 ? { idleTimeoutMs: config.keepWarmMs } : {}),
  });
  const worker = new WorkerExtractor(pool);
  return { pool, worker, extractor: new RememberingExtractor(worker) };
}

/** What `GET /readyz` looks at. */
function readinessChecks(
  { store, content }: Storage,
  fetcher: EngineFetcher,
  extraction: Extraction,
  selfTest: SelfTest | undefined,
): ReadinessChecks {
  return {
    database: async () => (await store.check(), 'answers'),
    snapshots: async () => (await content.check(), 'can be written'),
    browser: async () => summarizeEngines(await fetcher.check()),
    worker: async () => extraction.worker.check(),
    ...(selfTest ? { engines: () => selfTest.check() } : {}),
  };
}

/** Every engine must be able to work; the detail names those that cannot. */
function summarizeEngines(checks: readonly FetcherCheck[]): string {
  const broken = checks.filter((check) => !check.ok);
  if (broken.length > 0) throw new Error(broken.map(({ engine, detail }) => `${engine}: ${detail}`).join('; '));
  return checks.at(-1)?.detail ?? 'no engines';
}

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** The browser pool as the console's overview shows it. */
function readPool(fetcher: EngineFetcher): { running: number; busy: number; waiting: number } {
  const { slots, local, cdp } = fetcher.stats();
  return { running: local.browsers + cdp.browsers, busy: slots.active, waiting: slots.waiting };
}

/** Where `vite build` puts the console. */
const CONSOLE_FOLDER = fileURLToPath(new URL('../../../console/dist', import.meta.url));

/** The addresses that the documentation names. */
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
    trustedProxies: config.trustedProxies,
    admission: admission.queue,
    quota: admission.quota,
    maxWaitMs: config.maxWaitMs,
  };
}

/** Time that answers to requests that were cut off have to get out, in milliseconds. */
const FAREWELL_MS = 2000;

/**
 * Stops accepting and waits for what runs. When the grace is over, what still runs is ended with an
 * answer; connections that are open even then, such as those of callers who never finish, are cut.
 */
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

function warn(logger: Logger, message: string): (error: unknown) => void {
  return (error) => logger.warn({ err: error }, message);
}
