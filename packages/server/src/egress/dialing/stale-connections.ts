import type net from 'node:net';
import type { Dispatcher } from 'undici';
import { ForwardingHandler } from './forwarding-handler.ts';

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

class RepeatingHandler extends ForwardingHandler {
  readonly #isStale: (error: Error) => boolean;
  readonly #repeat: () => unknown;
  #hasBegun = false;

  constructor(handler: Dispatcher.DispatchHandler, isStale: (error: Error) => boolean, repeat: () => unknown) {
    super(handler);
    this.#isStale = isStale;
    this.#repeat = repeat;
  }

  override onResponseStarted(): void {
    this.#hasBegun = true;
    super.onResponseStarted();
  }

  override onResponseError(controller: Dispatcher.DispatchController, error: Error): void {
    if (!this.#hasBegun && this.#isStale(error)) this.#repeat();
    else super.onResponseError(controller, error);
  }
}
