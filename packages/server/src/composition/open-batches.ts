import { randomUUID } from 'node:crypto';
import type { BatchLine } from '@winnow/contract';
import { batchRetentionAge } from '../config/config.ts';
import type { Config } from '../config/config.ts';
import { runOnBehalf } from '../domain/admission/current-tenant.ts';
import type { ClaimedItem, ItemResult } from '../domain/batches/batch-ports.ts';
import { BatchRunner } from '../domain/batches/batch-runner.ts';
import { ItemQuota } from '../domain/batches/item-quota.ts';
import { RobotsFetcher } from '../domain/batches/robots-fetcher.ts';
import { WebhookCaller } from '../domain/batches/webhook-caller.ts';
import type { AppError } from '../domain/shared/errors.ts';
import { pickContentOptions } from '../domain/request-options/content-options.ts';
import { extractPage, prepareExtract } from '../domain/extraction/extract-page.ts';
import type { ExtractPageDeps } from '../domain/extraction/extract-page.ts';
import type { Fetcher } from '../domain/capture/capture-ports.ts';
import type { Logger } from '../domain/shared/ports.ts';
import type { SitemapReader } from '../domain/mapping/mapping-ports.ts';
import { Workflow } from '../domain/shared/workflow.ts';
import type { Egress } from '../egress/egress.ts';
import { presentError, presentExtract } from '../http/answers/present.ts';
import type { BatchRouteDeps } from '../http/routes/batch-routes.ts';
import { unsealPage } from '../domain/batches/batch-page-options.ts';
import type { SecretBox } from '../domain/secrets/secret-box.ts';
import type { Admission } from './open-admission.ts';
import { RobotsTxt } from '../outbound/robots.ts';
import { Sitemaps } from '../outbound/sitemaps.ts';
import { SignedWebhooks } from '../outbound/webhooks.ts';
import type { Store } from '../store/open-store.ts';

export interface OpenBatchesParts {
  readonly store: Store;
  readonly pages: ExtractPageDeps;
  readonly logger: Logger;
  /** Batches share slots with all other work. */
  readonly admission: Admission;
  readonly egress: Egress;
  readonly secrets: SecretBox | undefined;
}

export interface Batches {
  readonly routes: BatchRouteDeps;
  readonly runner: BatchRunner;
  /** Follows robots.txt. */
  readonly robotsFetcher: Fetcher;
  readonly sitemaps: SitemapReader;
  start(): void;
  close(): Promise<void>;
}

const TIDY_MS = 60 * 60 * 1000;

/** Runner, webhooks, robots.txt and sitemaps. */
export function openBatches(config: Config, parts: OpenBatchesParts): Batches {
  const { store, pages, logger, egress } = parts;
  const { projectEgress, urlPolicy } = pages;
  const outbound = { egress, userAgent: config.userAgent };
  const robotsFetcher = new RobotsFetcher(pages.fetcher, new RobotsTxt({ ...outbound, agent: config.robotsAgent }));
  const robotsPages = { ...pages, fetcher: robotsFetcher };
  const runner = new BatchRunner({
    batches: store.batches,
    owner: randomUUID(),
    // The process that serves the data folder is alone on its database.
    isAlone: config.databaseUrl === null,
    concurrency: config.batchConcurrency,
    quota: new ItemQuota(parts.admission.quota),
    logger,
    describeFailure,
    runItem: (item, signal) =>
      admit(parts.admission, item, signal, () => {
        const flow = new Workflow({ signal });
        const context = { pages: item.options.respectRobots ? robotsPages : pages, config, secrets: parts.secrets };
        return runItem(context, item, flow);
      }),
  });
  const webhooks = new WebhookCaller({
    batches: store.batches,
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
    sitemaps: new Sitemaps(outbound),
    routes: {
      batches: store.batches,
      urlPolicy,
      projectEgress,
      requestProxies: pages.requestProxies,
      storage: pages.storage,
      secrets: parts.secrets,
      onBatch: () => runner.wake(),
      maxBodyBytes: config.batchMaxBodyBytes,
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

/** Runs work in the batches' common group of the queue. */
async function admit<T>(
  { queue }: Admission,
  item: ClaimedItem,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  const tenant = { key: `batches of ${item.projectId}`, group: 'batches' };
  const permit = await queue.acquire({ ...tenant, signal });
  try {
    return await runOnBehalf(tenant, work);
  } finally {
    permit.release();
  }
}

interface ItemContext {
  readonly pages: ExtractPageDeps;
  readonly config: Config;
  readonly secrets: SecretBox | undefined;
}

async function runItem(
  { pages, config, secrets }: ItemContext,
  item: ClaimedItem,
  workflow: Workflow,
): Promise<ItemResult> {
  const { kind, value } = item.target;
  // Results of stored snapshots need space, too.
  await pages.storage.requireRoom(item.projectId);
  const command = await prepareExtract(pages, {
    projectId: item.projectId,
    url: kind === 'url' ? value : undefined,
    domId: kind === 'dom_id' ? value : undefined,
    ...pickContentOptions(item.options),
    fields: item.options.fields,
    page: unsealPage(item.options, item.projectId, secrets),
    matchTimeoutMs: config.stageTimeoutMs,
    generateTimeoutMs: config.stageTimeoutMs,
    extractTimeoutMs: config.stageTimeoutMs,
  });
  const page = await extractPage(pages, command, workflow);
  const context = { requestId: item.batchId, workflow, engineFamily: config.engineFamily };
  const { template_id, result, metadata } = presentExtract(page, context, { steps: false });
  return toResult(item, { template_id, result, metadata });
}

function describeFailure(item: ClaimedItem, error: AppError): ItemResult {
  return toResult(item, { error: presentError(error) });
}

function toResult(item: ClaimedItem, outcome: Omit<BatchLine, 'index' | 'url' | 'dom_id'>): ItemResult {
  const { kind, value } = item.target;
  const line: BatchLine = { index: item.index, ...(kind === 'url' ? { url: value } : { dom_id: value }), ...outcome };
  return { failed: outcome.error !== undefined, line: JSON.stringify(line) };
}
