import type { DumpRequest, ExtractRequest } from '@winnow/client';

type Extract = ExtractRequest['extract'];
export type ChosenOptions = NonNullable<DumpRequest['options']>;
/** The options of the content and the formats. */
export type Content = Omit<Extract, 'url' | 'dom_id' | 'options'>;
export type ChosenMarkdown = NonNullable<Content['markdown']>;
type RequestedField = NonNullable<Content['fields']>[number];

/** The playground's form: parts of the request as the API names them. Absent options have their defaults. */
export interface Order {
  readonly source: 'url' | 'snapshot';
  readonly url: string;
  readonly domId: string;
  readonly options: ChosenOptions;
  readonly content: Content;
  readonly trace: NonNullable<ExtractRequest['trace']>;
  readonly isStandalone: boolean;
}

export const EMPTY_ORDER: Order = {
  source: 'url',
  url: '',
  domId: '',
  options: {},
  content: {},
  trace: { include_steps: true },
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

/** Returns the number of options that differ from the default. */
export function countOptions({ source, options, content }: Order): number {
  const { formats: _formats, chunks: _chunks, markdown = {}, ...others } = content;
  return [source === 'url' ? options : {}, others, markdown].flatMap((part) => Object.keys(part)).length;
}

export function toDumpRequest({ url, options }: Order): DumpRequest {
  return { url, ...withOptions(options) };
}

/** @param domId snapshot of an earlier call, to use instead of the page */
export function toExtractRequest(
  { source, url, domId: given, options, content, trace }: Order,
  domId?: string,
): ExtractRequest {
  const from = domId ?? (source === 'snapshot' ? given : undefined);
  const page = from === undefined ? { url, ...withOptions(options) } : { dom_id: from };
  return { extract: { ...page, ...content }, trace: { include_steps: false, ...trace } };
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
  const { extract, trace = {} } = body as ExtractRequest;
  const { url = '', dom_id: domId, options, ...content } = extract;
  return {
    ...EMPTY_ORDER,
    source: domId === undefined ? 'url' : 'snapshot',
    url,
    domId: domId ?? '',
    options: readOptions(options),
    content: changed(content, { fields: content.fields?.filter((field) => typeof field === 'object') }),
    trace: { include_steps: true, ...trace },
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
