import type net from 'node:net';
import type { Dispatcher } from 'undici';

const STALE_CODES = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);
const REPEATABLE_METHODS = new Set(['GET', 'HEAD']);

/**
 * Repeats requests that hit a closing idle connection (RFC 9112, 9.3.1): once, on a new connection, and only safe
 * methods without a body.
 */
export class StaleConnections {
  readonly #ofUsed = new WeakSet<Error>();

  /** Call it before the first request. */
  watch(socket: net.Socket): void {
    const received = socket.bytesRead;
    socket.once('error', (error) => {
      if (socket.bytesRead > received) this.#ofUsed.add(error);
    });
  }

  /** @param fresh sends each retry on a new connection */
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
