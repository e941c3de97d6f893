import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { ByteCollector } from '../../domain/shared/byte-collector.ts';
import { requestPathOf } from '../../egress/policy/check-url.ts';
import type { RequestIdentity } from '../shared/request-identity.ts';

interface ExchangeOptions {
  readonly dispatcher: Dispatcher;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Above it the request fails with `tooLarge`. */
  readonly maxBytes: number;
  readonly tooLarge: () => Error;
}

export interface ResponseHead {
  readonly statusCode: number;
  readonly headers: IncomingHttpHeaders;
}

/** A body as it was sent. */
interface EncodedBody {
  readonly bytes: Buffer;
  /** Why the connection broke off before its end. */
  readonly fault?: Error;
}

/**
 * One GET request on undici's dispatcher: `undici.request` links requests so that V8's minor collections keep all their
 * pages in memory.
 */
export class HttpGet {
  readonly head: Promise<ResponseHead>;
  readonly body: Promise<EncodedBody>;
  readonly #head = Promise.withResolvers<ResponseHead>();
  readonly #body = Promise.withResolvers<EncodedBody>();
  readonly #options: ExchangeOptions;
  readonly #onAbort: () => void;
  #controller: Dispatcher.DispatchController | undefined;
  readonly #received = new ByteCollector();
  #maxBytes: number;
  /** Aborts a request that has not started. */
  #endedFor: Error | undefined;
  #isOver = false;

  constructor(url: URL, options: ExchangeOptions) {
    const { signal, dispatcher, headers } = options;
    this.head = this.#head.promise;
    this.body = this.#body.promise;
    this.#options = options;
    this.#maxBytes = options.maxBytes;
    // Callers may await only one of them.
    this.head.catch(() => undefined);
    this.body.catch(() => undefined);
    // Otherwise the function would be allocated in the old generation; see `TransferCell`.
    const onAbort = (): void => this.#end(signal.reason as Error);
    this.#onAbort = onAbort;
    if (signal.aborted) this.#onAbort();
    else signal.addEventListener('abort', this.#onAbort, { once: true });
    const path = requestPathOf(url);
    const limits = { headersTimeout: 0, bodyTimeout: 0, signal };
    const request = { origin: url.origin, path, method: 'GET', headers, ...limits } as const;
    try {
      dispatcher.dispatch(request, this.#createHandler());
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  limit(maxBytes: number): void {
    this.#maxBytes = Math.min(this.#maxBytes, maxBytes);
    this.#checkSize();
  }

  /** Ends the response; the body is what has arrived of it. */
  cut(fault: Error): void {
    if (this.#isOver || this.#received.length === 0) return;
    this.#body.resolve({ bytes: this.#received.take(), fault });
    this.#end(fault);
  }

  close(): void {
    // Avoids a costly stack trace.
    if (!this.#isOver) this.#end(new Error('response abandoned'));
  }

  #createHandler(): Dispatcher.DispatchHandler {
    return {
      onRequestStart: (controller) => {
        this.#controller = controller;
        if (this.#endedFor !== undefined) controller.abort(this.#endedFor);
      },
      onResponseStart: (_controller, statusCode, headers) => {
        if (statusCode >= 200) this.#head.resolve({ statusCode, headers });
      },
      onResponseData: (_controller, chunk) => {
        this.#received.add(chunk);
        this.#checkSize();
      },
      onResponseEnd: () => {
        this.#body.resolve({ bytes: this.#received.take() });
        this.#settle();
      },
      onResponseError: (_controller, error) => {
        // What has arrived of a page is worth more than an error.
        if (this.#endedFor === undefined && this.#received.length > 0)
          this.#body.resolve({ bytes: this.#received.take(), fault: error });
        this.#fail(error);
      },
    };
  }

  #checkSize(): void {
    if (this.#received.length > this.#maxBytes) this.#end(this.#options.tooLarge());
  }

  #end(reason: Error): void {
    if (this.#isOver) return;
    this.#endedFor = reason;
    this.#fail(reason);
    this.#controller?.abort(reason);
  }

  #fail(error: Error): void {
    this.#head.reject(error);
    this.#body.reject(error);
    this.#settle();
  }

  #settle(): void {
    this.#isOver = true;
    this.#received.take();
    this.#options.signal.removeEventListener('abort', this.#onAbort);
  }
}

/** Returns a browser's navigation headers, in its order. */
export function navigationHeaders({ userAgent, acceptLanguage }: RequestIdentity): Record<string, string> {
  return {
    'upgrade-insecure-requests': '1',
    'user-agent': userAgent,
    accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'sec-fetch-site': 'none',
    'sec-fetch-mode': 'navigate',
    'sec-fetch-user': '?1',
    'sec-fetch-dest': 'document',
    'accept-encoding': 'gzip, deflate, br, zstd',
    'accept-language': acceptLanguage,
  };
}
