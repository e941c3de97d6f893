import type { DumpRequest, EngineSpelling, ExtractRequest } from '@winnow/client';

type Content = ExtractRequest['extract'];
type PageOptions = NonNullable<DumpRequest['options']>;
type MarkdownOptions = NonNullable<Content['markdown']>;

export type Favor = NonNullable<Content['favor']>;
export type HiddenText = NonNullable<Content['hidden_text']>;
export type Links = NonNullable<MarkdownOptions['links']>;
export type Images = NonNullable<MarkdownOptions['images']>;
export type Device = NonNullable<PageOptions['device']>;
export type Resource = NonNullable<PageOptions['block']>[number];
export type Screenshot = 'none' | NonNullable<PageOptions['screenshot']>;
export type ScreenshotFormat = NonNullable<PageOptions['screenshot_format']>;

/** Values of the playground's form. */
export interface Order {
  readonly source: 'url' | 'snapshot';
  readonly url: string;
  readonly domId: string;
  /** From the service's list. */
  readonly engine: string;
  readonly timeoutMs: string;
  readonly acceptLanguage: string;
  readonly userAgent: string;
  readonly device: Device;
  /** A selector or milliseconds. */
  readonly waitFor: string;
  readonly block: readonly Resource[];
  /** Selectors, one per line. */
  readonly includeTags: string;
  readonly excludeTags: string;
  readonly screenshot: Screenshot;
  readonly screenshotFormat: ScreenshotFormat;
  readonly mhtml: boolean;
  readonly filter: boolean;
  readonly favor: Favor;
  readonly hiddenText: HiddenText;
  readonly links: Links;
  readonly images: Images;
  readonly title: boolean;
  /** `name: selector`, one per line. */
  readonly fields: string;
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
  acceptLanguage: '',
  userAgent: '',
  device: 'desktop',
  waitFor: '',
  block: [],
  includeTags: '',
  excludeTags: '',
  screenshot: 'none',
  screenshotFormat: 'webp',
  mhtml: false,
  filter: false,
  favor: 'balanced',
  hiddenText: 'drop',
  links: 'keep',
  images: 'keep',
  title: false,
  fields: '',
  markdown: false,
  html: false,
  stated: false,
  chunks: false,
  steps: true,
  rawDom: false,
  keyOnly: false,
};

const FORMATS = ['markdown', 'html', 'stated'] as const;

/** Names of the options that differ from the default. */
export function listSetOptions(order: Order): string[] {
  const content = toContent(order);
  const options = order.source === 'url' ? toOptions(order) : {};
  const { markdown = {}, ...others } = content;
  return [options, others, markdown].flatMap((part) => Object.keys(part));
}

export function toDumpRequest(order: Order): DumpRequest {
  const options = toOptions(order);
  return { url: order.url, ...(isEmpty(options) ? {} : { options }) };
}

/** @param domId snapshot of an earlier call, to use instead of the page */
export function toExtractRequest(order: Order, domId?: string): ExtractRequest {
  const formats = FORMATS.filter((format) => order[format]);
  const from = domId ?? (order.source === 'snapshot' ? order.domId : undefined);
  const options = from === undefined ? toOptions(order) : {};
  return {
    extract: {
      ...(from === undefined ? { url: order.url } : { dom_id: from }),
      ...(formats.length === 0 ? {} : { formats }),
      ...(order.chunks ? { chunks: {} } : {}),
      ...toContent(order),
      ...(isEmpty(options) ? {} : { options }),
    },
    trace: { include_steps: order.steps, ...(order.rawDom ? { include_raw_dom: true } : {}) },
  };
}

function toOptions(order: Order): PageOptions {
  const include = listLines(order.includeTags);
  const exclude = listLines(order.excludeTags);
  return {
    ...(order.engine === 'auto' ? {} : { engine_preference: order.engine as EngineSpelling }),
    ...(order.timeoutMs === '' ? {} : { timeout_ms: Number(order.timeoutMs) }),
    ...(order.acceptLanguage === '' ? {} : { accept_language: order.acceptLanguage }),
    ...(order.userAgent === '' ? {} : { user_agent: order.userAgent }),
    ...(order.device === 'desktop' ? {} : { device: order.device }),
    ...(order.waitFor === '' ? {} : { wait_for: toWaitFor(order.waitFor) }),
    ...(order.block.length === 0 ? {} : { block: [...order.block] }),
    ...(order.screenshot === 'none' ? {} : { screenshot: order.screenshot }),
    ...(order.screenshot === 'none' || order.screenshotFormat === 'webp'
      ? {}
      : { screenshot_format: order.screenshotFormat }),
    ...(order.mhtml ? { mhtml: true } : {}),
    ...(include.length === 0 ? {} : { include_tags: include }),
    ...(exclude.length === 0 ? {} : { exclude_tags: exclude }),
    ...(order.filter ? { filter_scripts_styles: true } : {}),
  };
}

function toContent(order: Order): Pick<Content, 'favor' | 'hidden_text' | 'markdown' | 'fields'> {
  const markdown = {
    ...(order.links === 'keep' ? {} : { links: order.links }),
    ...(order.images === 'keep' ? {} : { images: order.images }),
    ...(order.title ? { title: true } : {}),
  };
  const fields = listLines(order.fields).map(toField);
  return {
    ...(order.favor === 'balanced' ? {} : { favor: order.favor }),
    ...(order.hiddenText === 'drop' ? {} : { hidden_text: order.hiddenText }),
    ...(isEmpty(markdown) ? {} : { markdown }),
    ...(fields.length === 0 ? {} : { fields }),
  };
}

function toWaitFor(text: string): string | number {
  return /^\d+$/.test(text) ? Number(text) : text;
}

function toField(line: string): { name: string; selector: string } {
  const [name = '', ...rest] = line.split(':');
  return { name: name.trim(), selector: rest.join(':').trim() };
}

function listLines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0;
}
