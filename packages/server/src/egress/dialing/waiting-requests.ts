import type { Dispatcher } from 'undici';
import { ForwardingHandler } from './forwarding-handler.ts';

interface Waiting {
  count: number;
  readonly abandoned: AbortController;
}

/**
 * Requests that have no connection yet, by origin. undici goes on opening a connection for an aborted request; when the
 * last one that waits is aborted, its dialing and handshakes end, too.
 */
export class WaitingRequests {
  readonly #origins = new Map<string, Waiting>();

  /** Is aborted when nobody waits for a connection any longer. */
  signalOf(origin: string): AbortSignal | undefined {
    return this.#origins.get(origin)?.abandoned.signal;
  }

  /** Watches requests that pass their signal. */
  watch(): Dispatcher.DispatcherComposeInterceptor {
    return (dispatch) => (options, handler) => {
      const { signal, origin } = options as Dispatcher.DispatchOptions & { readonly signal?: AbortSignal | null };
      if (!(signal instanceof AbortSignal) || signal.aborted) return dispatch(options, handler);
      return dispatch(options, new WaitingHandler(handler, signal, this.#enter(String(origin))));
    };
  }

  /** Returns what a request calls once, when it no longer waits. */
  #enter(origin: string): (reason: unknown) => void {
    const waiting = this.#origins.get(origin) ?? { count: 0, abandoned: new AbortController() };
    this.#origins.set(origin, waiting);
    waiting.count += 1;
    return (reason) => {
      waiting.count -= 1;
      if (waiting.count > 0) return;
      this.#origins.delete(origin);
      if (reason !== undefined) waiting.abandoned.abort(reason);
    };
  }
}

class WaitingHandler extends ForwardingHandler {
  readonly #signal: AbortSignal;
  readonly #onAbort: () => void;
  #leave: ((reason: unknown) => void) | undefined;

  constructor(handler: Dispatcher.DispatchHandler, signal: AbortSignal, leave: (reason: unknown) => void) {
    super(handler);
    this.#signal = signal;
    this.#leave = leave;
    const onAbort = (): void => this.#end(signal.reason);
    this.#onAbort = onAbort;
    signal.addEventListener('abort', onAbort, { once: true });
  }

  override onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void {
    this.#end(undefined);
    super.onRequestStart(controller, context);
  }

  override onResponseError(controller: Dispatcher.DispatchController, error: Error): void {
    this.#end(undefined);
    super.onResponseError(controller, error);
  }

  /** @param reason of an abort */
  #end(reason: unknown): void {
    this.#signal.removeEventListener('abort', this.#onAbort);
    this.#leave?.(reason);
    this.#leave = undefined;
  }
}
