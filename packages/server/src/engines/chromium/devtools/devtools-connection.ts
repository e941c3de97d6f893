/** What carries protocol messages: a pipe to a local browser or a WebSocket to any. */
export interface DevtoolsTransport {
  send(message: string): void;
  close(): void;
  onMessage(listener: (message: string) => void): void;
  /** Called once, when nothing more will come. */
  onClose(listener: () => void): void;
}

/** The protocol's own refusal of a command. */
export class DevtoolsError extends Error {
  readonly method: string;
  constructor(method: string, message: string) {
    super(`${method}: ${message}`);
    this.name = 'DevtoolsError';
    this.method = method;
  }
}

/** The browser went away: every command under way and every later one fails with this. */
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
  /** The browser context that it is about. */
  readonly browserContextId: unknown;
  readonly resolve: (result: never) => void;
  readonly reject: (error: Error) => void;
}

/**
 * A client of the Chrome DevTools Protocol (https://chromedevtools.github.io/devtools-protocol/): the
 * browser's own session; sessions of its targets share the connection, see {@link session}.
 */
export class DevtoolsConnection {
  readonly #transport: DevtoolsTransport;
  readonly #pending = new Map<number, PendingCommand>();
  /** Listeners by session (the browser's own is ''). */
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

  /** Milliseconds since anything was heard from the browser. */
  get silentMs(): number {
    return performance.now() - this.#heardAt;
  }

  /** Calls back when the connection goes; the returned function takes the listener away again. */
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

  /** Listens to an event of the browser's own session, or of a target's. */
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

  /** Fails what is under way for a browser context that nobody needs any more: some of it is never answered then. */
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

/** The protocol as one target speaks it. */
export interface DevtoolsSession {
  send<Result = unknown>(method: string, params?: DevtoolsParams): Promise<Result>;
  on(method: string, listener: (params: never) => void): void;
  /** Forgets the listeners and fails what is under way. */
  end(): void;
}
