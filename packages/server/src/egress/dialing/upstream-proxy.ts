import net from 'node:net';
import { unescape } from 'node:querystring';
import tls from 'node:tls';
import { AppError } from '../../domain/shared/errors.ts';
import { portOf } from '../policy/check-url.ts';
import { reasonOf } from './map-error.ts';

export interface ProxiedTarget {
  readonly name: string;
  readonly port: number;
  /** The proxy gets the first address, so that it cannot resolve differently. */
  readonly addresses: readonly string[];
}

/** When an attempt ends. */
export interface AttemptLimits {
  readonly timeoutMs: number;
  readonly abandoned: AbortSignal | undefined;
}

const MAX_REPLY_BYTES = 16_384;

/**
 * Connects with CONNECT (RFC 9110, 9.3.6).
 * @throws {AppError} `connect_failed`
 */
export async function connectThroughProxy(
  proxy: URL,
  target: ProxiedTarget,
  limits: AttemptLimits,
): Promise<net.Socket> {
  const socket = await openProxySocket(proxy, limits);
  const address = target.addresses[0] ?? target.name;
  const authority = `${net.isIPv6(address) ? `[${address}]` : address}:${target.port}`;
  const lines = [`CONNECT ${authority} HTTP/1.1`, `Host: ${authority}`];
  if (proxy.username !== '') {
    // A bare `%`, as in `100%`, is literal.
    const credentials = `${unescape(proxy.username)}:${unescape(proxy.password)}`;
    lines.push(`Proxy-Authorization: Basic ${Buffer.from(credentials).toString('base64')}`);
  }
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  const status = await readReplyStatus(socket, limits);
  if (status >= 200 && status < 300) return socket;
  socket.destroy();
  throw new AppError('connect_failed', `the upstream proxy refused ${target.name}:${target.port} (status ${status})`);
}

function openProxySocket(proxy: URL, limits: AttemptLimits): Promise<net.Socket> {
  const isTls = proxy.protocol === 'https:';
  const port = portOf(proxy);
  const host = proxy.hostname.replace(/^\[|\]$/g, '');
  // TLS server names exclude addresses (RFC 6066, 3).
  const named = net.isIP(host) === 0 ? { servername: host } : {};
  const socket = isTls ? tls.connect({ host, port, ...named }) : net.connect({ host, port });
  return settle(socket, limits, (resolve) => socket.once(isTls ? 'secureConnect' : 'connect', () => resolve(socket)));
}

function readReplyStatus(socket: net.Socket, limits: AttemptLimits): Promise<number> {
  return settle(socket, limits, (resolve, reject) => {
    let received = Buffer.alloc(0);
    const onReadable = (): void => {
      const chunk = socket.read() as Buffer | null;
      if (chunk === null) return;
      received = Buffer.concat([received, chunk]);
      const end = received.indexOf('\r\n\r\n');
      if (end < 0 && received.length < MAX_REPLY_BYTES) return;
      socket.off('readable', onReadable);
      const status = /^HTTP\/1\.[01] (\d{3})/.exec(received.toString('latin1'))?.[1];
      if (end < 0 || status === undefined) return reject(new Error('no HTTP answer'));
      if (received.length > end + 4) socket.unshift(received.subarray(end + 4));
      resolve(Number(status));
    };
    // `data` would need a paused socket, which its next reader may not resume.
    socket.on('readable', onReadable);
  });
}

function settle<T>(
  socket: net.Socket,
  { timeoutMs, abandoned }: AttemptLimits,
  start: (resolve: (value: T) => void, reject: (cause: Error) => void) => void,
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const onEnd = (): void => onError(new Error('the connection was closed'));
  const onError = (cause: Error): void => {
    socket.destroy();
    reject(new AppError('connect_failed', `no connection through the upstream proxy (${reasonOf(cause)})`, { cause }));
  };
  const timer = setTimeout(() => onError(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  const onAbandoned = (): void => onError(abandoned?.reason as Error);
  abandoned?.addEventListener('abort', onAbandoned, { once: true });
  if (abandoned?.aborted) onAbandoned();
  socket.once('error', onError);
  socket.once('close', onEnd);
  start(resolve, onError);
  return promise.finally(() => {
    clearTimeout(timer);
    abandoned?.removeEventListener('abort', onAbandoned);
    socket.off('error', onError);
    socket.off('close', onEnd);
  });
}
