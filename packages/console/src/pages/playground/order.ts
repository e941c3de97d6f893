import type { DumpRequest, EngineSpelling, ExtractRequest } from '@winnow/client';

export type Favor = NonNullable<ExtractRequest['extract']['favor']>;

export type HiddenText = NonNullable<ExtractRequest['extract']['hidden_text']>;

/** Values of the playground's form. */
export interface Order {
  readonly source: 'url' | 'snapshot';
  readonly url: string;
  readonly domId: string;
  /** From the service's list. */
  readonly engine: string;
  readonly timeoutMs: string;
  readonly filter: boolean;
  readonly favor: Favor;
  readonly hiddenText: HiddenText;
  readonly markdown: boolean;
  readonly html: boolean;
  readonly stated: boolean;
  readonly chunks: boolean;
  readonly steps: boolean;
  readonly rawDom: boolean;
  readonly keyOnly: boolean;
}

export const EMPTY_ORDER: Order = {
  source: 'url',
  url: '',
  domId: '',
  engine: 'auto',
  timeoutMs: '',
  filter: false,
  favor: 'balanced',
  hiddenText: 'drop',
  markdown: false,
  html: false,
  stated: false,
  chunks: false,
  steps: true,
  rawDom: false,
  keyOnly: false,
};

const FORMATS = ['markdown', 'html', 'stated'] as const;

/** Whether the page must be captured first: an engine or another capture option is set. */
export function needsDump(order: Order): boolean {
  return order.source === 'url' && (order.engine !== 'auto' || order.filter || order.timeoutMs !== '');
}

export function toDumpRequest(order: Order): DumpRequest {
  const options = {
    ...(order.engine === 'auto' ? {} : { engine_preference: order.engine as EngineSpelling }),
    ...(order.timeoutMs === '' ? {} : { timeout_ms: Number(order.timeoutMs) }),
    ...(order.filter ? { filter_scripts_styles: true } : {}),
  };
  return { url: order.url, ...(Object.keys(options).length === 0 ? {} : { options }) };
}

export function toExtractRequest(order: Order, domId?: string): ExtractRequest {
  const formats = FORMATS.filter((format) => order[format]);
  const from = domId ?? (order.source === 'snapshot' ? order.domId : undefined);
  return {
    extract: {
      ...(from === undefined ? { url: order.url } : { dom_id: from }),
      ...(formats.length === 0 ? {} : { formats }),
      ...(order.chunks ? { chunks: {} } : {}),
      ...(order.favor === 'balanced' ? {} : { favor: order.favor }),
      ...(order.hiddenText === 'drop' ? {} : { hidden_text: order.hiddenText }),
    },
    trace: { include_steps: order.steps, ...(order.rawDom ? { include_raw_dom: true } : {}) },
  };
}

/** The form for a recorded request; undefined for requests that the playground cannot make. */
export function fromRecorded(endpoint: string, body: unknown): Order | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  if (endpoint === '/v1/dom/dump') return fromDump(body as DumpRequest);
  return endpoint === '/v1/extract' ? fromExtract(body as ExtractRequest) : undefined;
}

function fromDump({ url, options = {} }: DumpRequest): Order {
  return {
    ...EMPTY_ORDER,
    url,
    engine: options.engine_preference ?? 'auto',
    timeoutMs: String(options.timeout_ms ?? ''),
    filter: options.filter_scripts_styles ?? false,
  };
}

function fromExtract({ extract, trace = {} }: ExtractRequest): Order {
  return {
    ...EMPTY_ORDER,
    source: extract.dom_id === undefined ? 'url' : 'snapshot',
    url: extract.url ?? '',
    domId: extract.dom_id ?? '',
    markdown: extract.formats?.includes('markdown') ?? false,
    html: extract.formats?.includes('html') ?? false,
    stated: extract.formats?.includes('stated') ?? false,
    chunks: extract.chunks !== undefined,
    steps: trace.include_steps ?? true,
    rawDom: trace.include_raw_dom ?? false,
  };
}
