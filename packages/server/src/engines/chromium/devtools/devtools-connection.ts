import type { ProtocolMapping } from 'devtools-protocol/types/protocol-mapping.js';

export interface DevtoolsTransport {
  send(message: string): void;
  close(): void;
  onMessage(listener: (message: string) => void): void;
  /** May be called several times. */
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

type Commands = ProtocolMapping.Commands;
type Events = ProtocolMapping.Events;
type EventListener<Event extends keyof Events> = (...params: Events[Event]) => void;
type AnyListener = (...params: never) => void;

/** Commands and events of the browser or of one session, with the protocol's types. */
export interface DevtoolsSender {
  /** @throws {DevtoolsError} {@link DevtoolsClosedError} */
  send<Method extends keyof Commands>(
    method: Method,
    ...params: Commands[Method]['paramsType']
  ): Promise<Commands[Method]['returnType']>;
  on<Event extends keyof Events>(event: Event, listener: EventListener<Event>): void;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
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
export class DevtoolsConnection implements DevtoolsSender {
  readonly #transport: DevtoolsTransport;
  readonly #pending = new Map<number, PendingCommand>();
  /** By session; '' for the browser. */
  readonly #listeners = new Map<string, Map<string, Set<AnyListener>>>();
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

  send<Method extends keyof Commands>(
    method: Method,
    ...[params]: Commands[Method]['paramsType']
  ): Promise<Commands[Method]['returnType']> {
    return this.#send(method, params, undefined);
  }

  on<Event extends keyof Events>(event: Event, listener: EventListener<Event>): void {
    this.#listen(event, listener, '');
  }

  session(sessionId: string): DevtoolsSession {
    return {
      send: (method, ...[params]) => this.#send(method, params, sessionId),
      on: (event, listener) => this.#listen(event, listener, sessionId),
      end: () => {
        this.#listeners.delete(sessionId);
        this.#rejectPending((command) => command.sessionId === sessionId, 'the session ended');
      },
    };
  }

  /** Commands of a closed context may never be answered. */
  giveUpContext(browserContextId: string): void {
    this.#rejectPending((command) => command.browserContextId === browserContextId, 'the browser context is given up');
  }

  close(): void {
    this.#transport.close();
    this.#fail();
  }

  #send<Result>(method: string, params: object = {}, sessionId: string | undefined): Promise<Result> {
    if (this.#isClosed) return Promise.reject(new DevtoolsClosedError());
    const id = this.#nextId++;
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const browserContextId = 'browserContextId' in params ? params.browserContextId : undefined;
    this.#pending.set(id, { method, sessionId, browserContextId, resolve, reject });
    this.#transport.send(
      JSON.stringify(sessionId === undefined ? { id, method, params } : { id, method, params, sessionId }),
    );
    return promise;
  }

  #listen(event: string, listener: AnyListener, sessionId: string): void {
    const events = this.#listeners.get(sessionId) ?? new Map<string, Set<AnyListener>>();
    this.#listeners.set(sessionId, events);
    const listeners = events.get(event) ?? new Set();
    events.set(event, listeners.add(listener));
  }

  #receive(message: Message): void {
    this.#heardAt = performance.now();
    if (message.id !== undefined) return this.#settle(message.id, message);
    if (message.method === undefined) return;
    const listeners = this.#listeners.get(message.sessionId ?? '')?.get(message.method);
    for (const listener of listeners ?? []) (listener as (params: unknown) => void)(message.params);
  }

  #settle(id: number, { result, error }: Message): void {
    const command = this.#pending.get(id);
    this.#pending.delete(id);
    if (error) command?.reject(new DevtoolsError(command.method, error.message));
    else command?.resolve(result as never);
  }

  #rejectPending(matches: (command: PendingCommand) => boolean, reason: string): void {
    for (const [id, command] of this.#pending) {
      if (!matches(command)) continue;
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

export interface DevtoolsSession extends DevtoolsSender {
  end(): void;
}
