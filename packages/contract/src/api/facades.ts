/**
 * Requests and responses of other services' interfaces. The error for an unsupported field names the field.
 */
import { z } from 'zod';
import { boolean, count, defaulted, described, integer, text, toggle, documented } from './described.ts';
import { ERRORS, type ErrorCode } from '../shared/errors.ts';
import { DEFAULT_DUMP_TIMEOUT_MS, DEFAULT_LIMITS } from '../shared/limits.ts';
import { MAX_BATCH_ITEMS, WHOLE_NUMBER, withoutNul } from './batches.ts';
import { CRAWL_DEFAULTS, MAX_CRAWL_DEPTH, MAX_CRAWL_DELAY, SITEMAP_USES } from './crawls.ts';
import { timeLimit } from './request-options.ts';
import { urlField } from './requests.ts';
import { errorResponseSchema } from './responses.ts';
import type { RequestSchemaOptions } from '../shared/operation.ts';
import { withScheme } from '../shared/with-scheme.ts';

/** Interfaces of other services that this one answers; the setting `WINNOW_FACADES`. */
export const FACADES = ['firecrawl', 'jina', 'open-webui'] as const;
export type Facade = (typeof FACADES)[number];

export const MAX_MAP_LINKS = 30_000;
const DEFAULT_MAP_LINKS = 5000;

const MAX_LOADED_URLS = 50;

/** Pages of a host that the service reads at a time by default. */
const CONCURRENT_PAGES = 8;

/** A field that this service does not support. */
const OTHER_FIELD = z
  .unknown()
  .refine(() => false, 'is not supported by this service')
  .describe('Other fields are not supported; the error names them.');

/** A field that accepts only the value that the service always uses. */
function only<T extends string | number | boolean>(value: T) {
  return z
    .literal(value, `only ${value} is supported by this service`)
    .optional()
    .meta({ description: `Only ${value} is supported.`, examples: [value] });
}

function addressField({ limits = DEFAULT_LIMITS }: RequestSchemaOptions) {
  return described(
    withoutNul(urlField(limits)),
    'Page address, http or https. One without a scheme gets https, or http for an IP address and a local name.',
    'https://example.com/news/1',
  );
}

function timeoutField({ limits = DEFAULT_LIMITS }: RequestSchemaOptions, defaultMs?: number) {
  return timeLimit(limits, 'Time limit of the whole request.').meta(
    defaultMs === undefined ? {} : { default: defaultMs },
  );
}

/** Names of the client, ignored. */
const CLIENT_NAMES = {
  origin: described(z.string().max(200), 'Name of the client; ignored.', 'js-sdk@4').optional(),
  integration: described(z.string().max(200), 'Name of the client; ignored.', 'n8n').optional(),
};

/** Parts of a Firecrawl document that this service makes. */
const FIRECRAWL_PARTS = ['markdown', 'html', 'rawHtml', 'links', 'images'] as const;
export const FIRECRAWL_FORMATS = [...FIRECRAWL_PARTS, 'screenshot', 'screenshot@fullPage'] as const;
export type FirecrawlFormat = (typeof FIRECRAWL_FORMATS)[number];

type FormatBody =
  | FirecrawlFormat
  | { readonly type: (typeof FIRECRAWL_PARTS)[number] }
  | { readonly type: 'screenshot'; readonly fullPage?: boolean | undefined };

function formatsField() {
  const names = described(z.enum(FIRECRAWL_FORMATS), 'Part of the document.', 'markdown');
  const part = z
    .object({ type: described(z.enum(FIRECRAWL_PARTS), 'Part of the document.', 'markdown') })
    .catchall(OTHER_FIELD);
  const screenshot = z
    .object({
      type: described(z.literal('screenshot'), 'A picture of the page.', 'screenshot'),
      fullPage: toggle('Show the whole page in place of its first screen.', false),
    })
    .catchall(OTHER_FIELD);
  return z
    .array(z.union([names, part, screenshot], { error: ({ input }) => describeFormat(input) }))
    .max(FIRECRAWL_FORMATS.length)
    .optional()
    .meta({ description: 'Parts of the document.', default: ['markdown'], examples: [['markdown', 'links']] });
}

function describeFormat(format: unknown): string {
  const name = (format as { type?: unknown } | null)?.type ?? format;
  const names = FIRECRAWL_FORMATS.join(', ');
  if (typeof name !== 'string') return `must be the name of a format; it has ${names}`;
  const shown = name.slice(0, 64).toWellFormed();
  return FIRECRAWL_FORMATS.some((known) => known === name)
    ? `${shown} is not supported in this form by this service`
    : `${shown} is not supported by this service; it has ${names}`;
}

const selectors = (description: string, example: string) =>
  defaulted(z.array(z.string()), description, { default: [], example: [example] }).optional();

const PDF = described(z.literal('pdf', 'only pdf is supported by this service'), 'Kind of document.', 'pdf');

/** Fields for one page and for a batch; the bounds of most are those of the options that they become. */
function scrapeFields(options: RequestSchemaOptions) {
  const { maxTimeoutMs } = options.limits ?? DEFAULT_LIMITS;
  return {
    formats: formatsField(),
    onlyMainContent: toggle('Return the main content; false: the whole page.', true),
    includeTags: selectors('CSS selectors of the elements to keep.', 'article'),
    excludeTags: selectors('CSS selectors of elements to remove.', 'nav'),
    headers: described(
      z.record(z.string(), z.string()),
      'Request headers: those of `options.headers` of /v1, and `Cookie`, `User-Agent` and `Accept-Language`.',
      { 'X-Preview': '1' },
    ).optional(),
    location: z
      .object({
        languages: described(z.array(z.string()), 'Languages of the request, the preferred one first.', [
          'de-CH',
          'de',
        ]).optional(),
      })
      .catchall(OTHER_FIELD)
      .optional()
      .describe('Languages of the request.'),
    actions: described(
      z.array(z.unknown()).max(0, 'is not supported by this service'),
      'Only an empty list is supported.',
      [],
    ).optional(),
    waitFor: defaulted(
      z.int().min(0).max(maxTimeoutMs),
      'Milliseconds to wait after the page is ready, in a browser.',
      { default: 0, example: 500 },
    ).optional(),
    mobile: toggle('Capture the page for the screen of a phone.', false),
    timeout: timeoutField(options),
    maxAge: defaulted(z.number().min(0), 'Oldest stored snapshot that may be used in place of a fetch. Milliseconds.', {
      default: 0,
      example: 3_600_000,
    }).optional(),
    parsers: z
      .array(z.union([PDF, z.object({ type: PDF }).catchall(OTHER_FIELD)]))
      .min(1, 'must have pdf: this service reads every PDF as text')
      .max(1)
      .optional()
      .meta({ description: 'PDFs are read as text in any case.', examples: [['pdf']] }),
    parsePDF: only(true),
    skipTlsVerification: boolean('Ignored: certificates are always verified.', true).optional(),
    proxy: described(z.enum(['basic', 'auto']), 'Ignored: the operator chooses the proxy.', 'auto').optional(),
    removeBase64Images: only(true),
    blockAds: only(true),
    storeInCache: only(true),
    fastMode: only(false),
    lockdown: only(false),
    redactPII: only(false),
    zeroDataRetention: only(false),
    ...CLIENT_NAMES,
  };
}

/** The body of Firecrawl's `POST /v2/scrape`, and of `/v1/scrape`. */
export function firecrawlScrapeSchema(options: RequestSchemaOptions = {}) {
  return z
    .object({ url: addressField(options).overwrite(withScheme), ...scrapeFields(options) })
    .catchall(OTHER_FIELD)
    .meta({ id: 'FirecrawlScrapeRequest', description: 'Body of POST /v2/scrape and /v1/scrape.' });
}
export type FirecrawlScrapeRequest = z.infer<ReturnType<typeof firecrawlScrapeSchema>>;

/** The body of Firecrawl's `POST /v2/batch/scrape`. */
export function firecrawlBatchSchema(options: RequestSchemaOptions = {}) {
  return z
    .object({
      urls: described(z.array(addressField(options)).min(1).max(MAX_BATCH_ITEMS), 'Pages to fetch.', [
        'https://example.com/news/1',
      ]),
      ...scrapeFields(options),
      ignoreInvalidURLs: defaulted(z.boolean(), 'Leave out invalid URLs instead of refusing the request.', {
        default: true,
        example: true,
      }).optional(),
    })
    .catchall(OTHER_FIELD)
    .refine(hasNoRawHtml, { path: ['formats'], message: NO_RAW_HTML })
    .meta({ id: 'FirecrawlBatchRequest', description: 'Body of POST /v2/batch/scrape and /v1/batch/scrape.' });
}
export type FirecrawlBatchRequest = z.infer<ReturnType<typeof firecrawlBatchSchema>>;

/** Globs are patterns of paths that take linear time; what else a regular expression can say is refused. */
const paths = (description: string, example: string) =>
  z
    .array(
      z
        .string()
        .min(1)
        .max(150, 'must have at most 150 characters')
        .overwrite(toGlob)
        .refine((glob) => !glob.includes(NO_GLOB), PATTERN_FAULT),
    )
    .max(50, 'must have at most 50 patterns')
    .optional()
    .meta({ description, default: [], examples: [[example]] });

const PATTERN_FAULT =
  'of regular expressions this service knows .* and .+, ^ at the start, $ at the end, and a backslash before a character';

/** One element of a regular expression: an escaped character, any characters, a plain character, or anything else. */
const ELEMENT = /\\(\W)|\.?[*+]\??|([^\\^$|?()[\]{}])|[^]/gu;

/** In a glob for what is no glob. */
const NO_GLOB = '\0';

function toGlob(pattern: string): string {
  const isStart = pattern.startsWith('^');
  const isEnd = pattern.endsWith('$') && !pattern.endsWith('\\$');
  const middle = pattern.slice(Number(isStart), isEnd ? -1 : undefined);
  const glob = middle.replaceAll(ELEMENT, (element, escaped?: string, plain?: string) => {
    if (escaped !== undefined) return escaped === '*' ? NO_GLOB : escaped;
    return plain ?? (/^\.?[*+]\??$/.test(element) ? '*' : NO_GLOB);
  });
  return `${isStart ? '' : '*'}${glob}${isEnd ? '' : '*'}`;
}

const DEFAULT_CRAWL_PAGES = 10_000;

/** The body of Firecrawl's `POST /v2/crawl`, and of `/v1/crawl`. */
export function firecrawlCrawlSchema(options: RequestSchemaOptions = {}) {
  return z
    .object({
      url: addressField(options).overwrite(withScheme),
      limit: defaulted(z.int().min(1).max(MAX_BATCH_ITEMS), 'Most pages.', {
        default: DEFAULT_CRAWL_PAGES,
        example: 100,
      }).optional(),
      includePaths: paths('Only pages whose path matches one of these, besides the start page.', '^/blog/.*$'),
      excludePaths: paths('No pages whose path matches one of these.', '/print/.*'),
      maxDiscoveryDepth: depth('Most links from the start page.'),
      maxDepth: depth('Of v1: the same as `maxDiscoveryDepth`.'),
      sitemap: defaulted(z.enum(SITEMAP_USES), 'Whether sitemaps are read.', {
        default: 'include',
        example: 'skip',
      }).optional(),
      ignoreSitemap: boolean('Of v1: the same as `sitemap: "skip"`.', false).optional(),
      crawlEntireDomain: boolean('Also pages that are not below the path of the start page.', true).optional(),
      allowBackwardLinks: boolean('Of v1: the same as `crawlEntireDomain`.', true).optional(),
      allowSubdomains: boolean('Also pages of other hosts of the domain.', false).optional(),
      delay: defaulted(z.number().min(0).max(MAX_CRAWL_DELAY), 'Seconds between two pages.', {
        default: 0,
        example: 2,
      }).optional(),
      ignoreRobotsTxt: boolean('Also pages that robots.txt refuses.', false).optional(),
      scrapeOptions: z
        .object(scrapeFields(options))
        .catchall(OTHER_FIELD)
        .refine(hasNoRawHtml, { path: ['formats'], message: NO_RAW_HTML })
        .optional()
        .describe('How pages are read, as in /v2/scrape.'),
      // Clients send these with their presets.
      prompt: z
        .literal('', 'only an empty one is supported by this service')
        .optional()
        .meta({ description: 'Only an empty one is supported.', examples: [''] }),
      maxConcurrency: described(
        z
          .int()
          .min(
            CONCURRENT_PAGES,
            `only ${CONCURRENT_PAGES} or more is supported by this service, whose hosts have limits of their own`,
          ),
        `Only ${CONCURRENT_PAGES} or more is supported: by default the service reads at most that many pages of a host at a time.`,
        100,
      ).optional(),
      allowExternalLinks: only(false),
      ignoreQueryParameters: only(false),
      regexOnFullURL: only(false),
      deduplicateSimilarURLs: only(true),
      zeroDataRetention: only(false),
      ...CLIENT_NAMES,
    })
    .catchall(OTHER_FIELD)
    .transform(({ limit = DEFAULT_CRAWL_PAGES, ...body }) => ({ ...body, limit }))
    .meta({ id: 'FirecrawlCrawlRequest', description: 'Body of POST /v2/crawl and /v1/crawl.' });
}
export type FirecrawlCrawlRequest = z.output<ReturnType<typeof firecrawlCrawlSchema>>;

function depth(description: string) {
  return defaulted(z.int().min(0).max(MAX_CRAWL_DEPTH), description, {
    default: CRAWL_DEFAULTS.max_depth,
    example: 3,
  }).optional();
}

const NO_RAW_HTML = 'rawHtml is not supported in batches by this service';

function hasNoRawHtml({ formats = [] }: { readonly formats?: readonly FormatBody[] | undefined }): boolean {
  return !formats.some((format) => nameOf(format) === 'rawHtml');
}

function nameOf(format: FormatBody): FirecrawlFormat {
  if (typeof format === 'string') return format;
  return 'fullPage' in format && format.fullPage === true ? 'screenshot@fullPage' : format.type;
}

/** Returns the requested parts of a document, without duplicates. */
export function listFirecrawlFormats(formats: readonly FormatBody[] = ['markdown']): FirecrawlFormat[] {
  return [...new Set(formats.map(nameOf))];
}

export function firecrawlMapSchema(options: RequestSchemaOptions = {}) {
  return z
    .object({
      url: addressField(options).overwrite(withScheme),
      search: described(z.string().max(500), 'Only addresses and titles with all of these words.', 'docs').optional(),
      sitemap: defaulted(z.enum(['only', 'include', 'skip']), 'Where links come from: sitemaps, the page, or both.', {
        default: 'include',
        example: 'only',
      }).optional(),
      includeSubdomains: toggle('Include other hosts of the same domain.', true),
      ignoreQueryParameters: toggle('Leave out the query of addresses.', true),
      limit: defaulted(z.int().min(1).max(MAX_MAP_LINKS), 'Maximum number of links.', {
        default: DEFAULT_MAP_LINKS,
        example: 100,
      }).optional(),
      ignoreSitemap: toggle('Of v1: the same as `sitemap: "skip"`.', false),
      sitemapOnly: toggle('Of v1: the same as `sitemap: "only"`.', false),
      timeout: timeoutField(options, options.dumpTimeoutMs ?? DEFAULT_DUMP_TIMEOUT_MS),
      useIndex: boolean('Ignored: there is no index.', true).optional(),
      ignoreCache: boolean('Ignored: nothing is cached.', true).optional(),
      ...CLIENT_NAMES,
    })
    .catchall(OTHER_FIELD)
    .transform(({ limit = DEFAULT_MAP_LINKS, sitemap, ignoreSitemap, sitemapOnly, ...rest }) => ({
      ...rest,
      limit,
      sitemap: sitemap ?? (sitemapOnly === true ? 'only' : ignoreSitemap === true ? 'skip' : 'include'),
    }))
    .meta({ id: 'FirecrawlMapRequest', description: 'Body of POST /v2/map and /v1/map.' });
}
export type FirecrawlMapRequest = z.output<ReturnType<typeof firecrawlMapSchema>>;

export function readerRequestSchema(options: RequestSchemaOptions = {}) {
  const other = z.unknown().refine(() => false, 'is not supported in the body by this service; send it as a header');
  return z
    .object({ url: addressField(options).overwrite(withScheme) })
    .catchall(other.describe('Options are headers.'))
    .meta({ id: 'ReaderRequest', description: 'Body of POST /r.' });
}

export function webLoaderSchema(options: RequestSchemaOptions = {}) {
  return z
    .strictObject({
      urls: described(z.array(addressField(options)).min(1).max(MAX_LOADED_URLS), 'Pages to fetch.', [
        'https://example.com/news/1',
      ]),
    })
    .meta({ id: 'WebLoaderRequest', description: 'Body of POST /web-loader.' });
}

export const webLoaderResponseSchema = z
  .array(
    z.object({
      page_content: text('Main content as Markdown.', 'The market by the harbour …'),
      metadata: z
        .record(z.string(), z.union([z.string(), z.number(), z.null()]))
        .meta({ description: 'Source, title and more.', examples: [{ source: 'https://example.com/news/1' }] }),
    }),
  )
  .meta({ id: 'WebLoaderResponse', description: 'Pages that were read; failed pages are left out.' });

export type WebLoaderResponse = z.infer<typeof webLoaderResponseSchema>;

const document = documented('FirecrawlDocument', 'A page in the shape of Firecrawl.', {
  markdown: text('Main content as Markdown.', '# The market').optional(),
  html: text('Main content as clean HTML.', '<p>The market</p>').optional(),
  rawHtml: text('The captured page.', '<!doctype html>…').optional(),
  links: described(z.array(z.string()), 'Links.', ['https://example.com/more']).optional(),
  images: described(z.array(z.string()), 'Images.', ['https://example.com/a.png']).optional(),
  screenshot: text(
    'The picture of the page: a data URI of a PNG; in a batch its address, which needs the key of the batch.',
    'data:image/png;base64,iVBORw0KGgo=',
  ).optional(),
  warning: text(
    'Why the document may not be what was asked for, or a part of it is missing.',
    'the screenshot could not be taken',
  ).optional(),
  metadata: z.record(z.string(), z.unknown()).meta({
    description: 'title, description, language, sourceURL, statusCode and more.',
    examples: [{ statusCode: 200 }],
  }),
});
export type FirecrawlDocument = z.infer<typeof document>;

const link = z.object({
  url: text('Address.', 'https://example.com/more'),
  title: text('Text of the link, where there is one.', 'More').optional(),
});

const success = described(z.literal(true), 'True.', true);
const batchId = text('Id of the batch.', 'bat_01J9ZC8X9A4Q7W2E5R8T1Y3V6K');

export const firecrawlScrapeResponseSchema = documented('FirecrawlScrapeResponse', 'Answer of POST /v2/scrape.', {
  success,
  data: document,
});
export type FirecrawlScrapeResponse = z.infer<typeof firecrawlScrapeResponseSchema>;

export const firecrawlBatchResponseSchema = documented('FirecrawlBatchResponse', 'Answer of POST /v2/batch/scrape.', {
  success,
  id: batchId,
  url: text('Address of the state.', 'https://winnow.example/v2/batch/scrape/bat_…'),
  invalidURLs: described(z.array(z.string()), 'Texts left out because they are not URLs.', []),
});
export type FirecrawlBatchResponse = z.infer<typeof firecrawlBatchResponseSchema>;

export const firecrawlCrawlResponseSchema = documented('FirecrawlCrawlResponse', 'Answer of POST /v2/crawl.', {
  success,
  id: batchId,
  url: text('Address of the state.', 'https://winnow.example/v2/crawl/bat_…'),
});
export type FirecrawlCrawlResponse = z.infer<typeof firecrawlCrawlResponseSchema>;

export const firecrawlBatchStatusSchema = documented('FirecrawlBatchStatus', 'Answer of GET /v2/batch/scrape/{id}.', {
  success,
  status: described(z.enum(['scraping', 'completed', 'cancelled']), 'State.', 'completed'),
  completed: integer('Pages that were read.', 2),
  total: integer('Pages of the batch.', 3),
  creditsUsed: integer('Pages that were read.', 2),
  expiresAt: text('When results are removed.', '2026-12-24T17:41:06.000Z'),
  next: text(
    'Address of further documents, where there are any.',
    'https://winnow.example/v2/batch/scrape/bat_…?skip=50',
  ).optional(),
  data: z.array(document).describe('Documents in the order of the request.'),
});
/** The query of `GET /v2/batch/scrape/{id}`; clients add others of their own. */
export const firecrawlStatusQuerySchema = z.object({
  skip: z
    .string()
    .regex(/^\d{1,6}$/, 'must be an integer of 0 or more')
    .optional()
    .meta({ description: 'Number of items to skip.', ...WHOLE_NUMBER, minimum: 0 }),
});

export type FirecrawlBatchStatus = z.infer<typeof firecrawlBatchStatusSchema>;

export const firecrawlMapResponseSchema = documented('FirecrawlMapResponse', 'Answer of POST /v2/map.', {
  success,
  links: z.array(link).describe('Addresses of the site.'),
});
export type FirecrawlMapResponse = z.infer<typeof firecrawlMapResponseSchema>;

export const firecrawlV1MapResponseSchema = documented('FirecrawlV1MapResponse', 'Answer of POST /v1/map.', {
  success,
  links: described(z.array(z.string()), 'Addresses of the site.', ['https://example.com/more']),
});

const noPeriod = described(z.null(), 'There are no billing periods.', null);

export const firecrawlCreditsSchema = documented('FirecrawlCredits', 'Answer of GET /v2/team/credit-usage.', {
  success,
  data: z
    .object({
      remainingCredits: count(
        'Requests that the quota of the key still allows in this minute; 9007199254740991 without a quota.',
        59,
      ),
      planCredits: count('Requests a minute that the quota of the key allows; likewise.', 60),
      billingPeriodStart: noPeriod,
      billingPeriodEnd: noPeriod,
    })
    .describe('The quota of the key.'),
});

export const firecrawlConcurrencySchema = documented('FirecrawlConcurrency', 'Answer of GET /v2/concurrency-check.', {
  success,
  concurrency: count("Requests of the key's project that this node is working on.", 0),
  maxConcurrency: count('Requests of a project that this node works on at once.', 8),
});

export const firecrawlErrorSchema = documented('FirecrawlError', 'A failure in the shape of Firecrawl.', {
  success: described(z.literal(false), 'False.', false),
  code: text('Code of the error.', 'invalid_request'),
  error: text('Description of the fault.', 'url: is required'),
  details: described(z.record(z.string(), z.unknown()), 'The error object of /v1.', { stage: 'request' }),
});

/** Failures that the page alone causes, and that no repetition mends: no client should repeat the request. */
const PAGE_FAULTS: ReadonlySet<ErrorCode> = new Set(['http_status_not_ok', 'fetch_blocked', 'robots_disallowed']);

/** The status of an error in answers to clients that repeat a request after 5xx. */
export function facadeStatusOf(code: ErrorCode): number {
  return PAGE_FAULTS.has(code) ? ERRORS.unsupported_content.status : ERRORS[code].status;
}

/** The status of an error in answers to Firecrawl's clients, which repeat a 502 twice immediately. */
export function firecrawlStatusOf(code: ErrorCode): number {
  if (code === 'fetch_timeout') return 408;
  const status = facadeStatusOf(code);
  return status === 502 ? 500 : status;
}

/** The same for v1, whose clients show the message of few statuses. */
export function firecrawlV1StatusOf(code: ErrorCode): number {
  const status = firecrawlStatusOf(code);
  return status === 422 ? 500 : status;
}

/** The readers' answer when a page could not be read. */
export const readerErrorSchema = z
  .looseObject({
    request_id: text('Request correlation id.', 'req_01J9ZC8X6M4Q7W2E5R8T1Y3V6J'),
    error: described(z.record(z.string(), z.unknown()), 'The error object of /v1.', { code: 'fetch_timeout' }),
  })
  .meta({ id: 'ReaderError', description: 'A failure, with further fields in the shape of the other service.' });

export const mcpMessageSchema = z
  .looseObject({
    jsonrpc: described(z.literal('2.0'), 'Version of JSON-RPC.', '2.0'),
    method: text('Method.', 'tools/list'),
  })
  .meta({ id: 'McpMessage', description: 'One JSON-RPC message.' });

/** A refusal: of the service, or of the protocol. */
export const mcpErrorSchema = z
  .union([
    errorResponseSchema,
    z.object({
      jsonrpc: described(z.literal('2.0'), 'Version of JSON-RPC.', '2.0'),
      error: z
        .looseObject({
          code: integer('Code of JSON-RPC.', -32_600),
          message: text('Description of the fault.', 'Invalid Request'),
        })
        .describe('The error object of JSON-RPC.'),
    }),
  ])
  .meta({ id: 'McpError', description: 'A refusal by the service, or by the protocol as JSON-RPC writes it.' });
