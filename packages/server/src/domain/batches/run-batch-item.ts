import { DEFAULT_LIMITS, MAX_BATCH_ITEMS, MAX_CRAWL_DELAY } from '@winnow/contract';
import type { BatchLine, ErrorBody } from '@winnow/contract';
import { runInSlot } from '../admission/current-tenant.ts';
import type { FairQueue } from '../admission/fair-queue.ts';
import type { Fetcher } from '../capture/capture-ports.ts';
import { extractPage, prepareExtract } from '../extraction/extract-page.ts';
import type { ExtractCommand, ExtractedPage, ExtractPageDeps } from '../extraction/extract-page.ts';
import { pickContentOptions } from '../request-options/content-options.ts';
import type { SecretBox } from '../shared/secrets.ts';
import { cleanAddress, keyOf } from '../crawls/crawl-address.ts';
import { choosePages, isInScope } from '../crawls/choose-pages.ts';
import { noneSkipped } from '../crawls/crawl-ports.ts';
import type { CrawlSettings, Findings } from '../crawls/crawl-ports.ts';
import type { PageLinks } from '../crawls/read-links.ts';
import type { LinkReader } from '../extraction/extraction-ports.ts';
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
  readonly linkReader: LinkReader;
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

const MAX_CRAWL_DELAY_MS = MAX_CRAWL_DELAY * 1000;

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
  readonly html: string;
  readonly finalUrl: string;
}

/** Finds the next pages of the crawl, also on a page without content of its own. */
async function crawlItem(
  deps: RunBatchItemDeps,
  item: ClaimedItem,
  crawl: CrawlSettings,
  signal: AbortSignal,
): Promise<ItemResult> {
  let seen: SeenPage | undefined;
  let links: PageLinks | undefined;
  let result: ItemResult;
  try {
    result = await extractItem(deps, item, signal, {
      onSnapshot: (html, finalUrl) => void (seen = { html, finalUrl }),
      onLinks: (found) => void (links = found),
    });
  } catch (error) {
    // It is tried again.
    if (!(error instanceof AppError) || error.code === 'internal' || error.code === 'overloaded') throw error;
    // The page of an error, such as 404.
    if (error.stage === 'fetch') seen = undefined;
    result = describeItemFailure(deps, item, error);
  }
  if (seen !== undefined && leadsOut(item, crawl, seen)) return describeWayOut(deps, item, seen);
  try {
    if (seen !== undefined) links ??= await readLinks(deps, seen, signal);
  } catch (error) {
    if (!(error instanceof AppError) || signal.aborted) throw error;
    return { ...result, found: noLinks(item, 'unread') };
  }
  return { ...result, found: await findPages(deps, item, crawl, { finalUrl: seen?.finalUrl, links }, signal) };
}

/** The start page is always read. */
function leadsOut({ depth }: ClaimedItem, crawl: CrawlSettings, { finalUrl }: SeenPage): boolean {
  return depth > 0 && !isInScope(new URL(finalUrl), new URL(crawl.url), crawl);
}

function describeWayOut(deps: RunBatchItemDeps, item: ClaimedItem, { finalUrl }: SeenPage): ItemResult {
  const error = new AppError('out_of_scope', `redirected to ${finalUrl}, which is outside the crawl`, {
    stage: 'fetch',
  });
  return { ...describeItemFailure(deps, item, error), found: noLinks(item, 'scope') };
}

/** Findings of a page whose links are not followed, which counts for the reason. */
function noLinks({ target, depth }: ClaimedItem, reason: 'unread' | 'scope'): Findings {
  const url = cleanAddress(target.value);
  const keys = url === undefined ? [] : [keyOf(url)];
  return { keys, depth: depth + 1, pages: [], skipped: { ...noneSkipped(), [reason]: 1 } };
}

/** Reads the links of a page whose extraction failed. */
function readLinks(
  { linkReader, stageTimeoutMs }: RunBatchItemDeps,
  seen: SeenPage,
  signal: AbortSignal,
): Promise<PageLinks> {
  return linkReader.readLinks({ html: seen.html, url: seen.finalUrl }, { timeoutMs: stageTimeoutMs, signal });
}

async function findPages(
  deps: RunBatchItemDeps,
  { projectId, target, depth, options }: ClaimedItem,
  crawl: CrawlSettings,
  { finalUrl, links: read }: { readonly finalUrl: string | undefined; readonly links: PageLinks | undefined },
  signal: AbortSignal,
): Promise<Findings> {
  const isMapped = depth === 0 && crawl.sitemap !== 'skip' && crawl.maxDepth > 0 && crawl.limit > 1;
  const mapped = isMapped ? await readSitemaps(deps, { projectId, url: finalUrl ?? target.value, crawl }, signal) : [];
  const egress = deps.pages.projectEgress.get(projectId);
  const delayMs = options.respectRobots
    ? Math.min(await deps.robots.delayMs(new URL(finalUrl ?? target.value), signal, egress), MAX_CRAWL_DELAY_MS)
    : 0;
  const isRefused = async (url: URL): Promise<boolean> =>
    // An unreadable robots.txt is the answer of the page itself.
    (await deps.robots.refusal(url, signal, egress).catch(() => undefined)) !== undefined;
  const isFollowed = crawl.sitemap !== 'only';
  const found = await choosePages({
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
  return { ...found, delayMs };
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
  listeners: Pick<ExtractCommand, 'onSnapshot' | 'onLinks'> = {},
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
    ...listeners,
  });
  const page = await extractPage(pages, command, workflow);
  return toResult(item, presenter.page(page, { requestId: batchId, workflow }));
}

export function describeItemFailure(
  { presenter }: Pick<RunBatchItemDeps, 'presenter'>,
  item: ClaimedItem,
  error: AppError,
): ItemResult {
  const isCrawl = item.options.crawl !== undefined;
  return { ...toResult(item, { error: presenter.error(error) }), ...(isCrawl && { found: noLinks(item, 'unread') }) };
}

function toResult(item: ClaimedItem, outcome: Omit<BatchLine, 'index' | 'url' | 'dom_id'>): ItemResult {
  const { kind, value } = item.target;
  const line: BatchLine = { index: item.index, ...(kind === 'url' ? { url: value } : { dom_id: value }), ...outcome };
  const { warnings = [], partial = false } = outcome.metadata ?? {};
  return { failed: outcome.error !== undefined, doubtful: warnings.length > 0 || partial, line: JSON.stringify(line) };
}
