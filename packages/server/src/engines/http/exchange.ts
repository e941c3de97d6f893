import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';

export interface ExchangeOptions {
  readonly dispatcher: Dispatcher;
  readonly headers: Readonly<Record<string, string>>;
  /** Ends the exchange, with its reason. */
  readonly signal: AbortSignal;
  /** Bytes of body after which the exchange fails with what `tooLarge` gives. */
  readonly maxBytes: number;
  readonly tooLarge: () => Error;
}

export interface ResponseHead {
  readonly statusCode: number;
  readonly headers: IncomingHttpHeaders;
}

/**
 * One GET request and its response, read whole, on undici's own level: `undici.request` wraps the body in a stream, and
 * links each request to the next in such a way that V8's young collections keep them all, with their pages.
 */
export class Exchange {
  /** Settles with the headers of the final response. */
  readonly head: Promise<ResponseHead>;
  /** Settles with the body as it came over the wire. */
  readonly body: Promise<Buffer>;
  readonly #head = Promise.withResolvers<ResponseHead>();
  readonly #body = Promise.withResolvers<Buffer>();
  readonly #options: ExchangeOptions;
  readonly #onAbort: () => void;
  #controller: Dispatcher.DispatchController | undefined;
  #chunks: Buffer[] = [];
  #size = 0;
  #maxBytes: number;
  /** Why it was ended, before it could be. */
  #endedFor: Error | undefined;
  #isOver = false;

  constructor(url: URL, options: ExchangeOptions) {
    const { signal, dispatcher, headers } = options;
    this.head = this.#head.promise;
    this.body = this.#body.promise;
    this.#options = options;
    this.#maxBytes = options.maxBytes;
    // Who waits for one of them hears of a failure; the other may never be asked for.
    this.head.catch(() => undefined);
    this.body.catch(() => undefined);
    // Written straight into the property, the function would be allocated among the old objects; see `box.ts`.
    const onAbort = (): void => this.#end(signal.reason as Error);
    this.#onAbort = onAbort;
    if (signal.aborted) this.#onAbort();
    else signal.addEventListener('abort', this.#onAbort, { once: true });
    const path = url.pathname + url.search;
    const order = { origin: url.origin, path, method: 'GET', headers, headersTimeout: 0, bodyTimeout: 0 } as const;
    try {
      dispatcher.dispatch(order, this.#createHandler());
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  /** Lowers the bytes that the body may have. */
  limit(maxBytes: number): void {
    this.#maxBytes = Math.min(this.#maxBytes, maxBytes);
    this.#checkSize();
  }

  /** Gives the response up, unless it is complete. */
  close(): void {
    // An error is dear for what it notes of the stack, and most responses are complete by now.
    if (!this.#isOver) this.#end(new Error('nobody reads the response any more'));
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
        this.#chunks.push(chunk);
        this.#size += chunk.length;
        this.#checkSize();
      },
      onResponseEnd: () => {
        this.#body.resolve(Buffer.concat(this.#chunks));
        this.#settle();
      },
      onResponseError: (_controller, error) => this.#fail(error),
    };
  }

  #checkSize(): void {
    if (this.#size > this.#maxBytes) this.#end(this.#options.tooLarge());
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
    this.#chunks = [];
    this.#options.signal.removeEventListener('abort', this.#onAbort);
  }
}
