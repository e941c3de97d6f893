import tls from 'node:tls';
import { buildConnector } from 'undici';
import { portOf } from './check-url.ts';
import type { Dial } from './dial.ts';
import type { StaleConnections } from './stale-connections.ts';

/**
 * An undici connector whose every connection is opened by `dial`. The whole connector is ours, not only
 * its `lookup`: that one is never called for address literals. TLS is verified against the name of the
 * URL, whatever address was connected to.
 */
export function createGuardedConnector(
  dial: Dial,
  secureContext: tls.SecureContext,
  stale: StaleConnections,
): buildConnector.connector {
  const secure = buildConnector({ secureContext, allowH2: false, timeout: 10_000 });
  return (options, given) => {
    const callback: buildConnector.Callback = (...result) => {
      // With an error undici leaves the socket out, whatever its type says.
      if (result[0] === null) stale.watch(result[1]);
      given(...result);
    };
    const isTls = options.protocol === 'https:';
    dial(options.hostname, portOf(options)).then(
      (socket) => {
        if (!isTls) return callback(null, socket);
        // The raw socket is undici's from here on, and goes when the TLS socket on it goes.
        secure({ ...options, httpSocket: socket }, callback);
      },
      (error: Error) => callback(error, null),
    );
  };
}

/** What TLS connections trust: the runtime's authorities (NODE_EXTRA_CA_CERTS included) and the given ones (PEM). */
export function createTrust(extraCa: readonly string[] = []): tls.SecureContext {
  return tls.createSecureContext({ ca: [...tls.getCACertificates('default'), ...extraCa] });
}
