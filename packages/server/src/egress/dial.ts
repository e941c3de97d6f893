import net from 'node:net';
import { AppError } from '../domain/errors.ts';
import { isAddressLiteral, normalizeHost } from './egress-policy.ts';
import type { EgressPolicy } from './egress-policy.ts';
import { reasonOf } from './map-error.ts';
import type { Resolver } from './resolver.ts';
import { connectThroughProxy } from './upstream-proxy.ts';
import type { ProxyFor } from './upstream-routes.ts';

export interface DialOptions {
  readonly policy: EgressPolicy;
  readonly resolver: Resolver;
  /** Milliseconds for the connection, name resolution apart. Default 10000. */
  readonly connectTimeoutMs?: number;
  /** Proxies that connect in our place; the policy holds all the same. Default: none. */
  readonly proxyFor?: ProxyFor;
}

/**
 * Milliseconds that an address has, of those of a name, before the next is tried, which gives the attempt up: Node's 250 is less
 * than a connection around the world takes, or one beside a busy event loop. At most as RFC 8305, 5, has it.
 */
const ATTEMPT_TIMEOUT_MS = 2000;

/** Opens TCP connections to targets that a policy lets pass, and to nothing else. */
export type Dial = (host: string, port: number) => Promise<net.Socket>;

/**
 * The only place from which engines reach the network. A name is resolved here, every answer must pass
 * (one refused answer refuses the name), and the connection goes to the very addresses that were
 * checked, so that an answer that changes between check and use changes nothing.
 * The returned function throws AppError `egress_denied`, `dns_failed` or `connect_failed`.
 */
export function createDial(options: DialOptions): Dial {
  const { policy, resolver, connectTimeoutMs = 10_000, proxyFor } = options;
  return async (host, port) => {
    const name = normalizeHost(host);
    const addresses = await resolveChecked(name, port, policy, resolver);
    const proxy = proxyFor?.(name, port);
    return proxy
      ? connectThroughProxy(proxy, { name, port, addresses }, connectTimeoutMs)
      : connect(name, port, addresses, connectTimeoutMs);
  };
}

async function resolveChecked(
  host: string,
  port: number,
  policy: EgressPolicy,
  resolver: Resolver,
): Promise<readonly string[]> {
  const written = policy.check({ host, port });
  if (!written.allowed) throw new AppError('egress_denied', written.reason);
  if (isAddressLiteral(host)) return [host];
  const addresses = await resolver.resolve(host);
  for (const address of addresses) {
    const verdict = policy.check({ host, port, address });
    if (!verdict.allowed) throw new AppError('egress_denied', verdict.reason);
  }
  return addresses;
}

function connect(host: string, port: number, addresses: readonly string[], timeoutMs: number): Promise<net.Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<net.Socket>();
  // The lookup answers with what was checked and nothing else; for a literal it is never called.
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
  // The listener stays: an error that comes between this and the user's own listener must not end the process.
  socket.on('error', (cause) => {
    clearTimeout(timer);
    reject(new AppError('connect_failed', `no connection to ${host}:${port} (${reasonOf(cause)})`, { cause }));
  });
  socket.once('connect', () => {
    clearTimeout(timer);
    resolve(socket);
  });
  return promise;
}
