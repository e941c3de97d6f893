import { DEFAULT_LIMITS, MAX_BATCH_ITEMS, MAX_CRAWL_DELAY, type BatchLine, type ErrorBody } from '@winnow/contract';
import { runInSlot } from '../admission/current-tenant.ts';
import type { FairQueue } from '../admission/fair-queue.ts';
import type { Fetcher } from '../capture/capture-ports.ts';
import { extractPage, prepareExtract } from '../extraction/extract-page.ts';
import type { ExtractCommand, ExtractedPage, ExtractPageDeps } from '../extraction/extract-page.ts';
import { pickContentOptions } from '../request-options/content-options.ts';
import type { SecretBox } from '../shared/secrets.ts';
import { cleanAddress, keyOf } from '../crawls/crawl-address.ts';
import { choosePages, isInScope } from '../crawls/choose-pages.ts';
import { noneSkipped, type CrawlSettings, type Findings } from '../crawls/crawl-ports.ts';
import type { EarlierCrawls, TextDiffer } from '../crawls/crawl-ports.ts';
import type { PageLinks } from '../crawls/read-links.ts';
import type { LinkReader } from '../extraction/extraction-ports.ts';
import { listSitemaps, type SitemapDeps } from '../mapping/map-site.ts';
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
  /** Earlier crawls, and what differs from them. */
  readonly comparing: { readonly earlier: EarlierCrawls; readonly differ: TextDiffer };
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
  const work = { deps, item, signal };
  return runInSlot(permit, tenant, () =>
    crawl === undefined ? extractItem(work).then((outcome) => toResult(item, outcome)) : crawlItem({ ...work, crawl }),
  );
}

interface Work {
  readonly deps: RunBatchItemDeps;
  readonly item: ClaimedItem;
  readonly signal: AbortSignal;
}

interface CrawlWork extends Work {
  readonly crawl: CrawlSettings;
}

/** What a crawl reads of a page besides its content. */
interface SeenPage {
  readonly html: string;
  readonly finalUrl: string;
}

/** What became of an item, without its place in the batch. */
type Outcome = Omit<BatchLine, 'index' | 'url' | 'dom_id'>;

interface ReadPage {
  readonly outcome: Outcome;
  /** Undefined if nothing was read. */
  readonly seen: SeenPage | undefined;
  /** Undefined if the extraction failed. */
  readonly links: PageLinks | undefined;
}

/** Finds the next pages of the crawl, also on a page without content of its own. */
async function crawlItem(work: CrawlWork): Promise<ItemResult> {
  const { deps, item, crawl } = work;
  const page = await readPage(work);
  const wayOut = findWayOut(item, crawl, page);
  const outcome = wayOut === undefined ? page.outcome : { error: deps.presenter.error(wayOut) };
  const found = wayOut === undefined ? await findPages(work, page) : noLinks(item, 'scope');
  if (crawl.since === undefined) return { ...toResult(item, outcome), found };
  const change = await comparePage(work, crawl.since, found.keys, outcome);
  return { ...toResult(item, { ...outcome, change }), found: { ...found, change: change?.state } };
}

async function readPage(work: Work): Promise<ReadPage> {
  let seen: SeenPage | undefined;
  let links: PageLinks | undefined;
  const listeners = {
    onSnapshot: (html: string, finalUrl: string) => void (seen = { html, finalUrl }),
    onLinks: (found: PageLinks) => void (links = found),
  };
  try {
    return { outcome: await extractItem(work, listeners), seen, links };
  } catch (error) {
    // It is tried again.
    if (!(error instanceof AppError) || error.code === 'internal' || error.code === 'overloaded') throw error;
    // An error of the fetch may come with a page, such as that of 404.
    const outcome = { error: work.deps.presenter.error(error) };
    return { outcome, seen: error.stage === 'fetch' ? undefined : seen, links };
  }
}

/** Returns the error of a page that redirects out of the crawl. The start page is always read. */
function findWayOut({ depth }: ClaimedItem, crawl: CrawlSettings, { seen }: ReadPage): AppError | undefined {
  const url = seen && URL.parse(seen.finalUrl);
  if (!url || depth === 0 || isInScope(url, new URL(crawl.url), crawl)) return undefined;
  return new AppError('out_of_scope', `redirected to ${url.href}, which is outside the crawl`, { stage: 'fetch' });
}

/** Findings of a page whose links are not followed, which counts for the reason. */
function noLinks({ target, depth }: ClaimedItem, reason: 'unread' | 'scope'): Findings {
  const url = cleanAddress(target.value);
  const keys = url === undefined ? [] : [keyOf(url)];
  return { keys, depth: depth + 1, pages: [], skipped: { ...noneSkipped(), [reason]: 1 } };
}

async function findPages(work: CrawlWork, { seen, links: found }: ReadPage): Promise<Findings> {
  const { deps, item, crawl, signal } = work;
  const { projectId, target, depth, options } = item;
  const finalUrl = seen?.finalUrl;
  const read = found ?? (seen && (await readLinks(work, seen)));
  if (seen !== undefined && read === undefined) return noLinks(item, 'unread');
  const isMapped = depth === 0 && crawl.sitemap !== 'skip' && crawl.maxDepth > 0 && crawl.limit > 1;
  const mapped = isMapped ? await readSitemaps(work, finalUrl ?? target.value) : [];
  const isCompared = depth === 0 && crawl.since !== undefined;
  const earlier = isCompared ? await deps.comparing.earlier.listDone(crawl.since) : [];
  const egress = deps.pages.projectEgress.get(projectId);
  const delayMs = options.respectRobots
    ? Math.min(await deps.robots.delayMs(new URL(seen?.finalUrl ?? target.value), signal, egress), MAX_CRAWL_DELAY_MS)
    : 0;
  const isRefused = async (url: URL): Promise<boolean> =>
    // An unreadable robots.txt is the answer of the page itself.
    (await deps.robots.refusal(url, signal, egress).catch(() => undefined)) !== undefined;
  const isFollowed = crawl.sitemap !== 'only';
  const next = await choosePages({
    settings: crawl,
    url: target.value,
    finalUrl,
    canonical: read?.canonical,
    depth,
    // Headers and cookies stay on their site.
    mayMove: options.sealed === undefined,
    links: isFollowed ? (read?.links ?? []) : [],
    listed: [...mapped, ...earlier],
    leftOut: isFollowed ? (read?.leftOut ?? 0) : 0,
    isRefused: options.respectRobots ? isRefused : undefined,
  });
  return { ...next, delayMs };
}

/** Reads the links of a page whose extraction failed; undefined if they cannot be read, either. */
async function readLinks({ deps, signal }: Work, { html, finalUrl }: SeenPage): Promise<PageLinks | undefined> {
  try {
    return await deps.linkReader.readLinks({ html, url: finalUrl }, { timeoutMs: deps.stageTimeoutMs, signal });
  } catch (error) {
    if (!(error instanceof AppError) || signal.aborted) throw error;
    return undefined;
  }
}

async function readSitemaps({ deps, item, crawl, signal }: CrawlWork, url: string): Promise<string[]> {
  const search = {
    projectId: item.projectId,
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
  return listSitemaps({ ...deps.pages, ...deps.mapping }, search, new Workflow({ signal }));
}

async function extractItem(
  { deps, item, signal }: Work,
  listeners: Pick<ExtractCommand, 'onSnapshot' | 'onLinks'> = {},
): Promise<Outcome> {
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
  return presenter.page(page, { requestId: batchId, workflow });
}

export function describeItemFailure(
  { presenter }: Pick<RunBatchItemDeps, 'presenter'>,
  item: ClaimedItem,
  error: AppError,
): ItemResult {
  const isCrawl = item.options.crawl !== undefined;
  return { ...toResult(item, { error: presenter.error(error) }), ...(isCrawl && { found: noLinks(item, 'unread') }) };
}

function toResult(item: ClaimedItem, outcome: Outcome): ItemResult {
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

const GONE: ReadonlySet<number> = new Set([404, 410]);

/**
 * Compares a page with the result of an earlier crawl; undefined for a page that could not be read now.
 * @param keys of the page, its own first
 */
async function comparePage(
  { deps: { comparing, stageTimeoutMs }, item: { projectId }, signal }: CrawlWork,
  since: string,
  keys: readonly string[],
  { result, error }: Outcome,
): Promise<BatchLine['change']> {
  const { earlier, differ } = comparing;
  const found = await earlier.findLine(since, keys);
  const before = found === undefined ? undefined : (JSON.parse(found) as BatchLine);
  if (before?.result === undefined || before.metadata === undefined) {
    if (result === undefined) return undefined;
    return { state: (await earlier.find(projectId, since)) === undefined ? 'unknown' : 'new' };
  }
  const known = { fetched_before: before.metadata.fetched_at };
  const isGone = error?.code === 'out_of_scope' || GONE.has(error?.upstream_status_code ?? 0);
  if (result === undefined) return isGone ? { state: 'gone', ...known } : undefined;
  if (result.main_text === before.result.main_text) return { state: 'unchanged', ...known };
  try {
    return {
      state: 'changed',
      ...known,
      ...(await differ.diff(before.result.main_text, result.main_text, { timeoutMs: stageTimeoutMs, signal })),
    };
  } catch (failure) {
    if (!(failure instanceof AppError) || signal.aborted) throw failure;
    return { state: 'changed', ...known, diff_cut: true };
  }
}
