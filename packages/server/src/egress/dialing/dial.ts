import net from 'node:net';
import { AppError } from '../../domain/shared/errors.ts';
import { isAddressLiteral, normalizeHost, type EgressPolicy } from '../policy/egress-policy.ts';
import { reasonOf } from './map-error.ts';
import type { Resolver } from '../names/resolver.ts';
import { connectThroughProxy, type AttemptLimits } from './upstream-proxy.ts';
import type { ProxyFor } from './upstream-routes.ts';

export interface DialOptions {
  readonly policy: EgressPolicy;
  readonly resolver: Resolver;
  /** Discovers the translators of the network, which the policy asks for. Default: there are none. */
  readonly discoverTranslators?: () => Promise<void>;
  /** Excludes name resolution. Default 10000. */
  readonly connectTimeoutMs?: number;
  readonly proxyFor?: ProxyFor;
}

/** Time per address, the maximum of RFC 8305, section 5. Node's default of 250 is too short for distant hosts. */
const ATTEMPT_TIMEOUT_MS = 2000;

/** @param abandoned ends the attempt, but no connection */
export type Dial = (host: string, port: number, abandoned?: AbortSignal) => Promise<net.Socket>;

/**
 * Creates the engines' only network access. A name with any refused address is refused. Connections go to exactly the
 * checked addresses, which defeats DNS rebinding. Throws AppError `egress_denied`, `dns_failed` or `connect_failed`.
 */
export function createDial(options: DialOptions): Dial {
  const { connectTimeoutMs = 10_000, proxyFor } = options;
  return async (host, port, abandoned) => {
    const name = normalizeHost(host);
    const addresses = await resolveChecked(name, port, options);
    const proxy = proxyFor?.(name, port);
    return proxy
      ? connectThroughProxy(proxy, { name, port, addresses }, { timeoutMs: connectTimeoutMs, abandoned })
      : connect(name, port, addresses, { timeoutMs: connectTimeoutMs, abandoned });
  };
}

async function resolveChecked(
  host: string,
  port: number,
  { policy, resolver, discoverTranslators }: DialOptions,
): Promise<readonly string[]> {
  const written = policy.check({ host, port });
  if (!written.allowed) throw new AppError('egress_denied', written.reason);
  const addresses = isAddressLiteral(host) ? [host] : await resolver.resolve(host);
  if (addresses.some((address) => net.isIPv6(address))) await discoverTranslators?.();
  for (const address of addresses) {
    const verdict = policy.check({ host, port, address });
    if (!verdict.allowed) throw new AppError('egress_denied', verdict.reason);
  }
  return addresses;
}

function connect(
  host: string,
  port: number,
  addresses: readonly string[],
  { timeoutMs, abandoned }: AttemptLimits,
): Promise<net.Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<net.Socket>();
  // Node does not call `lookup` for address literals.
  const socket = net.connect({
    host: addresses.length === 1 ? (addresses[0] ?? host) : host,
    port,
    noDelay: true,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ATTEMPT_TIMEOUT_MS,
    lookup: (_host, _options, callback) =>
      callback(null, addresses.map((address) => ({ address, family: net.isIP(address) })) as never, 0),
  });
  const timer = setTimeout(() => socket.destroy(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  const onAbandoned = (): void => void socket.destroy(abandoned?.reason as Error);
  abandoned?.addEventListener('abort', onAbandoned, { once: true });
  if (abandoned?.aborted) onAbandoned();
  // Never removed: an error before the caller adds a listener would end the process.
  socket.on('error', (cause) => {
    clearTimeout(timer);
    abandoned?.removeEventListener('abort', onAbandoned);
    reject(new AppError('connect_failed', `no connection to ${host}:${port} (${reasonOf(cause)})`, { cause }));
  });
  socket.once('connect', () => {
    clearTimeout(timer);
    abandoned?.removeEventListener('abort', onAbandoned);
    resolve(socket);
  });
  return promise;
}
