import type net from 'node:net';
import tls from 'node:tls';
import { buildConnector } from 'undici';
import { portOf } from '../policy/check-url.ts';
import type { Dial } from './dial.ts';
import type { StaleConnections } from './stale-connections.ts';
import type { WaitingRequests } from './waiting-requests.ts';

export interface ConnectorParts {
  readonly stale: StaleConnections;
  readonly waiting: WaitingRequests;
  /** Prepares each connection before its first request. */
  readonly repair?: (socket: net.Socket) => net.Socket;
}

/**
 * Creates an undici connector that uses `dial`. Replacing only `lookup` would miss address literals. TLS is verified
 * against the URL's name.
 */
export function createGuardedConnector(
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
