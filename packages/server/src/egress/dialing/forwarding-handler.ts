import type { Dispatcher } from 'undici';

type On<Name extends keyof Dispatcher.DispatchHandler> = Parameters<NonNullable<Dispatcher.DispatchHandler[Name]>>;

/** Passes everything on to a handler; undici's own base class is deprecated. */
export class ForwardingHandler implements Dispatcher.DispatchHandler {
  readonly #handler: Dispatcher.DispatchHandler;

  constructor(handler: Dispatcher.DispatchHandler) {
    this.#handler = handler;
  }

  onRequestStart(...all: On<'onRequestStart'>): void {
    this.#handler.onRequestStart?.(...all);
  }

  onResponseStarted(): void {
    this.#handler.onResponseStarted?.();
  }

  onResponseStart(...all: On<'onResponseStart'>): void {
    this.#handler.onResponseStart?.(...all);
  }

  onResponseData(...all: On<'onResponseData'>): void {
    this.#handler.onResponseData?.(...all);
  }

  onResponseEnd(...all: On<'onResponseEnd'>): void {
    this.#handler.onResponseEnd?.(...all);
  }

  onResponseError(...all: On<'onResponseError'>): void {
    this.#handler.onResponseError?.(...all);
  }
}
