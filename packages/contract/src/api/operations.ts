/**
 * The operations for API keys, for clients of other services, and of the state of the service: one row each. A row with a
 * handler in the service is all that an operation needs; `admin/admin-operations.ts` has the rows of the console.
 */
import { z } from 'zod';
import { text } from './described.ts';
import { attachmentOperations } from './attachments.ts';
import * as batches from './batches.ts';
import { crawlRequestSchema } from './crawls.ts';
import * as facades from './facades.ts';
import { dumpRequestSchema, extractRequestSchema } from './requests.ts';
import * as responses from './responses.ts';
import { createSnapshotResponseSchema, snapshotRequestSchema } from './snapshots.ts';
import { STAGES, type ErrorCode } from '../shared/errors.ts';
import { HEADERS, REQUEST_ID_PATTERN } from '../shared/ids.ts';
import type { Operation } from '../shared/operation.ts';
import { del, get, post } from '../shared/operation-rows.ts';

const PAGE = 'https://example.com/news/1';
const MORE = 'https://example.com/news/2';
const DOM_ID = 'dom_01J9ZC8X9A4Q7W2E5R8T1Y3V6K';

const cacheControl = (description: string) => text(description, 'max-age=3600').optional();

const captureHeaders = z.object({
  [HEADERS.requestId]: z
    .string()
    .regex(REQUEST_ID_PATTERN)
    .optional()
    .describe('Kept as the request_id when it is well-formed.'),
  'Cache-Control': cacheControl(
    'As RFC 9111 defines it for requests. `max-age`: a stored snapshot of the page, of at most that many seconds, is reused in place of a fetch; the answer has `Age`. `only-if-cached`: the page is not fetched; without a snapshot the answer is 504 `not_cached`. `no-cache`: the page is fetched, which is the default. Other directives have no effect.',
  ),
});

const batchHeaders = z.object({
  [batches.IDEMPOTENCY_HEADER]: z
    .string()
    .regex(batches.IDEMPOTENCY_KEY_PATTERN)
    .optional()
    .describe('A repeated request with the same value returns the existing batch.'),
  'Cache-Control': cacheControl(
    'As for an extract, for each `url` when it is processed: `max-age` allows a stored snapshot in place of a fetch; with `only-if-cached` a page without one fails with `not_cached`.',
  ),
});

const choice = <const T extends readonly string[]>(values: T, byDefault: T[number], description: string) =>
  z.enum(values).optional().meta({ description, default: byDefault });

const readerHeaders = z.object({
  'X-Return-Format': choice(['markdown', 'text', 'html'], 'markdown', 'Form of the content.'),
  'X-Timeout': z.int().min(1).optional().describe('Time limit in seconds.'),
  'X-Target-Selector': z.string().optional().describe('CSS selector of the elements to keep.'),
  'X-Remove-Selector': z.string().optional().describe('CSS selector of elements to remove.'),
  'X-With-Links-Summary': choice(['true', 'false', 'all'], 'false', 'List the links after the content.'),
  'X-With-Images-Summary': choice(['true', 'false'], 'false', 'List the images after the content.'),
  'X-Retain-Images': choice(
    ['all', 'none', 'alt'],
    'all',
    'Images of the Markdown: all, none, or their alternative texts.',
  ),
  'X-Md-Link-Style': choice(
    ['inlined', 'referenced', 'discarded'],
    'inlined',
    'Links of the Markdown: in place, numbered at the end, or text only.',
  ),
  'X-Engine': choice(['auto', 'browser', 'direct'], 'auto', 'Engine: auto, stable, http.'),
  'X-Set-Cookie': z.string().optional().describe('Cookies for the page, in the syntax of Set-Cookie.'),
});

/** What an extract and a dump are, for a key and for a session. */
export const EXTRACT = {
  description:
    'With `extract.url` the page is fetched, stored as a snapshot and extracted. With `extract.dom_id` a stored snapshot is extracted and nothing is fetched.',
  headers: captureHeaders,
  body: extractRequestSchema,
  example: { extract: { url: PAGE, formats: ['markdown'], options: { engine_preference: 'auto' } } },
  response: responses.extractResponseSchema,
  media: {
    'text/markdown': z
      .string()
      .describe('With `Accept: text/markdown`: the title as a heading, then the main content.'),
  },
  mayReuse: true,
  isExtraction: true,
  stages: STAGES,
} as const satisfies Partial<Operation>;

export const DUMP = {
  description: 'The `dom_id` can be extracted from later, without another fetch, until the snapshot expires.',
  headers: captureHeaders,
  body: dumpRequestSchema,
  example: { url: PAGE, options: { engine_preference: 'auto', filter_scripts_styles: false } },
  response: responses.dumpResponseSchema,
  mayReuse: true,
  stages: ['request', 'auth', 'fetch', 'snapshot'],
  never: ['dom_not_found'],
} as const satisfies Partial<Operation>;

const CREATES = [
  'url_not_allowed',
  'storage_quota_exceeded',
  'payload_too_large',
] as const satisfies readonly ErrorCode[];

/** What a new batch and a new crawl are, for a key and for a session. */
export const CREATE_BATCH = {
  headers: batchHeaders,
  body: batches.batchRequestSchema,
  bodyLimit: 'WINNOW_BATCH_MAX_BODY_BYTES',
  example: { urls: [PAGE, MORE], formats: ['markdown'] },
  response: batches.batchResponseSchema,
  errors: [...CREATES, 'conflict'],
} as const satisfies Partial<Operation>;

export const CREATE_CRAWL = {
  headers: batchHeaders,
  body: crawlRequestSchema,
  example: { url: 'https://example.com/', limit: 100, formats: ['markdown'] },
  response: batches.batchResponseSchema,
  errors: [...CREATES, 'conflict'],
} as const satisfies Partial<Operation>;

/** The facades fetch every page: they take no `dom_id` and no `only-if-cached`. */
const READS_PAGE = { stages: STAGES, never: ['dom_not_found', 'not_cached'] } as const satisfies Partial<Operation>;

const anyObject = z.record(z.string(), z.unknown());

const READER = {
  ...READS_PAGE,
  description: '`Accept: application/json` selects JSON. The error for an unsupported header names the header.',
  headers: readerHeaders,
  response: anyObject,
  media: { 'text/plain': z.string() },
  isExtraction: true,
  failure: facades.readerErrorSchema,
} as const satisfies Partial<Operation>;

/** Of Firecrawl v2, and of v1 at other paths. */
const FIRECRAWL = {
  firecrawlScrape: post('key', '/v2/scrape', 'Firecrawl v2: read a page', {
    description:
      'Fetches and extracts a page as `/v1/extract` does. The error for an unsupported field names the field.',
    body: facades.firecrawlScrapeSchema,
    example: { url: PAGE, formats: ['markdown', 'links'] },
    response: facades.firecrawlScrapeResponseSchema,
    ...READS_PAGE,
    failure: facades.firecrawlErrorSchema,
  }),
  firecrawlBatchScrape: post('key', '/v2/batch/scrape', 'Firecrawl v2: read many pages in the background', {
    description: 'Creates a batch as `/v1/batches` does; it can be read there too.',
    body: facades.firecrawlBatchSchema,
    bodyLimit: 'WINNOW_BATCH_MAX_BODY_BYTES',
    example: { urls: [PAGE, MORE], formats: ['markdown'] },
    response: facades.firecrawlBatchResponseSchema,
    errors: [...CREATES, 'conflict'],
    failure: facades.firecrawlErrorSchema,
  }),
  firecrawlBatchStatus: get(
    'key',
    '/v2/batch/scrape/:id',
    'Firecrawl v2: read the state and the documents of a batch',
    {
      description: 'Documents come in pages, up to the first item that is not finished; `next` leads to the next page.',
      query: facades.firecrawlStatusQuerySchema,
      response: facades.firecrawlBatchStatusSchema,
      errors: ['not_found'],
      failure: facades.firecrawlErrorSchema,
    },
  ),
  firecrawlCancelBatch: del('key', '/v2/batch/scrape/:id', 'Firecrawl v2: cancel a batch', {
    description: 'Waiting items never start; running items are finished.',
    response: anyObject,
    errors: ['not_found'],
    failure: facades.firecrawlErrorSchema,
  }),
  firecrawlBatchErrors: get('key', '/v2/batch/scrape/:id/errors', 'Firecrawl v2: read the failures of a batch', {
    description: 'Returns the first 1,000 failures, and the pages that robots.txt refuses.',
    response: anyObject,
    errors: ['not_found'],
    failure: facades.firecrawlErrorSchema,
  }),
  firecrawlMap: post('key', '/v2/map', 'Firecrawl v2: list the addresses of a site', {
    description: 'Reads the links of the page and the sitemaps of its site: up to 50 files and 40 MiB.',
    body: facades.firecrawlMapSchema,
    example: { url: 'https://example.com/', search: 'news', limit: 100 },
    response: facades.firecrawlMapResponseSchema,
    ...READS_PAGE,
    stages: ['request', 'auth', 'fetch'],
    failure: facades.firecrawlErrorSchema,
  }),
  firecrawlCrawl: post('key', '/v2/crawl', 'Firecrawl v2: read the pages of a site in the background', {
    description:
      'Creates a crawl as `/v1/crawls` does, of the pages below the path of the address; it can be read at `/v1/batches/{id}` too.',
    body: facades.firecrawlCrawlSchema,
    example: { url: 'https://example.com/', limit: 100 },
    response: facades.firecrawlCrawlResponseSchema,
    errors: [...CREATES, 'conflict'],
    failure: facades.firecrawlErrorSchema,
  }),
} as const satisfies Readonly<Record<string, Operation>>;

/** A crawl is a batch: it has the same state, failures and cancelling. */
const FIRECRAWL_CRAWL = {
  firecrawlCrawlStatus: {
    ...FIRECRAWL.firecrawlBatchStatus,
    path: '/v2/crawl/:id',
    summary: 'Firecrawl v2: read the state and the documents of a crawl',
  },
  firecrawlCancelCrawl: {
    ...FIRECRAWL.firecrawlCancelBatch,
    path: '/v2/crawl/:id',
    summary: 'Firecrawl v2: cancel a crawl',
  },
  firecrawlCrawlErrors: {
    ...FIRECRAWL.firecrawlBatchErrors,
    path: '/v2/crawl/:id/errors',
    summary: 'Firecrawl v2: read the failures of a crawl',
  },
} as const satisfies Readonly<Record<string, Operation>>;

type OfV1<Path extends string> = Path extends `/v2/${infer Rest}` ? `/v1/${Rest}` : never;

function ofV1<const O extends Operation>(operation: O): Omit<O, 'path'> & { readonly path: OfV1<O['path']> } {
  const summary = operation.summary.replace('v2', 'v1');
  return { ...operation, summary, path: operation.path.replace('/v2/', '/v1/') as OfV1<O['path']> };
}

const NAMES_BATCH = { errors: ['not_found'] } as const satisfies Partial<Operation>;

/** Progress, results and end of what runs in the background. */
const BATCH = {
  read: {
    method: 'GET',
    description: 'Answers the state of the batch and the number of its items in each state.',
    response: batches.batchResponseSchema,
    ...NAMES_BATCH,
  },
  delete: {
    method: 'DELETE',
    description: 'Removes the batch with its items and results. A running batch is cancelled first.',
    response: responses.deletedResponseSchema,
    ...NAMES_BATCH,
  },
  results: {
    method: 'GET',
    description: 'Answers one JSON object a line (NDJSON), in the order of the request.',
    query: batches.batchResultsQuerySchema,
    responseLine: batches.batchLineSchema,
    ...NAMES_BATCH,
  },
  cancel: {
    method: 'POST',
    description: 'Waiting items never start; running items are finished. Repeated calls have no effect.',
    response: batches.batchResponseSchema,
    ...NAMES_BATCH,
  },
} as const satisfies Readonly<Record<string, Partial<Operation>>>;

export const API_OPERATIONS = {
  pages: {
    extract: post('key', '/v1/extract', 'Fetch a page, or take a stored snapshot, and return its structured content', {
      client: 'extract',
      ...EXTRACT,
    }),
    dumpDom: post(
      'key',
      '/v1/dom/dump',
      "Fetch a page, store its HTML as a snapshot, and return it with the snapshot's dom_id",
      { client: 'dump', ...DUMP },
    ),
    createSnapshot: post('key', '/v1/snapshots', 'Store HTML from the caller as a snapshot', {
      client: 'createSnapshot',
      description:
        'For pages that a browser extension, a signed-in session or a crawler already has. Nothing is fetched. The `dom_id` can be extracted like any other; results name the engine `upload`.',
      body: snapshotRequestSchema,
      bodyLimit: 'WINNOW_MAX_PAGE_BYTES',
      example: { url: PAGE, html: '<!doctype html><title>The market</title><p>The harbour town keeps its old market.' },
      response: createSnapshotResponseSchema,
      errors: CREATES,
    }),
    deleteSnapshot: del('key', '/v1/snapshots/:dom_id', 'Delete a snapshot', {
      client: 'deleteSnapshot',
      description: 'Removes the snapshot of the project. Results that were extracted from it stay.',
      response: responses.deletedResponseSchema,
      errors: ['dom_not_found'],
    }),
    ...attachmentOperations('key', '/v1/snapshots/:dom_id', ['dom_not_found', 'not_found']),
  },
  batches: {
    createBatch: post('key', '/v1/batches', 'Extract many pages in the background', {
      client: 'createBatch',
      description:
        'Stores up to 100,000 URLs and snapshots and answers at once. The items are processed in the background, also across restarts. Each item counts as one request against the quota of the key when it begins; items over the quota wait for the next minute.',
      ...CREATE_BATCH,
      bodyLine: batches.batchBodyLineSchema,
      exampleLines: [{ formats: ['markdown'] }, { url: PAGE }, { dom_id: DOM_ID }],
    }),
    createCrawl: post('key', '/v1/crawls', 'Extract the pages of a site, by following its links', {
      client: 'createCrawl',
      description:
        'Creates a batch that grows: it begins with one page and adds the pages that its pages link to. The id is also that of a batch: `/v1/batches/{id}` and the webhook take it. Each page counts as one request against the quota of the key when it begins.',
      ...CREATE_CRAWL,
    }),
    readBatch: {
      ...BATCH.read,
      path: '/v1/batches/:id',
      client: 'batch',
      summary: 'Read the progress of a batch',
    },
    deleteBatch: {
      ...BATCH.delete,
      path: '/v1/batches/:id',
      client: 'deleteBatch',
      summary: 'Delete a batch',
    },
    readBatchResults: {
      ...BATCH.results,
      path: '/v1/batches/:id/results',
      client: 'batchResults',
      summary: 'Read the results of finished items',
    },
    cancelBatch: {
      ...BATCH.cancel,
      path: '/v1/batches/:id/cancel',
      client: 'cancelBatch',
      summary: 'Cancel a batch',
    },
    readCrawl: {
      ...BATCH.read,
      path: '/v1/crawls/:id',
      client: 'crawl',
      summary: 'Read the progress of a crawl',
      description:
        'Answers the state of the crawl: the pages found so far (`total`), how many of them are done or failed, and the links that were left out, by reason.',
    },
    deleteCrawl: {
      ...BATCH.delete,
      path: '/v1/crawls/:id',
      client: 'deleteCrawl',
      summary: 'Delete a crawl',
      description: 'Removes the crawl with its pages and results. A running crawl is cancelled first.',
    },
    readCrawlResults: {
      ...BATCH.results,
      path: '/v1/crawls/:id/results',
      client: 'crawlResults',
      summary: 'Read the results of the pages of a crawl',
      description: 'Answers one JSON object a line (NDJSON), in the order in which the pages were found.',
    },
    cancelCrawl: {
      ...BATCH.cancel,
      path: '/v1/crawls/:id/cancel',
      client: 'cancelCrawl',
      summary: 'Cancel a crawl',
      description: 'Waiting pages never start, and no further ones are found; running pages are finished.',
    },
  },
  mcp: {
    mcp: post('key', '/mcp', 'Model Context Protocol over Streamable HTTP', {
      description:
        'One JSON-RPC message per request, without sessions. `tools/list` returns the tools and their schemas.',
      body: facades.mcpMessageSchema,
      example: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      response: anyObject,
      media: { 'text/event-stream': z.string() },
      others: {
        202: { description: 'The message was a notification, which has no answer' },
        406: { description: 'Accept: the client must accept both forms of the answer', schema: facades.mcpErrorSchema },
      },
      errors: ['forbidden', 'payload_too_large'],
      failure: facades.mcpErrorSchema,
    }),
  },
  firecrawl: {
    ...FIRECRAWL,
    ...FIRECRAWL_CRAWL,
    firecrawlCredits: get('key', '/v2/team/credit-usage', 'Firecrawl v2: read the quota of the key', {
      description: 'There are no credits: the numbers are the requests that the quota of the key allows.',
      response: facades.firecrawlCreditsSchema,
      failure: facades.firecrawlErrorSchema,
    }),
    firecrawlConcurrency: get('key', '/v2/concurrency-check', 'Firecrawl v2: read how many requests run', {
      description: "Counts the requests of the key's project on the node that answers.",
      response: facades.firecrawlConcurrencySchema,
      failure: facades.firecrawlErrorSchema,
    }),
  },
  'firecrawl-v1': {
    firecrawlV1Scrape: ofV1(FIRECRAWL.firecrawlScrape),
    firecrawlV1BatchScrape: ofV1(FIRECRAWL.firecrawlBatchScrape),
    firecrawlV1BatchStatus: ofV1(FIRECRAWL.firecrawlBatchStatus),
    firecrawlV1Crawl: ofV1(FIRECRAWL.firecrawlCrawl),
    firecrawlV1JobStatus: {
      ...ofV1(FIRECRAWL_CRAWL.firecrawlCrawlStatus),
      description: 'Also of a batch, whose state clients of v1 ask for here.',
    },
    firecrawlV1CancelCrawl: ofV1(FIRECRAWL_CRAWL.firecrawlCancelCrawl),
    firecrawlV1CrawlErrors: ofV1(FIRECRAWL_CRAWL.firecrawlCrawlErrors),
    firecrawlV1CancelBatch: ofV1(FIRECRAWL.firecrawlCancelBatch),
    firecrawlV1BatchErrors: ofV1(FIRECRAWL.firecrawlBatchErrors),
    firecrawlV1Map: { ...ofV1(FIRECRAWL.firecrawlMap), response: facades.firecrawlV1MapResponseSchema },
  },
  jina: {
    readPage: get('key', '/r/*', 'Jina Reader: read a page as text', {
      ...READER,
      description: `The address follows \`/r/\` unencoded, with its query. ${READER.description}`,
      never: [...READS_PAGE.never, 'payload_too_large'],
    }),
    readPostedPage: post('key', '/r', 'Jina Reader: read a page as text, by an address in the body', {
      ...READER,
      body: facades.readerRequestSchema,
      example: { url: PAGE },
    }),
  },
  'open-webui': {
    loadWebPages: post('key', '/web-loader', 'Open WebUI: read pages for its external web loader', {
      description: 'Pages that cannot be read are left out. Each page counts against the quota of the key.',
      body: facades.webLoaderSchema,
      example: { urls: [PAGE] },
      response: facades.webLoaderResponseSchema,
      ...READS_PAGE,
      failure: facades.readerErrorSchema,
    }),
  },
  health: {
    index: get('nobody', '/', 'List the parts of the service', {
      description: 'Returns the addresses of the parts of the service. No key is needed.',
      response: responses.indexResponseSchema,
      others: { 302: { description: 'Browsers are redirected to the console' } },
    }),
    healthz: get('nobody', '/healthz', 'Check that the process answers', {
      description: 'Succeeds while the process runs, even if a part does not work. No key is needed.',
      response: responses.healthResponseSchema,
    }),
    readyz: get('nobody', '/readyz', 'Check that every part of the service works', {
      description:
        'Makes a real round trip through each part: database, snapshot store, workers, browser. Answers are reused for a second. No key is needed.',
      response: responses.readyResponseSchema,
      others: {
        503: { description: 'A part does not work; the checks name it', schema: responses.readyResponseSchema },
      },
    }),
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Operation>>>>;
