import type {
  BatchBody,
  BatchItemLine,
  BatchLine,
  BatchOptionsLine,
  BatchRequest,
  CrawlRequest,
  BatchResponse,
  CreateSnapshotResponse,
  DeletedResponse,
  DumpRequest,
  DumpResponse,
  ExtractRequest,
  ExtractResponse,
  ReadyResponse,
  SnapshotRequest,
} from './contract-types.ts';
import { Transport, type Call, type CallOptions, type TransportOptions } from './send.ts';
import { waitUntilEnded, type WaitOptions } from './wait-for-batch.ts';

export interface WinnowClientOptions extends TransportOptions {
  /** Sent as `X-API-Key`. */
  apiKey: string;
  /** Sent as `X-Project-Id`; needed with a project key. */
  projectId?: string | undefined;
}

/** What became of one of several pages: an answer, or the error of its call. */
export type PageOutcome<Asked = ExtractRequest | string> =
  | { readonly request: Asked; readonly answer: ExtractResponse; readonly error?: undefined }
  | { readonly request: Asked; readonly answer?: undefined; readonly error: unknown };

/** Calls at the same time of `extractMany`. */
const CONCURRENCY = 4;

/** Results per request: some are large. */
const RESULTS_PAGE = 200;

/**
 * The service's interface under `/v1`, with an API key. Runs in Node 20 or later and in browsers (a key in a public
 * page is public). Every method throws the classes of `errors.ts`.
 */
export class WinnowClient {
  readonly #transport: Transport;
  readonly #headers: Record<string, string>;

  /** Throws TypeError for an invalid base address or key. */
  constructor(options: WinnowClientOptions) {
    this.#transport = new Transport(options);
    this.#headers = { 'x-api-key': checkHeader('apiKey', options.apiKey) };
    if (options.projectId !== undefined) this.#headers['x-project-id'] = checkHeader('projectId', options.projectId);
  }

  /**
   * `POST /v1/extract`: fetches a page, or takes a stored snapshot, and returns its structured content.
   *
   * @param request the body, or just the address of a page
   */
  async extract(request: ExtractRequest | string, options?: CallOptions): Promise<ExtractResponse> {
    const body = typeof request === 'string' ? { extract: { url: request } } : request;
    return this.#transport.send({ method: 'POST', path: '/v1/extract', body, headers: this.#headers }, options);
  }

  /**
   * Extracts pages, some at the same time, and yields what became of each in the order of the requests. A failure ends
   * only its own page. For thousands of pages a batch is better.
   */
  async *extractMany<Asked extends ExtractRequest | string>(
    requests: Iterable<Asked>,
    { concurrency = CONCURRENCY, ...options }: CallOptions & { concurrency?: number | undefined } = {},
  ): AsyncGenerator<PageOutcome<Asked>, void> {
    const running: Promise<PageOutcome<Asked>>[] = [];
    for (const request of requests) {
      running.push(
        this.extract(request, options).then(
          (answer) => ({ request, answer }),
          (error: unknown) => ({ request, error }),
        ),
      );
      const first = running.length < concurrency ? undefined : running.shift();
      if (first !== undefined) yield await first;
    }
    for (const last of running) yield await last;
  }

  /**
   * `POST /v1/dom/dump`: captures a page; its `dom_id` can be extracted from later without another fetch.
   *
   * @param request the body, or just the address of a page
   */
  async dump(request: DumpRequest | string, options?: CallOptions): Promise<DumpResponse> {
    const body = typeof request === 'string' ? { url: request } : request;
    const call = { method: 'POST', path: '/v1/dom/dump', body, headers: this.#headers } as const;
    return this.#transport.send(call, options);
  }

  /**
   * `POST /v1/batches`: extracts up to 100,000 pages in the background. With an idempotency key it can be repeated
   * safely: the answer is the existing batch.
   */
  async createBatch(
    request: BatchRequest,
    options: CallOptions & { idempotencyKey?: string | undefined } = {},
  ): Promise<BatchBody> {
    return this.#sendBatch('/v1/batches', { body: request }, options);
  }

  /**
   * `POST /v1/crawls`: extracts the pages of a site by following its links. The answer is a batch that grows, so that the
   * methods for batches take its id, too.
   */
  async createCrawl(
    request: CrawlRequest,
    options: CallOptions & { idempotencyKey?: string | undefined } = {},
  ): Promise<BatchBody> {
    return this.#sendBatch('/v1/crawls', { body: request }, options);
  }

  /**
   * As {@link createBatch}, sent as JSON Lines: better for many items, and URLs and snapshots may be mixed. The results
   * are in the order of the items.
   */
  async createBatchFromItems(
    items: Iterable<BatchItemLine>,
    options: CallOptions & { idempotencyKey?: string | undefined; batch?: BatchOptionsLine | undefined } = {},
  ): Promise<BatchBody> {
    const { batch, ...rest } = options;
    const lines = batch === undefined ? [...items] : [batch, ...items];
    return this.#sendBatch('/v1/batches', { bodyLines: lines }, rest);
  }

  async #sendBatch(
    path: string,
    body: Pick<Call, 'body' | 'bodyLines'>,
    options: CallOptions & { idempotencyKey?: string | undefined },
  ): Promise<BatchBody> {
    const { idempotencyKey, ...rest } = options;
    const headers =
      idempotencyKey === undefined
        ? this.#headers
        : { ...this.#headers, 'idempotency-key': checkHeader('idempotencyKey', idempotencyKey) };
    const call = { method: 'POST', path, ...body, headers } as const;
    return (await this.#transport.send<BatchResponse>(call, rest)).batch;
  }

  /** `GET /v1/batches/{id}`: the progress of a batch. */
  async batch(id: string, options?: CallOptions): Promise<BatchBody> {
    return this.#answerBatch('GET', `/v1/batches/${encodeURIComponent(id)}`, options);
  }

  /**
   * Returns the batch once it is completed, or cancelled and its last item has ended. Rejects with WinnowTimeoutError
   * after `timeoutMs`, which bounds the whole wait here.
   */
  async waitForBatch(id: string, options: WaitOptions = {}): Promise<BatchBody> {
    return waitUntilEnded((call) => this.batch(id, call), options);
  }

  /** `POST /v1/batches/{id}/cancel`: waiting items never start; running items are finished. */
  async cancelBatch(id: string, options?: CallOptions): Promise<BatchBody> {
    return this.#answerBatch('POST', `/v1/batches/${encodeURIComponent(id)}/cancel`, options);
  }

  /** `DELETE /v1/batches/{id}`: removes a batch with its items and results; a running batch is cancelled first. */
  async deleteBatch(id: string, options?: CallOptions): Promise<DeletedResponse> {
    return this.#delete(`/v1/batches/${encodeURIComponent(id)}`, options);
  }

  /** `GET /v1/crawls/{id}`: the progress of a crawl: `total` are the pages found so far, `crawl.skipped` what was left out. */
  async crawl(id: string, options?: CallOptions): Promise<BatchBody> {
    return this.#answerBatch('GET', `/v1/crawls/${encodeURIComponent(id)}`, options);
  }

  /** As {@link waitForBatch}, for a crawl. */
  async waitForCrawl(id: string, options: WaitOptions = {}): Promise<BatchBody> {
    return waitUntilEnded((call) => this.crawl(id, call), options);
  }

  /** `POST /v1/crawls/{id}/cancel`: waiting pages never start, and no further ones are found; running pages are finished. */
  async cancelCrawl(id: string, options?: CallOptions): Promise<BatchBody> {
    return this.#answerBatch('POST', `/v1/crawls/${encodeURIComponent(id)}/cancel`, options);
  }

  /** `DELETE /v1/crawls/{id}`: removes a crawl with its pages and results; a running crawl is cancelled first. */
  async deleteCrawl(id: string, options?: CallOptions): Promise<DeletedResponse> {
    return this.#delete(`/v1/crawls/${encodeURIComponent(id)}`, options);
  }

  /** `GET /v1/crawls/{id}/results`: as {@link batchResults}, in the order in which the pages were found. */
  async *crawlResults(id: string, after = -1, options?: CallOptions): AsyncGenerator<BatchLine, void> {
    yield* this.#readLines(`/v1/crawls/${encodeURIComponent(id)}/results`, after, options);
  }

  /** `POST /v1/snapshots`: stores HTML from the caller as a snapshot; nothing is fetched. */
  async createSnapshot(request: SnapshotRequest, options?: CallOptions): Promise<CreateSnapshotResponse> {
    const call = { method: 'POST', path: '/v1/snapshots', body: request, headers: this.#headers } as const;
    return this.#transport.send(call, options);
  }

  /** `GET /v1/snapshots/{dom_id}/screenshot`: the picture of a snapshot, as the bytes of its file. */
  async screenshot(domId: string, options?: CallOptions): Promise<Uint8Array> {
    const path = `/v1/snapshots/${encodeURIComponent(domId)}/screenshot`;
    return this.#transport.sendForBytes({ method: 'GET', path, headers: this.#headers }, options);
  }

  /** `GET /v1/snapshots/{dom_id}/mhtml`: a snapshot with its loaded resources, as the bytes of an MHTML file. */
  async mhtml(domId: string, options?: CallOptions): Promise<Uint8Array> {
    const path = `/v1/snapshots/${encodeURIComponent(domId)}/mhtml`;
    return this.#transport.sendForBytes({ method: 'GET', path, headers: this.#headers }, options);
  }

  /** `DELETE /v1/snapshots/{dom_id}`: removes a snapshot. */
  async deleteSnapshot(domId: string, options?: CallOptions): Promise<DeletedResponse> {
    return this.#delete(`/v1/snapshots/${encodeURIComponent(domId)}`, options);
  }

  /**
   * `GET /v1/batches/{id}/results`: one line per item, in the order of the request, up to the first unfinished item;
   * reads a page when it is needed. `after`: only items with an index above it.
   */
  async *batchResults(id: string, after = -1, options?: CallOptions): AsyncGenerator<BatchLine, void> {
    yield* this.#readLines(`/v1/batches/${encodeURIComponent(id)}/results`, after, options);
  }

  async *#readLines(path: string, after: number, options: CallOptions | undefined): AsyncGenerator<BatchLine, void> {
    for (let last = after; ;) {
      const query = { limit: RESULTS_PAGE, after: last < 0 ? undefined : last };
      const lines = await this.#transport.sendForLines<BatchLine>(
        { method: 'GET', path, query, headers: this.#headers },
        options,
      );
      yield* lines;
      if (lines.length < RESULTS_PAGE) return;
      last = lines.at(-1)?.index ?? last;
    }
  }

  async #answerBatch(method: Call['method'], path: string, options: CallOptions | undefined): Promise<BatchBody> {
    return (await this.#transport.send<BatchResponse>({ method, path, headers: this.#headers }, options)).batch;
  }

  async #delete(path: string, options: CallOptions | undefined): Promise<DeletedResponse> {
    return this.#transport.send({ method: 'DELETE', path, headers: this.#headers }, options);
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

/** Untyped callers may pass anything, such as an unset environment variable. */
function checkHeader(name: string, value: unknown): string {
  if (typeof value !== 'string' || !/^[\x21-\x7e]+$/.test(value)) {
    throw new TypeError(`${name}: must be one or more printable ASCII characters without spaces`);
  }
  return value;
}
