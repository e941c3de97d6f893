/** Interface of Jina Reader: `GET /r/URL`. */
import type { IncomingHttpHeaders } from 'node:http';
import { API_OPERATIONS, ERRORS, pageOptionsSchema, validate } from '@winnow/contract';
import type { Format, PageOptionsBody } from '@winnow/contract';
import { findSelectorFault } from '@winnow/extract/matching';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../../domain/shared/errors.ts';
import type { ExtractedPage } from '../../domain/extraction/extract-page.ts';
import { presentError, presentHeaders, presentWarnings } from '../answers/present.ts';
import { createErrorSender } from '../answers/send-error.ts';
import type { ErrorAnswer } from '../answers/send-error.ts';
import { addOperations } from '../routes/add-operations.ts';
import type { Work } from '../routes/add-operations.ts';
import { requireWorkflow } from '../requests/request-context.ts';
import { preparePage, extractForKey } from './extract-for-key.ts';
import type { FacadeDeps, PageWish } from './extract-for-key.ts';

const RETURN_FORMATS = ['markdown', 'text', 'html'] as const;
type ReturnFormat = (typeof RETURN_FORMATS)[number];

/** Unsupported headers, each with its accepted default. */
const REFUSED_HEADERS: Readonly<Record<string, string>> = {
  'x-base': 'initial',
  'x-detach-invisibles': 'false',
  'x-engine': 'auto',
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
  'x-md-link-style': '',
  'x-md-strong-delimiter': '',
  'x-no-gfm': 'false',
  'x-preset': '',
  'x-proxy': 'auto',
  'x-proxy-url': '',
  'x-referer': '',
  'x-remove-overlay': 'false',
  'x-remove-selector': '',
  'x-respond-timing': '',
  'x-retain-images': 'all',
  'x-retain-links': 'all',
  'x-robots-txt': 'false',
  'x-set-cookie': '',
  'x-target-selector': '',
  'x-token-budget': '',
  'x-viewport': '',
  'x-with-generated-alt': 'false',
  'x-with-iframe': 'false',
  'x-with-images-summary': 'false',
  'x-with-links-summary': 'false',
  'x-with-shadow-dom': 'false',
};

/** Headers that map to page options. */
const OPTION_HEADERS = {
  'x-locale': 'locale',
  'x-user-agent': 'user_agent',
  'x-wait-for-selector': 'wait_for',
} as const satisfies Readonly<Record<string, keyof PageOptionsBody>>;

const PREFIX = API_OPERATIONS.jina.readPage.path.slice(0, -1);
const MS_PER_SECOND = 1000;
/** A year. */
const MAX_AGE_SECONDS = 365 * 24 * 60 * 60;
const MAX_SHOWN = 100;

interface ReaderWish extends PageWish {
  readonly returnFormat: ReturnFormat;
  readonly asJson: boolean;
}

/** Adds `GET /r/URL`: returns text with title and address, or JSON for `Accept: application/json`. */
export function addJinaReader(scope: FastifyInstance, deps: FacadeDeps): void {
  scope.setErrorHandler(createErrorSender(presentFailure));
  const work: Work<typeof API_OPERATIONS.jina.readPage> = async ({ request, reply }) => {
    request.isRead = false;
    const { wish, prepared } = await requireWorkflow(request).run('request', {}, async () => {
      const read = readWish(request, deps);
      request.acceptedBody = { url: read.url, return_format: read.returnFormat };
      return { wish: read, prepared: await preparePage(request, deps, read) };
    });
    const page = await extractForKey(request, deps, prepared);
    void reply.header('Vary', 'Accept').headers(presentHeaders(page));
    if (wish.asJson) return presentPage(page, wish.returnFormat);
    return reply.type('text/plain; charset=utf-8').send(writePage(page, wish.returnFormat));
  };
  addOperations(scope, API_OPERATIONS.jina, { readPage: { exposeHeadRoute: false, work } }, deps.settings);
}

/** @throws {AppError} `invalid_request` naming an unknown or unsupported header */
function readWish({ raw, headers }: FastifyRequest, { settings }: FacadeDeps): ReaderWish {
  for (const [name, idle] of Object.entries(REFUSED_HEADERS)) {
    const value = headers[name];
    if (typeof value === 'string' && value !== '' && value.toLowerCase() !== idle)
      throw invalid(`${toHeaderName(name)}: is not supported by this service`);
  }
  const accept = headers.accept?.toLowerCase() ?? '';
  if (accept.includes('text/event-stream')) throw invalid('Accept: text/event-stream is not supported by this service');
  const returnFormat = readReturnFormat(headers['x-return-format'] ?? headers['x-respond-with']);
  const formats: Format[] = returnFormat === 'text' ? [] : [returnFormat];
  const { maxUrlLength, maxTimeoutMs } = settings.limits;
  const url = readTargetUrl(raw.url ?? '');
  if (url.length > maxUrlLength) throw invalid(`url: must have at most ${maxUrlLength} characters`);
  const timeoutMs = readSeconds('X-Timeout', headers['x-timeout'], {
    min: 1,
    max: Math.floor(maxTimeoutMs / MS_PER_SECOND),
    isCut: true,
  });
  return {
    url,
    formats,
    options: { ...readOptions(headers, settings), ...(timeoutMs === undefined ? {} : { timeout_ms: timeoutMs }) },
    maxAgeMs: readMaxAge(headers),
    returnFormat,
    asJson: accept.includes('application/json'),
  };
}

/** @throws {AppError} `invalid_request` naming the header */
function readOptions(headers: IncomingHttpHeaders, { limits, engineFamily }: FacadeDeps['settings']): PageOptionsBody {
  const schema = pageOptionsSchema({ limits, engineFamily }, { description: '' });
  const options: PageOptionsBody = {};
  for (const [header, field] of Object.entries(OPTION_HEADERS)) {
    const value = headers[header];
    if (typeof value !== 'string' || value === '') continue;
    const fault = field === 'wait_for' ? findSelectorFault(value) : undefined;
    if (fault !== undefined) throw invalid(`${toHeaderName(header)}: is not a CSS selector: ${fault}`);
    const checked = validate(schema, { [field]: value });
    if (!checked.ok) throw invalid(checked.message.replace(field, toHeaderName(header)));
    Object.assign(options, checked.value);
  }
  return options;
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
  const text = /^https?%3A/i.test(written) ? decode(written) : written;
  if (text === '') throw invalid('url: is required after /r/');
  const [, scheme, rest] = /^(https?):\/{1,2}(.*)$/is.exec(text) ?? [];
  if (scheme !== undefined) return `${scheme}://${rest}`;
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid('url: cannot be decoded');
  }
}

function readReturnFormat(value: string | string[] | undefined): ReturnFormat {
  if (value === undefined || value === '' || value === 'content') return 'markdown';
  const found = RETURN_FORMATS.find((format) => format === String(value).toLowerCase());
  if (found !== undefined) return found;
  const shown = String(value).slice(0, MAX_SHOWN);
  throw invalid(`X-Return-Format: ${shown} is not supported by this service; it has ${RETURN_FORMATS.join(', ')}`);
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

/** Formats the page as Jina Reader does. */
function writePage(page: ExtractedPage, format: ReturnFormat): string {
  const content = contentOf(page, format);
  if (format !== 'markdown') return `${content}\n`;
  const { title, publishTime } = page.extraction;
  const head = [
    `Title: ${toInertLine(title ?? '')}`,
    `URL Source: ${page.snapshot.finalUrl.replaceAll('](', ']%28')}`,
    ...(publishTime === null ? [] : [`Published Time: ${publishTime}`]),
  ];
  return `${head.join('\n\n')}\n\nMarkdown Content:\n${content}\n`;
}

/** Line ends in a title would add lines to the head; elements and links would be active in the rendered text. */
function toInertLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line
    .replaceAll(/&(?=#?\w{1,40};)/g, '&amp;')
    .replaceAll(/<(?![\s\d=])/g, '&lt;')
    .replaceAll('](', ']&#40;');
}

function presentPage(page: ExtractedPage, format: ReturnFormat) {
  const { extraction, snapshot } = page;
  return {
    code: 200,
    status: 20_000,
    data: {
      title: extraction.title ?? '',
      description: extraction.description ?? '',
      url: snapshot.finalUrl,
      [format === 'markdown' ? 'content' : format]: contentOf(page, format),
      ...(extraction.publishTime === null ? {} : { publishedTime: extraction.publishTime }),
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
  const error = presentError(failure);
  const name = failure.code;
  const body = { data: null, code: status, status: status * 100, name, message: error.message };
  return {
    status,
    body: { ...body, readableMessage: `${name}: ${error.message}`, request_id: request.id, error },
  };
}
