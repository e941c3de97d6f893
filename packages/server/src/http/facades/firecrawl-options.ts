/** What options and errors of Firecrawl are here. */
import { FORMATS, listFirecrawlFormats } from '@winnow/contract';
import type {
  CrawlRequest,
  ErrorCode,
  FirecrawlBatchRequest,
  FirecrawlCrawlRequest,
  FirecrawlFormat,
  Format,
  PageOptionsBody,
} from '@winnow/contract';
import type { BatchOptions } from '../../domain/batches/batch-ports.ts';
import { readPageOptions } from '../../domain/request-options/page-options.ts';
import { checkOptions, type ClientNames, type FacadeDeps } from './extract-for-key.ts';

type ScrapeOptions = Pick<
  FirecrawlBatchRequest,
  'includeTags' | 'excludeTags' | 'onlyMainContent' | 'headers' | 'location' | 'waitFor' | 'mobile' | 'timeout'
>;

export const FIRECRAWL_NAMES: ClientNames = {
  url: 'url',
  headers: 'headers',
  cookies: 'headers.Cookie',
  user_agent: 'headers.User-Agent',
  accept_language: 'headers.Accept-Language, location.languages',
  include_tags: 'includeTags',
  exclude_tags: 'excludeTags',
  wait_for: 'waitFor',
  timeout_ms: 'timeout',
};

export function toFormats(parts: readonly FirecrawlFormat[]): Format[] {
  return FORMATS.filter((format) => parts.some((part) => part === format));
}

/**
 * Maps to page options of `/v1`.
 * @throws {AppError} `invalid_request`
 */
export function toOptions(
  body: ScrapeOptions,
  parts: readonly FirecrawlFormat[],
  settings: FacadeDeps['settings'],
): PageOptionsBody {
  const { includeTags = [], excludeTags, onlyMainContent = true, location, waitFor, mobile, timeout } = body;
  const options: PageOptionsBody = {
    include_tags: includeTags.length > 0 || onlyMainContent ? includeTags : ['body'],
    exclude_tags: excludeTags,
    accept_language: location?.languages?.join(','),
    ...readHeaders(body.headers ?? {}),
    wait_for: waitFor === 0 ? undefined : waitFor,
    device: mobile === true ? 'mobile' : undefined,
    timeout_ms: timeout,
    ...toScreenshot(parts),
  };
  const given = Object.entries(options).filter(([, value]) => value !== undefined && value !== '');
  return checkOptions(Object.fromEntries(given), settings);
}

export function toBatchOptions(
  body: ScrapeOptions & Pick<FirecrawlBatchRequest, 'formats' | 'maxAge'>,
  settings: FacadeDeps['settings'],
): BatchOptions {
  const parts = listFirecrawlFormats(body.formats);
  return {
    formats: toFormats(parts),
    respectRobots: true,
    parts,
    page: readPageOptions(toOptions(body, parts, settings), settings.engineFamily),
    reuse: body.maxAge === undefined ? undefined : { maxAgeMs: body.maxAge, mayFetch: true },
  };
}

/** Body of `/v1/crawls`. By default Firecrawl reads the pages below the path of the address. */
export function toCrawlBody(body: FirecrawlCrawlRequest): CrawlRequest {
  const { crawlEntireDomain, allowBackwardLinks, allowSubdomains, sitemap, ignoreSitemap } = body;
  const isWholeHost = crawlEntireDomain ?? allowBackwardLinks ?? false;
  return {
    url: body.url,
    limit: body.limit,
    max_depth: body.maxDiscoveryDepth ?? body.maxDepth,
    include: body.includePaths,
    exclude: body.excludePaths,
    scope: allowSubdomains === true ? 'site' : isWholeHost ? 'host' : 'path',
    sitemap: sitemap ?? (ignoreSitemap === true ? 'skip' : 'include'),
    delay: body.delay,
  };
}

/** Three headers are options of their own. */
function readHeaders(given: Readonly<Record<string, string>>): PageOptionsBody {
  const options: PageOptionsBody = {};
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) {
    const lower = name.toLowerCase();
    if (lower === 'cookie') options.cookies = readCookies(value);
    else if (lower === 'user-agent') options.user_agent = value;
    else if (lower === 'accept-language') options.accept_language = value;
    else headers[name] = value;
  }
  return { ...options, headers: Object.keys(headers).length === 0 ? undefined : headers };
}

function readCookies(header: string): PageOptionsBody['cookies'] {
  return header.split(';').flatMap((pair) => {
    const at = pair.indexOf('=');
    if (pair.trim() === '') return [];
    return [{ name: pair.slice(0, Math.max(0, at)).trim(), value: pair.slice(at + 1).trim() }];
  });
}

/** The full page wins if both are requested; PNG, as in Firecrawl. */
function toScreenshot(parts: readonly FirecrawlFormat[]): PageOptionsBody {
  const isWhole = parts.includes('screenshot@fullPage');
  if (!isWhole && !parts.includes('screenshot')) return {};
  return { screenshot: isWhole ? 'full_page' : 'viewport', screenshot_format: 'png' };
}

/** What a failed certificate check has to do with an option that clients send by themselves. */
export function explainTls(code: ErrorCode): string {
  return code === 'tls_failed'
    ? '; skipTlsVerification has no effect here: certificates are always verified, and the operator trusts further authorities with WINNOW_CA_FILE'
    : '';
}

/** Parts of Firecrawl that this service lacks, and what to use instead. */
const MISSING: readonly (readonly [RegExp, string])[] = [
  [/^search/, 'web search is not supported: read known addresses with /v2/scrape'],
  [/^(?:extract|agent|deep-research)/, 'no language model is called: read pages with /v2/scrape for your own model'],
  [/^parse/, 'files are not accepted: read documents at their addresses with /v2/scrape'],
  [/^(?:browser|scrape\/)/, 'pages cannot be operated: read them with /v2/scrape and its waitFor'],
  [/^team/, 'of /v2/team this service has credit-usage'],
];

/** @param path of a request that no operation has */
export function explainMissing(path: string): string {
  const name = path.replace(/^\/v\d\/?/, '');
  const [, instead] = MISSING.find(([start]) => start.test(name)) ?? [];
  return `; ${instead ?? 'of Firecrawl this service has /v2/scrape, /v2/batch/scrape, /v2/crawl and /v2/map, and the same under /v1'}`;
}
