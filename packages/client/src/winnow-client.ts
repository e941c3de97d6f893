import type { DumpRequest, DumpResponse, ExtractRequest, ExtractResponse, ReadyResponse } from './contract-types.ts';
import { Transport } from './send.ts';
import type { CallOptions, TransportOptions } from './send.ts';

export interface WinnowClientOptions extends TransportOptions {
  /** Sent as `X-API-Key`. */
  apiKey: string;
  /** Sent as `X-Project-Id`; needed with a project-scoped key. */
  projectId?: string;
}

/**
 * The service's interface under `/v1`, with an API key. Runs in Node 20 or later and in browsers (mind
 * that a key in a page is a key in public). Every method throws the classes of `errors.ts`.
 */
export class WinnowClient {
  readonly #transport: Transport;
  readonly #headers: Record<string, string>;

  /** Throws TypeError for a base address or key that cannot be one. */
  constructor(options: WinnowClientOptions) {
    this.#transport = new Transport(options);
    this.#headers = { 'x-api-key': checkHeader('apiKey', options.apiKey) };
    if (options.projectId !== undefined) this.#headers['x-project-id'] = checkHeader('projectId', options.projectId);
  }

  /** `POST /v1/extract`: fetches a page, or takes a stored snapshot, and returns its structured content. */
  async extract(request: ExtractRequest, options?: CallOptions): Promise<ExtractResponse> {
    const call = { method: 'POST', path: '/v1/extract', body: request, headers: this.#headers } as const;
    return this.#transport.send(call, options);
  }

  /** `POST /v1/dom/dump`: captures a page; its `dom_id` can be extracted from later without another fetch. */
  async dump(request: DumpRequest, options?: CallOptions): Promise<DumpResponse> {
    const call = { method: 'POST', path: '/v1/dom/dump', body: request, headers: this.#headers } as const;
    return this.#transport.send(call, options);
  }

  /** `GET /healthz`: resolves when the process answers. */
  async health(options?: CallOptions): Promise<{ request_id: string; status: 'ok' }> {
    return this.#transport.send({ method: 'GET', path: '/healthz' }, options);
  }

  /** `GET /readyz`: each part's state; `not_ready` is an answer here, not an error. */
  async ready(options?: CallOptions): Promise<ReadyResponse> {
    return this.#transport.send({ method: 'GET', path: '/readyz', accept: [503] }, options);
  }
}

function checkHeader(name: string, value: string): string {
  if (!/^[\x21-\x7e]+$/.test(value)) {
    throw new TypeError(`${name}: must be one or more printable ASCII characters without spaces`);
  }
  return value;
}
