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

/** Passes everything on to a handler; undici's own base class is deprecated. */
function forwardTo(handler: Dispatcher.DispatchHandler): Dispatcher.DispatchHandler {
  return {
    onRequestStart: (...all) => handler.onRequestStart?.(...all),
    onResponseStarted: () => handler.onResponseStarted?.(),
    onResponseStart: (...all) => handler.onResponseStart?.(...all),
    onResponseData: (...all) => handler.onResponseData?.(...all),
    onResponseEnd: (...all) => handler.onResponseEnd?.(...all),
    onResponseError: (...all) => handler.onResponseError?.(...all),
  };
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
      return dispatch(options, repeatOnce(handler, isStale, repeat));
    };
  }
}

/** Calls `repeat` instead of passing on an error after which the request can be sent again. */
function repeatOnce(
  handler: Dispatcher.DispatchHandler,
  isStale: (error: Error) => boolean,
  repeat: () => unknown,
): Dispatcher.DispatchHandler {
  let hasBegun = false;
  let hasHead = false;
  return {
    ...forwardTo(handler),
    onResponseStarted() {
      hasBegun = true;
      handler.onResponseStarted?.();
    },
    onResponseStart(controller, status, headers, statusText) {
      // The parser would take the wrong one of two lengths.
      if (headers['content-length'] !== undefined && headers['transfer-encoding'] !== undefined)
        return controller.abort(new TwoLengths());
      hasHead = true;
      handler.onResponseStart?.(controller, status, headers, statusText);
    },
    onResponseError(controller, error) {
      const isRepeatable = hasBegun ? !hasHead && isRepairable(error) : isStale(error);
      if (isRepeatable) repeat();
      else handler.onResponseError?.(controller, error);
    },
  };
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
      return dispatch(options, watchWaiting(handler, signal, this.#enter(String(origin))));
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

/** @param leave is called when the request has a connection, fails or is aborted (with the reason) */
function watchWaiting(
  handler: Dispatcher.DispatchHandler,
  signal: AbortSignal,
  leave: (reason: unknown) => void,
): Dispatcher.DispatchHandler {
  let isWaiting = true;
  const end = (reason?: unknown): void => {
    signal.removeEventListener('abort', onAbort);
    if (isWaiting) leave(reason);
    isWaiting = false;
  };
  const onAbort = (): void => end(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  return {
    ...forwardTo(handler),
    onRequestStart(controller, context) {
      end();
      handler.onRequestStart?.(controller, context);
    },
    onResponseError(controller, error) {
      end();
      handler.onResponseError?.(controller, error);
    },
  };
}
