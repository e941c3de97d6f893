export interface DevtoolsTransport {
  send(message: string): void;
  close(): void;
  onMessage(listener: (message: string) => void): void;
  /** Called once, after the last message. */
  onClose(listener: () => void): void;
}

export class DevtoolsError extends Error {
  readonly method: string;
  constructor(method: string, message: string) {
    super(`${method}: ${message}`);
    this.name = 'DevtoolsError';
    this.method = method;
  }
}

/** The browser is gone; all commands fail with this error. */
export class DevtoolsClosedError extends Error {
  constructor() {
    super('the browser is gone');
    this.name = 'DevtoolsClosedError';
  }
}

export type DevtoolsParams = Readonly<Record<string, unknown>>;
type EventListener = (params: never) => void;

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: DevtoolsParams;
  readonly sessionId?: string;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

interface PendingCommand {
  readonly method: string;
  readonly sessionId: string | undefined;
  readonly browserContextId: unknown;
  readonly resolve: (result: never) => void;
  readonly reject: (error: Error) => void;
}

/** Client of the Chrome DevTools Protocol: https://chromedevtools.github.io/devtools-protocol/ */
export class DevtoolsConnection {
  readonly #transport: DevtoolsTransport;
  readonly #pending = new Map<number, PendingCommand>();
  /** By session; '' for the browser. */
  readonly #listeners = new Map<string, Map<string, Set<EventListener>>>();
  readonly #closeListeners = new Set<() => void>();
  #nextId = 1;
  #isClosed = false;
  #heardAt = performance.now();

  constructor(transport: DevtoolsTransport) {
    this.#transport = transport;
    transport.onMessage((text) => this.#receive(JSON.parse(text) as Message));
    transport.onClose(() => this.#fail());
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Milliseconds since the last message. */
  get silentMs(): number {
    return performance.now() - this.#heardAt;
  }

  onClose(listener: () => void): () => void {
    this.#closeListeners.add(listener);
    return () => this.#closeListeners.delete(listener);
  }

  /** @throws {DevtoolsError} {@link DevtoolsClosedError} */
  send<Result = unknown>(method: string, params: DevtoolsParams = {}, sessionId?: string): Promise<Result> {
    if (this.#isClosed) return Promise.reject(new DevtoolsClosedError());
    const id = this.#nextId++;
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    this.#pending.set(id, { method, sessionId, browserContextId: params['browserContextId'], resolve, reject });
    this.#transport.send(
      JSON.stringify(sessionId === undefined ? { id, method, params } : { id, method, params, sessionId }),
    );
    return promise;
  }

  on(method: string, listener: (params: never) => void, sessionId = ''): void {
    const events = this.#listeners.get(sessionId) ?? new Map<string, Set<EventListener>>();
    this.#listeners.set(sessionId, events);
    const listeners = events.get(method) ?? new Set();
    events.set(method, listeners.add(listener));
  }

  session(sessionId: string): DevtoolsSession {
    return {
      send: (method, params) => this.send(method, params, sessionId),
      on: (method, listener) => this.on(method, listener, sessionId),
      end: () => {
        this.#listeners.delete(sessionId);
        this.#giveUp((command) => command.sessionId === sessionId, 'the session ended');
      },
    };
  }

  /** Commands of a closed context may never be answered. */
  giveUpContext(browserContextId: string): void {
    this.#giveUp((command) => command.browserContextId === browserContextId, 'the browser context is given up');
  }

  close(): void {
    this.#transport.close();
    this.#fail();
  }

  #receive(message: Message): void {
    this.#heardAt = performance.now();
    if (message.id !== undefined) return this.#settle(message.id, message);
    if (message.method === undefined) return;
    const listeners = this.#listeners.get(message.sessionId ?? '')?.get(message.method);
    for (const listener of listeners ?? []) listener(message.params as never);
  }

  #settle(id: number, { result, error }: Message): void {
    const command = this.#pending.get(id);
    this.#pending.delete(id);
    if (error) command?.reject(new DevtoolsError(command.method, error.message));
    else command?.resolve(result as never);
  }

  #giveUp(isMeant: (command: PendingCommand) => boolean, reason: string): void {
    for (const [id, command] of this.#pending) {
      if (!isMeant(command)) continue;
      this.#pending.delete(id);
      command.reject(new DevtoolsError(command.method, reason));
    }
  }

  #fail(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const command of this.#pending.values()) command.reject(new DevtoolsClosedError());
    this.#pending.clear();
    this.#listeners.clear();
    for (const listener of this.#closeListeners) listener();
    this.#closeListeners.clear();
  }
}

export interface DevtoolsSession {
  send<Result = unknown>(method: string, params?: DevtoolsParams): Promise<Result>;
  on(method: string, listener: (params: never) => void): void;
  end(): void;
}
