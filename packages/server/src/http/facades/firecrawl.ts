/** Subset of Firecrawl v2 that this service can provide. */
import { API_OPERATIONS, FORMATS, listFirecrawlFormats, firecrawlStatusOf } from '@winnow/contract';
import type {
  BatchLine,
  FirecrawlBatchRequest,
  FirecrawlBatchStatus,
  FirecrawlDocument,
  FirecrawlFormat,
  FirecrawlMapResponse,
  FirecrawlScrapeResponse,
  Format,
  PageOptionsBody,
  ExtractMetadata,
  ExtractResult,
} from '@winnow/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { runAdmitted } from '../../domain/admission/current-tenant.ts';
import { cancelBatch, createBatch, readBatch, readResults } from '../../domain/batches/batches.ts';
import { mapSite, prepareMap } from '../../domain/mapping/map-site.ts';
import type { MapSiteDeps } from '../../domain/mapping/map-site.ts';
import { AppError } from '../../domain/shared/errors.ts';
import type { StoredScreenshot } from '../../domain/storage/attachments.ts';
import type { SnapshotContent } from '../../domain/storage/snapshot-ports.ts';
import { presentExtract, presentError, describeDoubts } from '../answers/present.ts';
import { createErrorSender } from '../answers/send-error.ts';
import type { ErrorAnswer } from '../answers/send-error.ts';
import { readPageOptions } from '../../domain/request-options/page-options.ts';
import { addOperations } from '../routes/add-operations.ts';
import type { OperationCall, Handlers } from '../routes/add-operations.ts';
import { requireKey, requireWorkflow } from '../requests/request-context.ts';
import { readIdempotencyKey } from '../routes/batch-routes.ts';
import type { BatchRouteDeps } from '../routes/batch-routes.ts';
import { preparePage, extractForKey } from './extract-for-key.ts';
import type { FacadeDeps } from './extract-for-key.ts';
import { findDomId } from '../../domain/shared/workflow.ts';

interface FirecrawlDeps extends FacadeDeps {
  readonly batches: BatchRouteDeps;
  readonly mapping: MapSiteDeps;
  /** Without a trailing slash; null: from the request's host. */
  readonly baseUrl: string | null;
  readonly batchRetentionMs: number;
}

type Rows = typeof API_OPERATIONS.firecrawl;

/** Limits of one answer: documents, and UTF-16 code units of JSON. */
const MAX_DOCUMENTS = 50;
const MAX_CHARACTERS = 4_000_000;

/** Failures listed in one answer. */
const MAX_ERRORS = 1000;

const IDEMPOTENCY_HEADER = 'x-idempotency-key';

/** Adds the operations to a scope with keys. */
export function addFirecrawl(scope: FastifyInstance, deps: FirecrawlDeps): void {
  scope.setErrorHandler(createErrorSender(presentFirecrawlFailure));
  const handlers: Handlers<Rows> = {
    firecrawlScrape: (call) => scrape(call, deps),
    firecrawlBatchScrape: async ({ request, readBody }) => {
      const { command, invalidURLs } = await requireWorkflow(request).run('request', {}, () => {
        const body = readBody();
        request.acceptedBody = body;
        return toCommand(body, request, deps.settings.engineFamily);
      });
      const { batch } = await createBatch(deps.batches, command);
      deps.batches.onBatch();
      return { success: true, id: batch.id, url: stateUrl(request, deps, batch.id), invalidURLs };
    },
    firecrawlBatchStatus: (call) => readState(call, deps),
    firecrawlBatchErrors: ({ request, params }) => readErrors(request, params.id, deps),
    firecrawlCancelBatch: async ({ request, params }) => {
      const { batch } = await cancelBatch(deps.batches, requireKey(request).projectId, params.id);
      return { success: true, status: batch.state };
    },
    firecrawlMap: (call) => map(call, deps),
  };
  addOperations(scope, API_OPERATIONS.firecrawl, handlers, deps.settings);
}

async function scrape(
  { request, readBody }: OperationCall<Rows['firecrawlScrape']>,
  deps: FirecrawlDeps,
): Promise<FirecrawlScrapeResponse> {
  const workflow = requireWorkflow(request);
  let rawHtml: string | undefined;
  const { formats, prepared } = await workflow.run('request', {}, async ({ note }) => {
    const body = readBody(note);
    request.acceptedBody = body;
    const parts = listFirecrawlFormats(body.formats);
    const onSnapshot = (html: string): void => void (rawHtml = html);
    const options = { ...toOptions(body, parts), headers: body.headers, timeout_ms: body.timeout };
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
  { request, readBody }: OperationCall<Rows['firecrawlMap']>,
  { mapping, settings }: FirecrawlDeps,
): Promise<FirecrawlMapResponse> {
  const workflow = requireWorkflow(request);
  const key = requireKey(request);
  const command = await workflow.run('request', {}, ({ note }) => {
    const body = readBody(note);
    request.acceptedBody = body;
    return prepareMap(mapping, {
      projectId: key.projectId,
      url: body.url,
      sitemap: body.sitemap ?? 'include',
      includeSubdomains: body.includeSubdomains ?? true,
      ignoreQuery: body.ignoreQueryParameters ?? true,
      search: body.search ?? '',
      limit: body.limit,
      maxUrlLength: settings.limits.maxUrlLength,
      timeoutMs: body.timeout ?? settings.dumpTimeoutMs,
      takeQuota: async () => (await settings.quota.take(key))?.allowed ?? true,
    });
  });
  const { timeoutMs } = command;
  const budgetMs = Math.min(settings.maxWaitMs, timeoutMs);
  const links = await runAdmitted(settings.admission, { key, budgetMs }, workflow, (waitedMs) =>
    mapSite(mapping, { ...command, timeoutMs: Math.max(1, Math.round(timeoutMs - waitedMs)) }, workflow),
  );
  return { success: true, links };
}

/** Maps parts to our formats. */
function toFormats(parts: readonly FirecrawlFormat[]): Format[] {
  return FORMATS.filter((format) => parts.some((part) => part === format));
}

/** Maps to page options of `/v1`. */
function toOptions(
  { waitFor, mobile }: Pick<FirecrawlBatchRequest, 'waitFor' | 'mobile'>,
  parts: readonly FirecrawlFormat[],
): PageOptionsBody {
  return {
    ...(waitFor ? { wait_for: waitFor } : {}),
    ...(mobile ? { device: 'mobile' } : {}),
    ...toScreenshot(parts),
  };
}

/** The full page wins if both are requested; PNG, as in Firecrawl. */
function toScreenshot(parts: readonly FirecrawlFormat[]): PageOptionsBody {
  const isWhole = parts.includes('screenshot@fullPage');
  if (!isWhole && !parts.includes('screenshot')) return {};
  return { screenshot: isWhole ? 'full_page' : 'viewport', screenshot_format: 'png' };
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

function toCommand(body: FirecrawlBatchRequest, request: FastifyRequest, engineFamily: string) {
  const { id, projectId, quotaPerMinute } = requireKey(request);
  const invalidURLs = body.urls.filter((url) => !URL.canParse(url));
  const [invalid] = invalidURLs;
  if (invalid !== undefined && (body.ignoreInvalidURLs === false || invalidURLs.length === body.urls.length))
    throw new AppError('invalid_request', `urls[${body.urls.indexOf(invalid)}]: is not an absolute URL`);
  const parts = listFirecrawlFormats(body.formats);
  const targets = body.urls.filter((url) => URL.canParse(url)).map((value) => ({ kind: 'url', value }) as const);
  const command = {
    projectId,
    key: { id, quotaPerMinute },
    idempotencyKey: readIdempotencyKey(request, IDEMPOTENCY_HEADER),
    targets,
    options: {
      formats: toFormats(parts),
      respectRobots: true,
      parts,
      page: readPageOptions(toOptions(body, parts), engineFamily),
    },
    webhook: null,
    trace: request.trace,
  };
  return { command, invalidURLs };
}

async function readState(
  { request, params, query }: OperationCall<Rows['firecrawlBatchStatus']>,
  deps: FirecrawlDeps,
): Promise<FirecrawlBatchStatus> {
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
    next: next === undefined ? null : `${stateUrl(request, deps, batch.id)}?skip=${next}`,
    data,
  };
}

/** Reads documents from item `skip`; `next` is the first item of the next page. */
async function readDocuments(
  request: FastifyRequest,
  deps: FirecrawlDeps,
  { id, skip, parts }: { readonly id: string; readonly skip: number; readonly parts: readonly FirecrawlFormat[] },
): Promise<{ data: FirecrawlDocument[]; next?: number }> {
  const range = { after: skip - 1, limit: MAX_DOCUMENTS, isPage: true };
  const lines = await readResults(deps.batches, requireKey(request).projectId, id, range);
  const data: FirecrawlDocument[] = [];
  let characters = 0;
  let count = 0;
  let last = skip - 1;
  for await (const text of lines) {
    const line = JSON.parse(text) as BatchLine;
    const document = presentLine(line, parts, baseUrlOf(request, deps));
    if (document) data.push(document);
    last = line.index;
    count += 1;
    characters += text.length;
    if (characters >= MAX_CHARACTERS) return { data, next: last + 1 };
  }
  return count === MAX_DOCUMENTS ? { data, next: last + 1 } : { data };
}

async function readErrors(request: FastifyRequest, id: string, deps: FirecrawlDeps) {
  const range = { after: -1, limit: MAX_ERRORS, isPage: false, outcome: 'failed' } as const;
  const lines = await readResults(deps.batches, requireKey(request).projectId, id, range);
  const errors: Record<string, string>[] = [];
  const robotsBlocked: string[] = [];
  for await (const text of lines) {
    const { index, url = '', error } = JSON.parse(text) as BatchLine;
    if (error?.code === 'robots_disallowed') robotsBlocked.push(url);
    else errors.push({ id: String(index), url, code: error?.code ?? '', error: error?.message ?? '' });
  }
  return { errors, robotsBlocked };
}

function stateUrl(request: FastifyRequest, deps: FirecrawlDeps, id: string): string {
  return `${baseUrlOf(request, deps)}${API_OPERATIONS.firecrawl.firecrawlBatchScrape.path}/${id}`;
}

function baseUrlOf({ protocol, host }: FastifyRequest, { baseUrl }: FirecrawlDeps): string {
  return baseUrl ?? `${protocol}://${host}`;
}

/** Presents a failure in Firecrawl's format; `details` has the format of `/v1`. */
function presentFirecrawlFailure(failure: AppError, request: FastifyRequest): ErrorAnswer {
  const error = presentError(failure);
  const code = failure.code === 'fetch_timeout' ? 'SCRAPE_TIMEOUT' : failure.code;
  const domId = findDomId(request.workflow?.steps ?? []);
  const details = { ...error, request_id: request.id, ...(domId === undefined ? {} : { dom_id: domId }) };
  return { status: firecrawlStatusOf(failure.code), body: { success: false, code, error: error.message, details } };
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

/** Presents a page as a Firecrawl document with the requested parts. */
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
