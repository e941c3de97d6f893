import type { DumpRequest, ExtractRequest } from '@winnow/client';

/** What the form of the playground says. */
export interface Order {
  readonly source: 'url' | 'snapshot';
  readonly url: string;
  readonly domId: string;
  readonly engine: string;
  readonly timeoutMs: string;
  readonly filter: boolean;
  readonly markdown: boolean;
  readonly html: boolean;
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
  markdown: false,
  html: false,
  steps: true,
  rawDom: false,
  keyOnly: false,
};

/** An engine or another option of the capture was chosen: the page is captured first, then extracted. */
export function needsDump(order: Order): boolean {
  return order.source === 'url' && (order.engine !== 'auto' || order.filter || order.timeoutMs !== '');
}

export function toDumpRequest(order: Order): DumpRequest {
  const options = {
    ...(order.engine === 'auto' ? {} : { engine_preference: order.engine }),
    ...(order.timeoutMs === '' ? {} : { timeout_ms: Number(order.timeoutMs) }),
    ...(order.filter ? { filter_scripts_styles: true } : {}),
  };
  return { url: order.url, ...(Object.keys(options).length === 0 ? {} : { options }) };
}

export function toExtractRequest(order: Order, domId?: string): ExtractRequest {
  const formats = [order.markdown && ('markdown' as const), order.html && ('html' as const)].filter(
    (one) => one !== false,
  );
  const from = domId ?? (order.source === 'snapshot' ? order.domId : undefined);
  return {
    extract: {
      ...(from === undefined ? { url: order.url } : { dom_id: from }),
      ...(formats.length === 0 ? {} : { formats }),
    },
    trace: { include_steps: order.steps, ...(order.rawDom ? { include_raw_dom: true } : {}) },
  };
}
