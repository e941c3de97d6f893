import { DEFAULT_LIMITS, MAX_BATCH_ITEMS } from '@winnow/contract';
import type { BatchLine, ErrorBody } from '@winnow/contract';
import { runInSlot } from '../admission/current-tenant.ts';
import type { FairQueue } from '../admission/fair-queue.ts';
import type { Fetcher } from '../capture/capture-ports.ts';
import { extractPage, prepareExtract } from '../extraction/extract-page.ts';
import type { ExtractedPage, ExtractPageDeps } from '../extraction/extract-page.ts';
import { pickContentOptions } from '../request-options/content-options.ts';
import type { SecretBox } from '../shared/secrets.ts';
import { choosePages } from '../crawls/choose-pages.ts';
import type { CrawlSettings, Findings } from '../crawls/crawl-ports.ts';
import { readLinks } from '../crawls/read-links.ts';
import { listSitemaps } from '../mapping/map-site.ts';
import type { SitemapDeps } from '../mapping/map-site.ts';
import { AppError } from '../shared/errors.ts';
import { Workflow } from '../shared/workflow.ts';
import { unsealPage } from './batch-page-options.ts';
import type { ClaimedItem, ItemResult, RobotsRules } from './batch-ports.ts';

/** Turns outcomes into the public form of result lines. */
export interface BatchLinePresenter {
  page(
    page: ExtractedPage,
    context: { readonly requestId: string; readonly workflow: Workflow },
  ): Pick<BatchLine, 'template_id' | 'result' | 'metadata'>;
  error(error: AppError): ErrorBody;
}

export interface RunBatchItemDeps {
  readonly pages: ExtractPageDeps;
  /** Follows robots.txt. */
  readonly robotsFetcher: Fetcher;
  readonly robots: RobotsRules;
  /** For the sitemaps of crawls. */
  readonly mapping: SitemapDeps;
  /** Batches share slots with all other work. */
  readonly queue: FairQueue;
  readonly secrets: SecretBox | undefined;
  /** Of each stage after the fetch. */
  readonly stageTimeoutMs: number;
  readonly presenter: BatchLinePresenter;
}

/** For all sitemaps of a crawl. */
const SITEMAPS_MS = 60_000;

/**
 * Extracts the page of a batch item. All batches share one group of the queue.
 * @throws {AppError} for items without a result
 */
export async function runBatchItem(
  deps: RunBatchItemDeps,
  item: ClaimedItem,
  signal: AbortSignal,
): Promise<ItemResult> {
  const tenant = { key: `batches of ${item.projectId}`, group: 'batches' };
  const permit = await deps.queue.acquire({ ...tenant, signal });
  const { crawl } = item.options;
  return runInSlot(permit, tenant, () =>
    crawl === undefined ? extractItem(deps, item, signal) : crawlItem(deps, item, crawl, signal),
  );
}

/** What a crawl reads of a page besides its content. */
interface SeenPage {
  html: string;
  finalUrl: string;
}

/** Finds the next pages of the crawl, also on a page without content of its own. */
async function crawlItem(
  deps: RunBatchItemDeps,
  item: ClaimedItem,
  crawl: CrawlSettings,
  signal: AbortSignal,
): Promise<ItemResult> {
  let seen: SeenPage | undefined;
  const onSnapshot = (html: string, finalUrl: string): void => void (seen = { html, finalUrl });
  let result: ItemResult;
  try {
    result = await extractItem(deps, item, signal, onSnapshot);
  } catch (error) {
    // It is tried again.
    if (!(error instanceof AppError) || error.code === 'internal' || error.code === 'overloaded') throw error;
    // The page of an error, such as 404.
    if (error.stage === 'fetch') seen = undefined;
    result = describeItemFailure(deps, item, error);
  }
  return { ...result, found: await findPages(deps, item, crawl, seen, signal) };
}

async function findPages(
  deps: RunBatchItemDeps,
  { projectId, target, depth, options }: ClaimedItem,
  crawl: CrawlSettings,
  seen: SeenPage | undefined,
  signal: AbortSignal,
): Promise<Findings> {
  const { finalUrl } = seen ?? {};
  const read = seen && (await readLinks(seen.html, seen.finalUrl));
  const isMapped = depth === 0 && crawl.sitemap !== 'skip' && crawl.maxDepth > 0 && crawl.limit > 1;
  const mapped = isMapped ? await readSitemaps(deps, { projectId, url: finalUrl ?? target.value, crawl }, signal) : [];
  const egress = deps.pages.projectEgress.get(projectId);
  const isRefused = async (url: URL): Promise<boolean> =>
    // An unreadable robots.txt is the answer of the page itself.
    (await deps.robots.refusal(url, signal, egress).catch(() => undefined)) !== undefined;
  const isFollowed = crawl.sitemap !== 'only';
  return choosePages({
    settings: crawl,
    url: target.value,
    finalUrl,
    canonical: read?.canonical,
    depth,
    // Headers and cookies stay on their site.
    mayMove: options.sealed === undefined,
    links: isFollowed ? (read?.links ?? []) : [],
    listed: mapped,
    leftOut: isFollowed ? (read?.leftOut ?? 0) : 0,
    isRefused: options.respectRobots ? isRefused : undefined,
  });
}

async function readSitemaps(
  { pages, mapping }: RunBatchItemDeps,
  { projectId, url, crawl }: { readonly projectId: string; readonly url: string; readonly crawl: CrawlSettings },
  signal: AbortSignal,
): Promise<string[]> {
  const search = {
    projectId,
    site: new URL(url),
    includeSubdomains: crawl.scope === 'site',
    ignoreQuery: false,
    search: '',
    limit: MAX_BATCH_ITEMS,
    maxUrlLength: DEFAULT_LIMITS.maxUrlLength,
    leftMs: SITEMAPS_MS,
    // They count with the start page.
    takeQuota: () => Promise.resolve(true),
  };
  return listSitemaps({ ...pages, ...mapping }, search, new Workflow({ signal }));
}

async function extractItem(
  deps: RunBatchItemDeps,
  item: ClaimedItem,
  signal: AbortSignal,
  onSnapshot?: (html: string, finalUrl: string) => void,
): Promise<ItemResult> {
  const { secrets, stageTimeoutMs, presenter } = deps;
  const { batchId, projectId, options } = item;
  const { kind, value } = item.target;
  const pages = options.respectRobots ? { ...deps.pages, fetcher: deps.robotsFetcher } : deps.pages;
  const workflow = new Workflow({ signal });
  // Results of stored snapshots need space, too.
  await pages.storage.requireRoom(projectId);
  const command = await prepareExtract(pages, {
    projectId,
    url: kind === 'url' ? value : undefined,
    domId: kind === 'dom_id' ? value : undefined,
    ...pickContentOptions(options),
    fields: options.fields,
    page: unsealPage(options, projectId, secrets),
    reuse: options.reuse && { ...options.reuse, maxAgeMs: options.reuse.maxAgeMs ?? Infinity },
    matchTimeoutMs: stageTimeoutMs,
    generateTimeoutMs: stageTimeoutMs,
    extractTimeoutMs: stageTimeoutMs,
    onSnapshot,
  });
  const page = await extractPage(pages, command, workflow);
  return toResult(item, presenter.page(page, { requestId: batchId, workflow }));
}

export function describeItemFailure(
  { presenter }: Pick<RunBatchItemDeps, 'presenter'>,
  item: ClaimedItem,
  error: AppError,
): ItemResult {
  return toResult(item, { error: presenter.error(error) });
}

function toResult(item: ClaimedItem, outcome: Omit<BatchLine, 'index' | 'url' | 'dom_id'>): ItemResult {
  const { kind, value } = item.target;
  const line: BatchLine = { index: item.index, ...(kind === 'url' ? { url: value } : { dom_id: value }), ...outcome };
  const { warnings = [], partial = false, confidence } = outcome.metadata ?? {};
  const doubts = [...new Set(warnings.map(({ code }) => code)), ...(partial ? (['partial'] as const) : [])];
  return {
    failed: outcome.error !== undefined,
    doubtful: doubts.length > 0,
    ...(confidence === undefined ? {} : { judged: { confidence, warnings: doubts } }),
    line: JSON.stringify(line),
  };
}
