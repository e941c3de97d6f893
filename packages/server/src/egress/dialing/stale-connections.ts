import type net from 'node:net';
import type { Dispatcher } from 'undici';
import { ForwardingHandler } from './forwarding-handler.ts';

const STALE_CODES = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);
const REPEATABLE_METHODS = new Set(['GET', 'HEAD']);

/** Heads that {@link repairFirstHead} may repair: several `Content-Length`, and a `100 Continue`. */
const REPAIRABLE_CODE = 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH';
const REPAIRABLE_MESSAGE = 'bad response';

/**
 * Repeats requests that hit a closing idle connection (RFC 9112, 9.3.1), or whose answer began with a head that can be
 * repaired: once, on a new connection, and only safe methods without a body.
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
  #hasHead = false;

  constructor(handler: Dispatcher.DispatchHandler, isStale: (error: Error) => boolean, repeat: () => unknown) {
    super(handler);
    this.#isStale = isStale;
    this.#repeat = repeat;
  }

  override onResponseStarted(): void {
    this.#hasBegun = true;
    super.onResponseStarted();
  }

  override onResponseStart(...all: Parameters<ForwardingHandler['onResponseStart']>): void {
    this.#hasHead = true;
    super.onResponseStart(...all);
  }

  override onResponseError(controller: Dispatcher.DispatchController, error: Error): void {
    const isRepeatable = this.#hasBegun ? !this.#hasHead && isRepairable(error) : this.#isStale(error);
    if (isRepeatable) this.#repeat();
    else super.onResponseError(controller, error);
  }
}

function isRepairable(error: Error): boolean {
  const { code = '' } = error as NodeJS.ErrnoException;
  return code === REPAIRABLE_CODE || (code === 'UND_ERR_SOCKET' && error.message === REPAIRABLE_MESSAGE);
}
