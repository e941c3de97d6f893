/** Interface of Jina Reader: `GET /r/URL` and `POST /r/`. */
import type { IncomingHttpHeaders } from 'node:http';
import { API_OPERATIONS, ERRORS, withScheme } from '@winnow/contract';
import type { ContentFields, Format, PageOptionsBody } from '@winnow/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../domain/shared/errors.ts';
import type { ExtractedPage } from '../../domain/extraction/extract-page.ts';
import { presentHeaders, presentWarnings } from '../answers/present.ts';
import { answerUnknownPaths, createErrorSender, type ErrorAnswer } from '../answers/send-error.ts';
import { addOperations, type Handlers } from '../routes/add-operations.ts';
import { requireWorkflow } from '../requests/request-context.ts';
import { checkOptions, extractForKey, preparePage, presentForClient } from './extract-for-key.ts';
import type { ClientNames, FacadeDeps, PageWish } from './extract-for-key.ts';

const RETURN_FORMATS = { markdown: 'markdown', text: 'text', html: 'html', content: 'markdown' } as const;
type ReturnFormat = (typeof RETURN_FORMATS)[keyof typeof RETURN_FORMATS];

/** Headers with few values, and what the values are here. */
const ENGINES = { auto: 'auto', browser: 'stable', direct: 'http' } as const;
const IMAGES = { all: 'keep', none: 'none', alt: 'alt' } as const;
const LINK_STYLES = { inlined: 'keep', referenced: 'references', discarded: 'text' } as const;
const SUMMARIES = { true: true, false: false } as const;
const LINK_SUMMARIES = { ...SUMMARIES, all: true } as const;

/** Unsupported headers, each with its accepted default. */
const REFUSED_HEADERS: Readonly<Record<string, string>> = {
  'x-base': 'initial',
  'x-detach-invisibles': 'false',
  'x-instruction': '',
  'x-json-schema': '',
  'x-keep-img-data-url': 'false',
  'x-markdown-chunking': 'false',
  'x-max-tokens': '',
  'x-md-bullet-list-marker': '',
  'x-md-em-delimiter': '',
  'x-md-heading-style': '',
  'x-md-hr': '',
  'x-md-link-reference-style': '',
  'x-md-strong-delimiter': '',
  'x-no-gfm': 'false',
  'x-preset': '',
  'x-proxy': 'auto',
  'x-proxy-url': '',
  'x-referer': '',
  'x-remove-overlay': 'false',
  'x-respond-timing': '',
  'x-retain-links': 'all',
  'x-robots-txt': 'false',
  'x-token-budget': '',
  'x-viewport': '',
  'x-with-generated-alt': 'false',
  'x-with-iframe': 'false',
  'x-with-shadow-dom': 'false',
};

const NAMES: ClientNames = {
  url: 'url',
  locale: 'X-Locale',
  user_agent: 'X-User-Agent',
  wait_for: 'X-Wait-For-Selector',
  include_tags: 'X-Target-Selector',
  exclude_tags: 'X-Remove-Selector',
  cookies: 'X-Set-Cookie',
  engine_preference: 'X-Engine',
  timeout_ms: 'X-Timeout',
};

const PREFIX = API_OPERATIONS.jina.readPage.path.slice(0, -1);
const MS_PER_SECOND = 1000;
/** A year. */
const MAX_AGE_SECONDS = 365 * 24 * 60 * 60;
const MAX_SHOWN = 100;

interface ReaderWish extends PageWish {
  readonly returnFormat: ReturnFormat;
  readonly asJson: boolean;
  readonly withLinks: boolean;
  readonly withImages: boolean;
}

/** Adds the operations: they return text with title and address, or JSON for `Accept: application/json`. */
export function addJinaReader(scope: FastifyInstance, deps: FacadeDeps): void {
  const sendFailure = createErrorSender(presentFailure);
  scope.setErrorHandler(sendFailure);
  answerUnknownPaths(scope, PREFIX.slice(0, -1), sendFailure);
  const read = async (request: FastifyRequest, reply: FastifyReply, readUrl: () => string) => {
    request.isRead = false;
    const { wish, prepared } = await requireWorkflow(request).run('request', {}, async () => {
      const wanted = readWish(request, readUrl, deps);
      request.acceptedBody = { url: wanted.url, return_format: wanted.returnFormat };
      return { wish: wanted, prepared: await preparePage(request, deps, wanted) };
    });
    const page = await extractForKey(request, deps, prepared);
    void reply.header('Vary', 'Accept').headers(presentHeaders(page));
    if (wish.asJson) return presentPage(page, wish);
    return reply.type('text/plain; charset=utf-8').send(writePage(page, wish));
  };
  const handlers: Handlers<typeof API_OPERATIONS.jina> = {
    readPage: {
      exposeHeadRoute: false,
      work: ({ request, reply }) => read(request, reply, () => readTargetUrl(request.raw.url ?? '')),
    },
    readPostedPage: ({ request, reply, readBody }) => read(request, reply, () => readBody().url),
  };
  addOperations(scope, API_OPERATIONS.jina, handlers, deps.settings);
}

/** @throws {AppError} `invalid_request` naming an unknown or unsupported header */
function readWish({ headers }: FastifyRequest, readUrl: () => string, { settings }: FacadeDeps): ReaderWish {
  for (const [name, idle] of Object.entries(REFUSED_HEADERS)) {
    const value = headers[name];
    if (typeof value === 'string' && value !== '' && value.toLowerCase() !== idle)
      throw invalid(`${toHeaderName(name)}: is not supported by this service`);
  }
  const accept = headers.accept?.toLowerCase() ?? '';
  if (accept.includes('text/event-stream')) throw invalid('Accept: text/event-stream is not supported by this service');
  const formatName = headers['x-respond-with'] === undefined ? 'x-return-format' : 'x-respond-with';
  const returnFormat = readChoice(headers, formatName, RETURN_FORMATS) ?? 'markdown';
  const formats: Format[] = returnFormat === 'text' ? [] : [returnFormat];
  const { maxUrlLength, maxTimeoutMs } = settings.limits;
  const url = readUrl();
  if (url.length > maxUrlLength) throw invalid(`url: must have at most ${maxUrlLength} characters`);
  const timeoutMs = readSeconds('X-Timeout', headers['x-timeout'], {
    min: 1,
    max: Math.floor(maxTimeoutMs / MS_PER_SECOND),
    isCut: true,
  });
  return {
    url,
    formats,
    markdown: readMarkdown(headers),
    options: readOptions(headers, timeoutMs, settings),
    maxAgeMs: readMaxAge(headers),
    returnFormat,
    withLinks: readChoice(headers, 'x-with-links-summary', LINK_SUMMARIES) ?? false,
    withImages: readChoice(headers, 'x-with-images-summary', SUMMARIES) ?? false,
    asJson: accept.includes('application/json'),
  };
}

function readMarkdown(headers: IncomingHttpHeaders): ContentFields['markdown'] {
  const links = readChoice(headers, 'x-md-link-style', LINK_STYLES);
  const images = readChoice(headers, 'x-retain-images', IMAGES);
  return { ...(links && { links }), ...(images && { images }) };
}

/** @throws {AppError} `invalid_request` with the names of our options */
function readOptions(
  headers: IncomingHttpHeaders,
  timeoutMs: number | undefined,
  settings: FacadeDeps['settings'],
): PageOptionsBody {
  const list = (name: string): string[] => [headers[name] ?? []].flat().filter((value) => value !== '');
  const cookies = list('x-set-cookie').flatMap(readCookies);
  const options = {
    locale: list('x-locale')[0],
    user_agent: list('x-user-agent')[0],
    wait_for: list('x-wait-for-selector')[0],
    include_tags: list('x-target-selector'),
    exclude_tags: list('x-remove-selector'),
    cookies: cookies.length === 0 ? undefined : cookies,
    engine_preference: readChoice(headers, 'x-engine', ENGINES),
    timeout_ms: timeoutMs,
  };
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return checkOptions(Object.fromEntries(given), settings);
}

/** Reads the syntax of Set-Cookie; a repeated header is joined with commas. Attributes that only a later request needs have no effect. */
function readCookies(header: string): NonNullable<PageOptionsBody['cookies']> {
  return header.split(/,(?=[^;,=]+=)/).map((text) => {
    const [pair = '', ...attributes] = text.split(';');
    const [name, value] = splitPair(pair);
    const attributeOf = new Map(attributes.map(splitPair).map(([key, given]) => [key.toLowerCase(), given]));
    const domain = attributeOf.get('domain') || undefined;
    const path = attributeOf.get('path') || undefined;
    return {
      name,
      value,
      ...(domain === undefined ? {} : { domain }),
      ...(path === undefined ? {} : { path }),
      ...(attributeOf.has('secure') ? { secure: true } : {}),
    };
  });
}

function splitPair(text: string): [string, string] {
  const at = text.indexOf('=');
  return at === -1 ? [text.trim(), ''] : [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}

/** Returns the tolerated age of a stored snapshot in milliseconds; undefined tolerates none. */
function readMaxAge(headers: IncomingHttpHeaders): number | undefined {
  const noCache = headers['x-no-cache'];
  if (noCache !== undefined && noCache !== 'false') return undefined;
  return readSeconds('X-Cache-Tolerance', headers['x-cache-tolerance'], { min: 0, max: MAX_AGE_SECONDS });
}

/**
 * Reads the address after `/r/`: plain with its query, fully encoded, without a scheme, or with one slash after the
 * scheme, as some proxies rewrite it.
 */
function readTargetUrl(path: string): string {
  const written = path.slice(path.indexOf(PREFIX) + PREFIX.length);
  const text = /^https?%3A/i.test(written) ? decode(written).trim() : written;
  const [, scheme, rest] = /^(https?):\/{1,2}(.*)$/is.exec(text) ?? [];
  if (scheme !== undefined) return `${scheme}://${rest}`;
  return withScheme(text);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid('url: cannot be decoded');
  }
}

/** @throws {AppError} `invalid_request` for another value than those of the choices */
function readChoice<const T extends Readonly<Record<string, unknown>>>(
  headers: IncomingHttpHeaders,
  name: string,
  choices: T,
): T[keyof T] | undefined {
  const value = headers[name];
  if (value === undefined || value === '') return undefined;
  const chosen = String(value).toLowerCase();
  if (Object.hasOwn(choices, chosen)) return choices[chosen] as T[keyof T];
  const shown = String(value).slice(0, MAX_SHOWN);
  const known = Object.keys(choices).join(', ');
  throw invalid(`${toHeaderName(name)}: ${shown} is not supported by this service; it has ${known}`);
}

/** Reads a header in seconds; returns milliseconds. */
function readSeconds(
  name: string,
  value: string | string[] | undefined,
  { min, max, isCut = false }: { readonly min: number; readonly max: number; readonly isCut?: boolean },
): number | undefined {
  if (value === undefined || value === '') return undefined;
  const seconds = isCut ? Math.min(Number(value), max) : Number(value);
  if (Number.isInteger(seconds) && seconds >= min && seconds <= max) return seconds * MS_PER_SECOND;
  throw invalid(`${name}: must be whole seconds from ${min} to ${max}`);
}

/** Returns the usual spelling, `X-Set-Cookie` for `x-set-cookie`. */
function toHeaderName(name: string): string {
  return name.replaceAll(/(?<=^|-)[a-z]/g, (letter) => letter.toUpperCase());
}

function invalid(message: string): AppError {
  return new AppError('invalid_request', message);
}

function contentOf({ extraction }: ExtractedPage, format: ReturnFormat): string {
  const { mainText, markdown = '', html = '' } = extraction;
  return { text: mainText, markdown, html }[format].trim();
}

function writePage(page: ExtractedPage, wish: ReaderWish): string {
  const content = contentOf(page, wish.returnFormat);
  if (wish.returnFormat !== 'markdown') return `${content}\n`;
  const { title, publishTime } = page.extraction;
  const head = [
    `Title: ${toInertLine(title ?? '')}`,
    `URL Source: ${page.snapshot.finalUrl.replaceAll('](', ']%28')}`,
    ...(publishTime === null ? [] : [`Published Time: ${publishTime}`]),
  ];
  const { links, images } = summarize(page, wish);
  const tail = [
    ...(images === undefined ? [] : [writeList('Images:', '!', images)]),
    ...(links === undefined ? [] : [writeList('Links/Buttons:', '', links)]),
  ];
  return `${head.join('\n\n')}\n\nMarkdown Content:\n${[content, ...tail].join('\n\n')}\n`;
}

function writeList(heading: string, mark: string, entries: Readonly<Record<string, string>>): string {
  const lines = Object.entries(entries).map(([name, url]) => {
    const label = toInertLine(name).replaceAll(/[[\]]/g, String.raw`\$&`);
    return `- ${mark}[${label}](${url.replaceAll('(', '%28').replaceAll(')', '%29')})`;
  });
  return [heading, ...lines].join('\n');
}

interface Summaries {
  readonly links?: Readonly<Record<string, string>>;
  readonly images?: Readonly<Record<string, string>>;
}

/** Addresses by their names, as in Jina Reader; where two have one name, the second is named by its address. */
function summarize({ extraction }: ExtractedPage, { withLinks, withImages }: ReaderWish): Summaries {
  const links = new Map<string, string>();
  for (const { url, text } of extraction.links) links.set(text === '' || links.has(text) ? url : text, url);
  const images = extraction.images.map(({ url, alt }, index) => [`Image ${index + 1}${alt ? `: ${alt}` : ''}`, url]);
  return {
    ...(withLinks ? { links: Object.fromEntries(links) } : {}),
    ...(withImages ? { images: Object.fromEntries(images) } : {}),
  };
}

/** Line ends in a title would add lines to the head; elements and links would be active in the rendered text. */
function toInertLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line
    .replaceAll(/&(?=#?\w{1,40};)/g, '&amp;')
    .replaceAll(/<(?![\s\d=])/g, '&lt;')
    .replaceAll('](', ']&#40;');
}

function presentPage(page: ExtractedPage, wish: ReaderWish) {
  const { extraction, snapshot } = page;
  const { returnFormat: format } = wish;
  return {
    code: 200,
    status: 20_000,
    data: {
      title: extraction.title ?? '',
      description: extraction.description ?? '',
      url: snapshot.finalUrl,
      [format === 'markdown' ? 'content' : format]: contentOf(page, format),
      ...(extraction.publishTime === null ? {} : { publishedTime: extraction.publishTime }),
      ...summarize(page, wish),
      metadata: {
        lang: extraction.language,
        author: extraction.author,
        dom_id: snapshot.domId,
        template_id: page.templateId,
        confidence: extraction.confidence,
        warnings: presentWarnings(page),
      },
    },
  };
}

function presentFailure(failure: AppError, request: FastifyRequest): ErrorAnswer {
  const { status } = ERRORS[failure.code];
  const named = presentForClient(failure, NAMES);
  // One header has one value.
  const hint = request.is404 ? `; the address of the page follows ${PREFIX}` : '';
  const error = { ...named, message: named.message.replace(/^(X-[\w-]+)\[\d+\](?:\.\w+)?(?=:)/, '$1') + hint };
  const name = failure.code;
  const body = { data: null, code: status, status: status * 100, name, message: error.message };
  return {
    status,
    body: { ...body, readableMessage: `${name}: ${error.message}`, request_id: request.id, error },
  };
}
