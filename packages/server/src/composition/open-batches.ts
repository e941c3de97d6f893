import { randomUUID } from 'node:crypto';
import { batchRetentionAge, type Config } from '../config/config.ts';
import { BatchRunner, ItemQuota } from '../domain/batches/batch-runner.ts';
import { RobotsFetcher } from '../domain/batches/robots-fetcher.ts';
import { describeItemFailure, runBatchItem } from '../domain/batches/run-batch-item.ts';
import type { BatchLinePresenter, RunBatchItemDeps } from '../domain/batches/run-batch-item.ts';
import { WebhookCaller } from '../domain/batches/webhook-caller.ts';
import type { ExtractPageDeps } from '../domain/extraction/extract-page.ts';
import type { EarlierCrawls, TextDiffer } from '../domain/crawls/crawl-ports.ts';
import type { LinkReader } from '../domain/extraction/extraction-ports.ts';
import type { Fetcher } from '../domain/capture/capture-ports.ts';
import type { FinishedItem } from '../domain/metrics/ports.ts';
import type { Logger } from '../domain/shared/ports.ts';
import type { SitemapReader } from '../domain/mapping/map-site.ts';
import type { Egress } from '../egress/egress.ts';
import { presentError, presentExtract } from '../http/answers/present.ts';
import type { BatchRouteDeps } from '../http/routes/batch-routes.ts';
import type { SecretBox } from '../domain/shared/secrets.ts';
import type { Admission } from './open-admission.ts';
import { RobotsTxt } from '../outbound/robots.ts';
import { Sitemaps } from '../outbound/sitemaps.ts';
import { SignedWebhooks } from '../outbound/webhooks.ts';
import type { Store } from '../store/open-store.ts';

export interface OpenBatchesParts {
  readonly store: Store;
  readonly pages: ExtractPageDeps;
  readonly crawlWorker: LinkReader & TextDiffer;
  /** Default: crawls in the store. */
  readonly earlier?: EarlierCrawls | undefined;
  readonly logger: Logger;
  /** Batches share slots with all other work. */
  readonly admission: Admission;
  readonly egress: Egress;
  readonly secrets: SecretBox | undefined;
  readonly onFinished: (item: FinishedItem) => void;
}

export interface OpenedBatches {
  readonly routes: BatchRouteDeps;
  readonly runner: BatchRunner;
  /** Follows robots.txt. */
  readonly robotsFetcher: Fetcher;
  readonly sitemaps: SitemapReader;
  start(): void;
  close(): Promise<void>;
}

const TIDY_MS = 60 * 60 * 1000;

export function openBatches(config: Config, parts: OpenBatchesParts): OpenedBatches {
  const { store, pages, logger, egress, earlier = store.batches } = parts;
  const { projectEgress, urlPolicy } = pages;
  const outbound = { egress, userAgent: config.userAgent };
  const robots = new RobotsTxt({ ...outbound, agent: config.robotsAgent });
  const robotsFetcher = new RobotsFetcher(pages.fetcher, robots);
  const sitemaps = new Sitemaps(outbound);
  const items: RunBatchItemDeps = {
    pages,
    linkReader: parts.crawlWorker,
    comparing: { earlier, differ: parts.crawlWorker },
    robotsFetcher,
    robots,
    mapping: { sitemaps, hosts: parts.admission.hosts },
    queue: parts.admission.queue,
    secrets: parts.secrets,
    stageTimeoutMs: config.stageTimeoutMs,
    presenter: createPresenter(config.engineFamily),
  };
  const runner = new BatchRunner({
    batches: store.batches,
    queue: store.batchQueue,
    owner: randomUUID(),
    // Only one process can serve a data folder.
    isAlone: config.databaseUrl === null,
    concurrency: config.batchConcurrency,
    quota: new ItemQuota(parts.admission.quota),
    logger,
    describeFailure: (item, error) => describeItemFailure(items, item, error),
    onFinished: ({ projectId }, { failed, judged }) =>
      parts.onFinished({ at: new Date(), projectId, failed, judged: judged ?? null }),
    runItem: (item, signal) => runBatchItem(items, item, signal),
  });
  const webhooks = new WebhookCaller({
    batches: store.batches,
    webhooks: store.batchWebhooks,
    secrets: parts.secrets,
    sender: new SignedWebhooks({ ...outbound, projectEgress }),
    logger,
  });
  const tidying = setInterval(() => {
    store.batches
      .forgetBefore(new Date(Date.now() - batchRetentionAge(config)))
      .catch((error: unknown) => logger.warn({ err: error }, 'tidying batches failed'));
  }, TIDY_MS).unref();
  return {
    runner,
    robotsFetcher,
    sitemaps,
    routes: {
      batches: store.batches,
      earlier,
      urlPolicy,
      projectEgress,
      requestProxies: pages.requestProxies,
      storage: pages.storage,
      secrets: parts.secrets,
      onBatch: () => runner.wake(),
    },
    start() {
      runner.start();
      webhooks.start();
    },
    async close() {
      clearInterval(tidying);
      await Promise.all([runner.close(), webhooks.close()]);
    },
  };
}

function createPresenter(engineFamily: string): BatchLinePresenter {
  return {
    page: (page, context) => {
      const { template_id, result, metadata } = presentExtract(page, { ...context, engineFamily }, { steps: false });
      return { template_id, result, metadata };
    },
    error: presentError,
  };
}
