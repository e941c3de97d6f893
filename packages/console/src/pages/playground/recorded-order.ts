import type { DumpRequest, ExtractRequest } from '@winnow/client';
import { EMPTY_ORDER } from './order.ts';
import type { Order } from './order.ts';

/** The form for a recorded request; undefined for requests that the playground cannot make. */
export function fromRecorded(endpoint: string, body: unknown): Order | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  if (endpoint === '/v1/dom/dump') return fromDump(body as DumpRequest);
  return endpoint === '/v1/extract' ? fromExtract(body as ExtractRequest) : undefined;
}

function fromDump({ url, options }: DumpRequest): Order {
  return { ...EMPTY_ORDER, url, ...readOptions(options) };
}

function fromExtract({ extract, trace = {} }: ExtractRequest): Order {
  const { formats = [], markdown = {} } = extract;
  return {
    ...EMPTY_ORDER,
    ...readOptions(extract.options),
    source: extract.dom_id === undefined ? 'url' : 'snapshot',
    url: extract.url ?? '',
    domId: extract.dom_id ?? '',
    favor: extract.favor ?? 'balanced',
    hiddenText: extract.hidden_text ?? 'drop',
    links: markdown.links ?? 'keep',
    images: markdown.images ?? 'keep',
    title: markdown.title ?? false,
    fields: readFields(extract.fields),
    markdown: formats.includes('markdown'),
    html: formats.includes('html'),
    stated: formats.includes('stated'),
    chunks: extract.chunks !== undefined,
    steps: trace.include_steps ?? true,
    rawDom: trace.include_raw_dom ?? false,
  };
}

/** Long lists are recorded in part, with a text as their last item. */
function readFields(fields: ExtractRequest['extract']['fields'] = []): string {
  const whole = fields.filter((field) => typeof field === 'object');
  return whole.map(({ name, selector }) => `${name}: ${selector}`).join('\n');
}

/** Headers and cookies are recorded without their values. */
function readOptions(options: DumpRequest['options'] = {}): Partial<Order> {
  return {
    engine: options.engine_preference ?? 'auto',
    timeoutMs: String(options.timeout_ms ?? ''),
    acceptLanguage: options.accept_language ?? '',
    userAgent: options.user_agent ?? '',
    device: options.device ?? 'desktop',
    waitFor: String(options.wait_for ?? ''),
    block: options.block ?? [],
    includeTags: (options.include_tags ?? []).join('\n'),
    excludeTags: (options.exclude_tags ?? []).join('\n'),
    screenshot: options.screenshot ?? 'none',
    screenshotFormat: options.screenshot_format ?? 'webp',
    mhtml: options.mhtml ?? false,
    filter: options.filter_scripts_styles ?? false,
  };
}
