import tls from 'node:tls';
import type net from 'node:net';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import type { Dial } from './dial.ts';
import { portOf } from '../policy/check-url.ts';
import { repairFirstHead } from './repair-head.ts';

/** Idle limit; servers cannot extend it. */
const KEEP_ALIVE_MS = 10_000;

/** HTTP connections opened by `dial`; idle ones close themselves. */
export interface ConnectionPool {
  readonly dispatcher: Dispatcher;
  destroy(): Promise<void>;
}

export function createConnectionPool(
  dial: Dial,
  trust: tls.SecureContext,
  keepAliveMs: number = KEEP_ALIVE_MS,
): ConnectionPool {
  const stale = new StaleConnections();
  const waiting = new WaitingRequests();
  const parts = { stale, waiting };
  const settings = { connect: createGuardedConnector(dial, trust, parts), maxHeaderSize: 65_536 };
  const agent = new Agent({
    ...settings,
    connections: 32,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: keepAliveMs,
  });
  const repairing = createGuardedConnector(dial, trust, { ...parts, repair: repairFirstHead });
  const fresh = new Agent({ ...settings, connect: repairing });
  return {
    dispatcher: agent.compose(stale.repeatOver(fresh), waiting.watch()),
    async destroy() {
      await Promise.all([agent.destroy(), fresh.destroy()]);
    },
  };
}

interface ConnectorParts {
  readonly stale: StaleConnections;
  readonly waiting: WaitingRequests;
  /** Prepares each connection before its first request. */
  readonly repair?: (socket: net.Socket) => net.Socket;
}

/**
 * Creates an undici connector that uses `dial`. Replacing only `lookup` would miss address literals. TLS is verified
 * against the URL's name.
 */
function createGuardedConnector(
  dial: Dial,
  secureContext: tls.SecureContext,
  { stale, waiting, repair = (socket) => socket }: ConnectorParts,
): buildConnector.connector {
  const secure = buildConnector({ secureContext, allowH2: false, timeout: 10_000 });
  return (options, given) => {
    const callback: buildConnector.Callback = (...result) => {
      // On an error undici passes no socket, despite its type.
      if (result[0] !== null) return given(...result);
      stale.watch(result[1]);
      given(null, repair(result[1]));
    };
    const isTls = options.protocol === 'https:';
    const abandoned = waiting.signalOf(`${options.protocol}//${options.host ?? options.hostname}`);
    dial(options.hostname, portOf(options), abandoned).then(
      (socket) => {
        if (!isTls) return callback(null, socket);
        const end = (): void => void socket.destroy(abandoned?.reason as Error);
        abandoned?.addEventListener('abort', end, { once: true });
        secure({ ...options, httpSocket: socket }, (...result) => {
          abandoned?.removeEventListener('abort', end);
          callback(...result);
        });
      },
      (error: Error) => callback(error, null),
    );
  };
}

let runtimeTrust: tls.SecureContext | undefined;

/** Trusts the runtime's authorities (including NODE_EXTRA_CA_CERTS) and the given ones (PEM). */
export function createTrust(extraCa: readonly string[] = []): tls.SecureContext {
  // Reading all authorities takes 20 ms of processor time.
  return extraCa.length === 0 ? (runtimeTrust ??= readAuthorities([])) : readAuthorities(extraCa);
}

function readAuthorities(extraCa: readonly string[]): tls.SecureContext {
  return tls.createSecureContext({ ca: [...tls.getCACertificates('default'), ...extraCa] });
}

const STALE_CODES = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);
const REPEATABLE_METHODS = new Set(['GET', 'HEAD']);

/** Heads that {@link repairFirstHead} may repair: several `Content-Length`, and a `100 Continue`. */
const REPAIRABLE_CODE = 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH';
const REPAIRABLE_MESSAGE = 'bad response';
/** Likewise: a line without a name, a `Content-Length` beside `Transfer-Encoding`, and lines that end in another way. */
const REPAIRABLE_FAULT = /Invalid header token|Content-Length can't be present|after (?:header value|response line)/;

type On<Name extends keyof Dispatcher.DispatchHandler> = Parameters<NonNullable<Dispatcher.DispatchHandler[Name]>>;

/** Passes everything on to a handler; undici's own base class is deprecated. */
class ForwardingHandler implements Dispatcher.DispatchHandler {
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

/**
 * Repeats requests that hit a closing idle connection (RFC 9112, 9.3.1), or whose answer began with a head that can be
 * repaired: once, on a new connection, and only safe methods without a body.
 */
class StaleConnections {
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
    const [controller, , headers] = all;
    // The parser would take the wrong one of two lengths.
    if (headers['content-length'] !== undefined && headers['transfer-encoding'] !== undefined)
      return controller.abort(new TwoLengths());
    this.#hasHead = true;
    super.onResponseStart(...all);
  }

  override onResponseError(controller: Dispatcher.DispatchController, error: Error): void {
    const isRepeatable = this.#hasBegun ? !this.#hasHead && isRepairable(error) : this.#isStale(error);
    if (isRepeatable) this.#repeat();
    else super.onResponseError(controller, error);
  }
}

class TwoLengths extends Error {
  readonly code = REPAIRABLE_CODE;
}

function isRepairable(error: Error): boolean {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (error.name === 'HTTPParserError') return REPAIRABLE_FAULT.test(error.message);
  return code === REPAIRABLE_CODE || (code === 'UND_ERR_SOCKET' && error.message === REPAIRABLE_MESSAGE);
}

/**
 * Requests that have no connection yet, by origin. undici goes on opening a connection for an aborted request; when the
 * last one that waits is aborted, its dialing and handshakes end, too.
 */
class WaitingRequests {
  readonly #origins = new Map<string, { count: number; readonly abandoned: AbortController }>();

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
