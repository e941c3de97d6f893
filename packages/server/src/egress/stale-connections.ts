import type net from 'node:net';
import type { Dispatcher } from 'undici';

/** How a kept-alive connection fails that its server has closed in the meantime. */
const STALE_CODES = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);
const REPEATABLE_METHODS = new Set(['GET', 'HEAD']);

/**
 * Servers close idle connections when they like, also in the moment in which the next request is sent. As RFC 9112,
 * 9.3.1, lets clients do, a request for which nothing came back on a connection that had served before is repeated:
 * once, on a connection of its own, and only where it has no body and changes nothing at the server.
 */
export class StaleConnections {
  /** Failures of connections on which something had been received. */
  readonly #ofUsed = new WeakSet<Error>();

  /** Watches a connection, from before its first request on. */
  watch(socket: net.Socket): void {
    const received = socket.bytesRead;
    socket.once('error', (error) => {
      if (socket.bytesRead > received) this.#ofUsed.add(error);
    });
  }

  /** @param fresh sends the repeats; with `reset`, each of them on a connection of its own */
  repeatOver(fresh: Dispatcher): Dispatcher.DispatcherComposeInterceptor {
    const isStale = (error: Error): boolean =>
      this.#ofUsed.has(error) && STALE_CODES.has((error as NodeJS.ErrnoException).code ?? '');
    return (dispatch) => (options, handler) => {
      if (!REPEATABLE_METHODS.has(options.method) || (options.body ?? null) !== null) return dispatch(options, handler);
      const repeat = (): unknown => fresh.dispatch({ ...options, reset: true }, handler);
      return dispatch(options, new RepeatingHandler(handler, isStale, repeat));
    };
  }
}

/** Passes everything on but a failure that is answered by a repeat. */
class RepeatingHandler implements Dispatcher.DispatchHandler {
  readonly #handler: Dispatcher.DispatchHandler;
  readonly #isStale: (error: Error) => boolean;
  readonly #repeat: () => unknown;
  #hasBegun = false;

  constructor(handler: Dispatcher.DispatchHandler, isStale: (error: Error) => boolean, repeat: () => unknown) {
    this.#handler = handler;
    this.#isStale = isStale;
    this.#repeat = repeat;
  }

  onRequestStart(...all: Parameters<NonNullable<Dispatcher.DispatchHandler['onRequestStart']>>): void {
    this.#handler.onRequestStart?.(...all);
  }

  onResponseStarted(): void {
    this.#hasBegun = true;
    this.#handler.onResponseStarted?.();
  }

  onResponseStart(...all: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>): void {
    this.#handler.onResponseStart?.(...all);
  }

  onResponseData(...all: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseData']>>): void {
    this.#handler.onResponseData?.(...all);
  }

  onResponseEnd(...all: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseEnd']>>): void {
    this.#handler.onResponseEnd?.(...all);
  }

  onResponseError(...all: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseError']>>): void {
    if (!this.#hasBegun && this.#isStale(all[1])) this.#repeat();
    else this.#handler.onResponseError?.(...all);
  }
}
