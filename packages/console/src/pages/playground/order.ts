import type { DumpRequest, ExtractRequest } from '@winnow/client';
import { withScheme } from '@winnow/contract/with-scheme';

type Extract = ExtractRequest['extract'];
export type ChosenOptions = NonNullable<DumpRequest['options']>;
/** The options of the content and the formats. */
export type Content = Omit<Extract, 'url' | 'dom_id' | 'options'>;
export type ChosenMarkdown = NonNullable<Content['markdown']>;
type RequestedField = NonNullable<Content['fields']>[number];

export type Workflow = NonNullable<ExtractRequest['workflow']>;
export type Chunks = NonNullable<Content['chunks']>;

/** The playground's form: parts of the request as the API names them. Absent options have their defaults. */
export interface Order {
  readonly source: 'url' | 'snapshot';
  readonly url: string;
  readonly domId: string;
  readonly options: ChosenOptions;
  readonly content: Content;
  readonly trace: NonNullable<ExtractRequest['trace']>;
  readonly workflow: Workflow;
  /** The header; empty: none. */
  readonly cacheControl: string;
  readonly isStandalone: boolean;
}

const EMPTY_ORDER: Order = {
  source: 'url',
  url: '',
  domId: '',
  options: {},
  content: { formats: ['markdown'] },
  trace: { include_steps: true },
  workflow: {},
  cacheControl: '',
  isStandalone: false,
};

/** Returns the object with the change; values that are undefined, false or empty leave the object. */
export function changed<T extends object>(object: T, change: Partial<T>): T {
  const entries = Object.entries({ ...object, ...change }).filter(
    ([, value]) =>
      value !== undefined && value !== false && value !== '' && !(Array.isArray(value) && value.length === 0),
  );
  return Object.fromEntries(entries) as T;
}

export function countOptions({ source, options, content, workflow, cacheControl }: Order): number {
  const { formats: _formats, chunks = {}, markdown = {}, ...others } = content;
  const ofPage = source === 'url' ? { ...options, ...(cacheControl === '' ? {} : { cacheControl }) } : {};
  return [ofPage, others, markdown, chunks, workflow].flatMap((part) => Object.keys(part)).length;
}

/** Parameters of the address from which {@link readOrder} makes the form again, without the values of headers and cookies. */
export function writeOrder(order: Order): URLSearchParams {
  const { headers: _headers, cookies: _cookies, ...options } = order.options;
  const parts = Object.entries({ ...order, options }).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(EMPTY_ORDER[name as keyof Order]),
  );
  const [first, ...more] = parts;
  if (first === undefined) return new URLSearchParams();
  if (more.length === 0 && first[0] === 'url') return new URLSearchParams({ url: order.url });
  return new URLSearchParams({ order: JSON.stringify(Object.fromEntries(parts)) });
}

/** Options and parts of the content that are lists, by the type of their items. */
const LISTS: Readonly<Record<string, 'string' | 'object'>> = {
  formats: 'string',
  include_tags: 'string',
  exclude_tags: 'string',
  block: 'string',
  cookies: 'object',
  fields: 'object',
};

/** Reads the form of an address, which anybody may have written: parts of another type are left out. */
export function readOrder(search: URLSearchParams): Order {
  const [domId, url, written] = [search.get('dom_id'), search.get('url'), search.get('order')];
  if (domId !== null) return { ...EMPTY_ORDER, source: 'snapshot', domId };
  if (url !== null) return { ...EMPTY_ORDER, url };
  const parts = Object.entries(parseObject(written ?? '')).filter(([name, value]) => {
    const usual: unknown = EMPTY_ORDER[name as keyof Order];
    return usual !== undefined && typeof value === typeof usual && value !== null && !Array.isArray(value);
  });
  const read = { ...EMPTY_ORDER, ...(Object.fromEntries(parts) as Partial<Order>) };
  return {
    ...read,
    source: read.source === 'snapshot' ? 'snapshot' : 'url',
    options: withoutOtherTypes(read.options),
    content: withoutOtherTypes(read.content),
  };
}

function withoutOtherTypes<T extends object>(values: T): T {
  const kept = Object.entries(values as Record<string, unknown>).filter(([name, value]) => {
    const type = Object.hasOwn(LISTS, name) ? LISTS[name] : undefined;
    if (type === undefined) return value !== null && !Array.isArray(value);
    return Array.isArray(value) && value.every((item) => item !== null && typeof item === type);
  });
  return Object.fromEntries(kept) as T;
}

function parseObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

export function toDumpRequest({ url, options }: Order): DumpRequest {
  return { url: withScheme(url), ...withOptions(options) };
}

/** @param domId snapshot of an earlier call, to use instead of the page */
export function toExtractRequest(
  { source, url, domId: given, options, content, trace, workflow }: Order,
  domId?: string,
): ExtractRequest {
  const from = domId ?? (source === 'snapshot' ? given : undefined);
  const page = from === undefined ? { url: withScheme(url), ...withOptions(options) } : { dom_id: from };
  return {
    extract: { ...page, ...content },
    trace: { include_steps: false, ...trace },
    ...(Object.keys(workflow).length === 0 ? {} : { workflow }),
  };
}

function withOptions(chosen: ChosenOptions): { options?: ChosenOptions } {
  // The format is of the screenshot.
  const options = chosen.screenshot === undefined ? changed(chosen, { screenshot_format: undefined }) : chosen;
  return Object.keys(options).length === 0 ? {} : { options };
}

/**
 * Returns the form for a recorded request; undefined for requests that the playground cannot make. Headers and cookies
 * are recorded by their names alone.
 */
export function fromRecorded(endpoint: string, body: unknown): Order | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  if (endpoint === '/v1/dom/dump') {
    const { url, options } = body as DumpRequest;
    return { ...EMPTY_ORDER, url, options: readOptions(options) };
  }
  if (endpoint !== '/v1/extract') return undefined;
  const { extract, trace = {}, workflow = {} } = body as ExtractRequest;
  const { url = '', dom_id: domId, options, ...content } = extract;
  return {
    ...EMPTY_ORDER,
    source: domId === undefined ? 'url' : 'snapshot',
    url,
    domId: domId ?? '',
    options: readOptions(options),
    content: changed(content, { fields: content.fields?.filter((field) => typeof field === 'object') }),
    trace: { include_steps: true, ...trace },
    workflow,
  };
}

/** Long lists are recorded in part, with a text as their last item. */
function readOptions(options: ChosenOptions = {}): ChosenOptions {
  const { headers, cookies } = options as unknown as { readonly headers?: string[]; readonly cookies?: string[] };
  return changed(options, {
    headers: headers && Object.fromEntries(headers.map((name) => [name, ''])),
    cookies: cookies?.map((name) => ({ name, value: '' })),
  });
}

/** Whether values of a recorded request are missing, so that it cannot be sent again as it was. */
export function lacksSecrets({ options: { headers, cookies } }: Order): boolean {
  return headers !== undefined || cookies !== undefined;
}

/** How an option with several values is written, one a line. */
export interface Lines<T> {
  readonly parse: (lines: readonly string[]) => T;
  readonly format: (value: T) => readonly string[];
}

export const SELECTORS: Lines<string[]> = { parse: (lines) => [...lines], format: (selectors) => selectors };

export const HEADER_LINES: Lines<Record<string, string>> = {
  parse: (lines) => Object.fromEntries(lines.map((line) => splitPair(line, ':'))),
  format: (headers) => Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
};

export const COOKIE_LINES: Lines<NonNullable<ChosenOptions['cookies']>> = {
  parse: (lines) => lines.map((line) => readRow(line, (name, value) => ({ name, value }), '=')),
  format: (cookies) =>
    cookies.map((cookie) => {
      const { name, value, ...more } = cookie;
      return Object.keys(more).length === 0 ? `${name}=${value}` : JSON.stringify(cookie);
    }),
};

export const FIELDS: Lines<RequestedField[]> = {
  parse: (lines) => lines.map((line) => readRow(line, (name, selector) => ({ name, selector }), ':')),
  format: (fields) =>
    fields.map((field) => {
      const { name, selector, ...more } = field;
      return Object.keys(more).length === 0 ? `${name}: ${selector}` : JSON.stringify(field);
    }),
};

/** A row with more than two values is written as JSON. */
function readRow<T>(line: string, make: (name: string, value: string) => T, separator: string): T {
  try {
    if (line.startsWith('{')) return JSON.parse(line) as T;
  } catch {
    // Being typed.
  }
  return make(...splitPair(line, separator));
}

function splitPair(line: string, separator: string): [name: string, value: string] {
  const at = line.indexOf(separator);
  return at < 0 ? [line.trim(), ''] : [line.slice(0, at).trim(), line.slice(at + separator.length).trim()];
}
