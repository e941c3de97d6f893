/** Subset of Firecrawl v1 and v2 that this service can provide. */
import {
  API_OPERATIONS,
  firecrawlStatusOf,
  firecrawlV1StatusOf,
  listFirecrawlFormats,
  MAX_BATCH_ITEMS,
  withScheme,
  type BatchLine,
  type FirecrawlBatchRequest,
  type FirecrawlBatchResponse,
  type FirecrawlBatchStatus,
  type FirecrawlCrawlResponse,
  type FirecrawlDocument,
  type FirecrawlFormat,
  type FirecrawlMapResponse,
  type FirecrawlScrapeResponse,
  type ExtractMetadata,
  type ExtractResult,
} from '@winnow/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { runAdmitted } from '../../domain/admission/current-tenant.ts';
import { cancelBatch, createBatch, readBatch, readResults } from '../../domain/batches/batches.ts';
import { mapSite, prepareMap, type MapSiteDeps } from '../../domain/mapping/map-site.ts';
import { AppError } from '../../domain/shared/errors.ts';
import type { StoredScreenshot } from '../../domain/storage/attachments.ts';
import type { SnapshotContent } from '../../domain/storage/snapshot-ports.ts';
import { presentExtract, describeDoubts } from '../answers/present.ts';
import { baseUrlOf } from '../oauth/oauth-routes.ts';
import { answerUnknownPaths, createErrorSender, type ErrorAnswer } from '../answers/send-error.ts';
import { addOperations, type OperationCall, type Handlers } from '../routes/add-operations.ts';
import { requireKey, requireWorkflow } from '../requests/request-context.ts';
import { traceHeadersOf } from '../requests/trace-context.ts';
import { readIdempotencyKey, toCrawlCommand, type BatchRouteDeps } from '../routes/batch-routes.ts';
import { preparePage, presentForClient, renameOptions, extractForKey, type FacadeDeps } from './extract-for-key.ts';
import { closeWatchers } from './firecrawl-watchers.ts';
import {
  explainMissing,
  explainTls,
  FIRECRAWL_NAMES,
  toBatchOptions,
  toCrawlBody,
  toFormats,
  toOptions,
} from './firecrawl-options.ts';
import { findDomId } from '../../domain/shared/workflow.ts';

interface FirecrawlDeps extends FacadeDeps {
  readonly batches: BatchRouteDeps;
  readonly mapping: MapSiteDeps;
  /** Without a trailing slash; null: from the request's host. */
  readonly baseUrl: string | null;
  readonly batchRetentionMs: number;
}

type Rows = typeof API_OPERATIONS.firecrawl;
type V1Rows = (typeof API_OPERATIONS)['firecrawl-v1'];

/** Bytes of stored results in one answer, which ends with the result that exceeds them. */
const MAX_ANSWER_BYTES = 10 * 1024 * 1024;

/** Starts of the paths whose errors have Firecrawl's format. */
const PREFIXES = ['/v2', '/v1/scrape', '/v1/crawl', '/v1/map', '/v1/batch', '/v1/search'];

const MAX_ERRORS = 1000;

const IDEMPOTENCY_HEADER = 'x-idempotency-key';

export function addFirecrawl(scope: FastifyInstance, deps: FirecrawlDeps): void {
  const sendFailure = createErrorSender(presentFirecrawlFailure);
  scope.setErrorHandler(sendFailure);
  closeWatchers(scope.server);
  for (const prefix of PREFIXES) answerUnknownPaths(scope, prefix, sendFailure);
  const scrapePage = (call: OperationCall<Rows['firecrawlScrape']>) => scrape(call, deps);
  const startBatch = (call: OperationCall<Rows['firecrawlBatchScrape']>) => createOne(call, deps);
  const startCrawl = (call: OperationCall<Rows['firecrawlCrawl']>) => crawlSite(call, deps);
  const readBatchState = (call: BatchCall) => readState(call, deps);
  const readBatchErrors = ({ request, params }: Pick<BatchCall, 'request' | 'params'>) =>
    readErrors(request, params.id, deps);
  const cancelOne = async ({ request, params }: Pick<BatchCall, 'request' | 'params'>) => {
    const { batch } = await cancelBatch(deps.batches, requireKey(request).projectId, params.id);
    return { success: true, status: batch.state };
  };
  const handlers: Handlers<Rows> = {
    firecrawlScrape: scrapePage,
    firecrawlBatchScrape: startBatch,
    firecrawlBatchStatus: readBatchState,
    firecrawlBatchErrors: readBatchErrors,
    firecrawlCancelBatch: cancelOne,
    firecrawlCrawl: startCrawl,
    firecrawlCrawlStatus: readBatchState,
    firecrawlCrawlErrors: readBatchErrors,
    firecrawlCancelCrawl: cancelOne,
    firecrawlMap: async (call) => ({ success: true, links: await map(call, deps) }),
    firecrawlCredits: ({ request }) => ({ success: true, data: presentQuota(request) }),
    firecrawlConcurrency: ({ request }) => {
      const { running, slots } = deps.settings.admission.shareOf(requireKey(request).projectId);
      return { success: true, concurrency: running, maxConcurrency: slots };
    },
  };
  const v1: Handlers<V1Rows> = {
    firecrawlV1Scrape: scrapePage,
    firecrawlV1BatchScrape: startBatch,
    firecrawlV1BatchStatus: readBatchState,
    firecrawlV1Crawl: startCrawl,
    firecrawlV1JobStatus: readBatchState,
    firecrawlV1CrawlErrors: readBatchErrors,
    firecrawlV1CancelCrawl: cancelOne,
    firecrawlV1BatchErrors: readBatchErrors,
    firecrawlV1CancelBatch: cancelOne,
    firecrawlV1Map: async (call) => ({ success: true, links: (await map(call, deps)).map(({ url }) => url) }),
  };
  addOperations(scope, API_OPERATIONS.firecrawl, handlers, deps.settings);
  addOperations(scope, API_OPERATIONS['firecrawl-v1'], v1, deps.settings);
}

type BatchCall = Pick<OperationCall<Rows['firecrawlBatchStatus']>, 'request' | 'params' | 'query'>;

function presentQuota({ quotaState }: FastifyRequest) {
  const { remaining, limit } = quotaState ?? { remaining: Number.MAX_SAFE_INTEGER, limit: Number.MAX_SAFE_INTEGER };
  return { remainingCredits: remaining, planCredits: limit, billingPeriodStart: null, billingPeriodEnd: null };
}

async function createOne(
  { request, accept }: OperationCall<Rows['firecrawlBatchScrape']>,
  deps: FirecrawlDeps,
): Promise<FirecrawlBatchResponse> {
  const { command, invalidURLs } = await accept((body) => toCommand(body, request, deps.settings));
  const { batch } = await createBatch(deps.batches, command);
  deps.batches.onBatch();
  return { success: true, id: batch.id, url: `${addressOf(request, deps)}/${batch.id}`, invalidURLs };
}

async function crawlSite(
  { request, accept }: OperationCall<Rows['firecrawlCrawl']>,
  deps: FirecrawlDeps,
): Promise<FirecrawlCrawlResponse> {
  const command = await accept((body) => {
    const { id, projectId, quotaPerMinute } = requireKey(request);
    return toCrawlCommand(
      toCrawlBody(body),
      {
        projectId,
        key: { id, quotaPerMinute },
        idempotencyKey: readIdempotencyKey(request, IDEMPOTENCY_HEADER),
        options: { ...toBatchOptions(body.scrapeOptions ?? {}, deps.settings), respectRobots: !body.ignoreRobotsTxt },
        webhook: null,
        trace: traceHeadersOf(request),
      },
      deps.batches,
    );
  });
  const { batch } = await createBatch(deps.batches, command);
  deps.batches.onBatch();
  return { success: true, id: batch.id, url: `${addressOf(request, deps)}/${batch.id}` };
}

async function scrape(
  { request, accept }: OperationCall<Rows['firecrawlScrape']>,
  deps: FirecrawlDeps,
): Promise<FirecrawlScrapeResponse> {
  const workflow = requireWorkflow(request);
  let rawHtml: string | undefined;
  const { formats, prepared } = await accept(async (body) => {
    const parts = listFirecrawlFormats(body.formats);
    const onSnapshot = (html: string): void => void (rawHtml = html);
    const options = toOptions(body, parts, deps.settings);
    const wish = { url: body.url, formats: toFormats(parts), options, maxAgeMs: body.maxAge, onSnapshot };
    return { formats: parts, prepared: await preparePage(request, deps, wish) };
  });
  const page = await extractForKey(request, deps, prepared);
  const context = { requestId: request.id, workflow, engineFamily: deps.settings.engineFamily };
  const answer = presentExtract(page, context, { steps: false });
  const screenshot = await readPicture(deps.pages.content, page.attachments.screenshot);
  const source = { ...answer, contentType: page.snapshot.contentType, rawHtml, cached: page.cached, screenshot };
  return { success: true, data: presentDocument(source, formats) };
}

async function map(
  { request, accept }: Pick<OperationCall<Rows['firecrawlMap']>, 'request' | 'accept'>,
  { mapping, settings }: FirecrawlDeps,
): Promise<FirecrawlMapResponse['links']> {
  const workflow = requireWorkflow(request);
  const key = requireKey(request);
  const command = await accept((body) =>
    prepareMap(mapping, {
      projectId: key.projectId,
      url: body.url,
      sitemap: body.sitemap,
      includeSubdomains: body.includeSubdomains ?? true,
      ignoreQuery: body.ignoreQueryParameters ?? true,
      search: body.search ?? '',
      limit: body.limit,
      maxUrlLength: settings.limits.maxUrlLength,
      timeoutMs: body.timeout ?? settings.dumpTimeoutMs,
      takeQuota: async () => (await settings.quota.take(key))?.allowed ?? true,
    }),
  );
  const { timeoutMs } = command;
  const budgetMs = Math.min(settings.maxWaitMs, timeoutMs);
  return runAdmitted(settings.admission, { key, budgetMs }, workflow, (waitedMs) =>
    mapSite(mapping, { ...command, timeoutMs: Math.max(1, Math.round(timeoutMs - waitedMs)) }, workflow),
  );
}

/** Returns a data URI, which needs no key; null if the screenshot could not be taken. */
async function readPicture(
  content: Pick<SnapshotContent, 'get'>,
  screenshot: StoredScreenshot | null | undefined,
): Promise<string | null | undefined> {
  if (!screenshot) return screenshot;
  const base64 = await content.get(screenshot.hash);
  return base64 === undefined ? null : `data:${screenshot.mediaType};base64,${base64}`;
}

function toCommand(body: FirecrawlBatchRequest, request: FastifyRequest, settings: FacadeDeps['settings']) {
  const { id, projectId, quotaPerMinute } = requireKey(request);
  const addresses = body.urls.map((given) => ({ given, value: withScheme(given) }));
  const invalid = addresses.filter(({ value }) => !URL.canParse(value));
  const [first] = invalid;
  if (first !== undefined && (body.ignoreInvalidURLs === false || invalid.length === addresses.length))
    throw new AppError('invalid_request', `urls[${body.urls.indexOf(first.given)}]: is not an absolute URL`);
  const command = {
    projectId,
    key: { id, quotaPerMinute },
    idempotencyKey: readIdempotencyKey(request, IDEMPOTENCY_HEADER),
    targets: addresses.flatMap(({ value }) => (URL.canParse(value) ? [{ kind: 'url', value } as const] : [])),
    options: toBatchOptions(body, settings),
    webhook: null,
    trace: traceHeadersOf(request),
  };
  return { command, invalidURLs: invalid.map(({ given }) => given) };
}

async function readState({ request, params, query }: BatchCall, deps: FirecrawlDeps): Promise<FirecrawlBatchStatus> {
  const { projectId } = requireKey(request);
  const { batch, counts } = await readBatch(deps.batches, projectId, params.id);
  const parts = (batch.options.parts ?? batch.options.formats) as readonly FirecrawlFormat[];
  const range = { id: params.id, skip: Number(query.skip ?? 0), parts };
  const { data, next } = await readDocuments(request, deps, range);
  return {
    success: true,
    status: batch.state === 'running' ? 'scraping' : batch.state,
    completed: counts.done,
    total: batch.total,
    creditsUsed: counts.done,
    expiresAt: new Date(batch.createdAt.getTime() + deps.batchRetentionMs).toISOString(),
    // Clients of v1 follow a null.
    ...(next === undefined ? {} : { next: `${addressOf(request, deps)}?skip=${next}` }),
    data,
  };
}

/** Reads documents from item `skip`; `next` is the first item of the next page. */
async function readDocuments(
  request: FastifyRequest,
  deps: FirecrawlDeps,
  { id, skip, parts }: { readonly id: string; readonly skip: number; readonly parts: readonly FirecrawlFormat[] },
): Promise<{ data: FirecrawlDocument[]; next?: number }> {
  const range = { after: skip - 1, limit: MAX_BATCH_ITEMS, isPage: true, outcome: 'succeeded' } as const;
  const lines = await readResults(deps.batches, requireKey(request).projectId, id, range);
  const data: FirecrawlDocument[] = [];
  let bytes = 0;
  for await (const text of lines) {
    const line = JSON.parse(text) as BatchLine;
    const document = presentLine(line, parts, baseUrlOf(request, deps));
    if (document === undefined) continue;
    data.push(document);
    bytes += Buffer.byteLength(text);
    if (bytes >= MAX_ANSWER_BYTES) return { data, next: line.index + 1 };
  }
  return { data };
}

async function readErrors(request: FastifyRequest, id: string, deps: FirecrawlDeps) {
  const range = { after: -1, limit: MAX_ERRORS, isPage: false, outcome: 'failed' } as const;
  const lines = await readResults(deps.batches, requireKey(request).projectId, id, range);
  const errors: Record<string, string>[] = [];
  const robotsBlocked: string[] = [];
  for await (const text of lines) {
    const { index, url = '', error } = JSON.parse(text) as BatchLine;
    if (error?.code === 'robots_disallowed') robotsBlocked.push(url);
    else errors.push({ id: String(index), url, code: error?.code ?? '', error: describeItem(error) });
  }
  return { errors, robotsBlocked };
}

function describeItem(error: BatchLine['error']): string {
  return error === undefined ? '' : renameOptions(error.message, FIRECRAWL_NAMES) + explainTls(error.code);
}

/** Address of the request, without its query. */
function addressOf(request: FastifyRequest, deps: FirecrawlDeps): string {
  return baseUrlOf(request, deps) + (request.url.split('?', 1)[0] ?? '').replace(/\/$/, '');
}

/** Presents a failure in Firecrawl's format; `details` has the format of `/v1`. */
function presentFirecrawlFailure(failure: AppError, request: FastifyRequest): ErrorAnswer {
  const error = presentForClient(failure, FIRECRAWL_NAMES);
  const isUnknownPath = request.is404 && failure.code === 'not_found';
  const message = error.message + (isUnknownPath ? explainMissing(request.url) : explainTls(failure.code));
  const code = failure.code === 'fetch_timeout' ? 'SCRAPE_TIMEOUT' : failure.code;
  const domId = findDomId(request.workflow?.steps ?? []);
  const details = { ...error, message, request_id: request.id, ...(domId === undefined ? {} : { dom_id: domId }) };
  const statusOf = request.url.startsWith('/v1/') ? firecrawlV1StatusOf : firecrawlStatusOf;
  return { status: statusOf(failure.code), body: { success: false, code, error: message, details } };
}

/** Answer of `/v1/extract`, or a line of a batch. */
interface DocumentSource {
  readonly result: ExtractResult;
  readonly metadata: ExtractMetadata;
  readonly contentType?: string | null;
  readonly rawHtml?: string | undefined;
  /** True if a stored snapshot was used; undefined in batches. */
  readonly cached?: boolean;
  /** URL of the requested screenshot; null if it could not be taken. */
  readonly screenshot?: string | null | undefined;
}

function presentDocument(source: DocumentSource, formats: readonly FirecrawlFormat[]): FirecrawlDocument {
  const { result } = source;
  const picture = (): string | undefined => source.screenshot ?? undefined;
  const parts = {
    markdown: () => result.markdown ?? '',
    html: () => result.html ?? '',
    rawHtml: () => source.rawHtml ?? '',
    links: () => unique(result.links),
    images: () => unique(result.images),
    screenshot: picture,
    'screenshot@fullPage': picture,
  };
  const lost = source.screenshot === null ? ['the screenshot could not be taken'] : [];
  const doubts = [...describeDoubts(source.metadata), ...lost];
  const entries = formats.map((format) => [format.replace('@fullPage', ''), parts[format]()] as const);
  return {
    ...Object.fromEntries(entries.filter(([, part]) => part !== undefined)),
    ...(doubts.length === 0 ? {} : { warning: doubts.join('; ') }),
    metadata: presentMetadata(source),
  };
}

/**
 * Presents a result line as a document; undefined for a failed one.
 * @param baseUrl of the service, without a trailing slash
 */
function presentLine(
  { result, metadata }: BatchLine,
  formats: readonly FirecrawlFormat[],
  baseUrl: string,
): FirecrawlDocument | undefined {
  if (!result || !metadata) return undefined;
  const screenshot = metadata.screenshot && baseUrl + metadata.screenshot.url;
  return presentDocument({ result, metadata, screenshot }, formats);
}

function presentMetadata({ result, metadata, contentType, cached }: DocumentSource): Record<string, unknown> {
  const known = {
    title: result.title,
    description: result.description,
    language: result.language,
    publishedTime: result.publish_time,
    author: result.author,
    sourceURL: result.url,
    url: result.final_url,
    statusCode: result.status_code,
    contentType,
    scrapeId: metadata.dom_id,
    cacheState: cached === undefined ? undefined : cached ? 'hit' : 'miss',
    cachedAt: cached ? metadata.fetched_at : undefined,
    pageType: metadata.page_type,
    confidence: metadata.confidence,
    templateId: metadata.template_id,
  };
  // Clients expect absent fields instead of null.
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== null && value !== undefined));
}

function unique(items: readonly { readonly url: string }[]): string[] {
  return [...new Set(items.map(({ url }) => url))];
}
