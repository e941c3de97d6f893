import { randomBytes } from 'node:crypto';
import http from 'node:http';
import type net from 'node:net';
import { once } from 'node:events';
import { pipeline } from 'node:stream';
import type { AddressInfo } from 'node:net';
import { LRUCache } from 'lru-cache';
import { AppError } from '../domain/shared/errors.ts';
import { formatBytes } from '../domain/shared/format-bytes.ts';
import type { BlockedRequest } from '../domain/capture/capture-ports.ts';
import { portOf, requestPathOf } from './policy/check-url.ts';
import type { Dial } from './dialing/dial.ts';
import { repairFirstHead } from './dialing/repair-head.ts';
import { normalizeHost } from './policy/egress-policy.ts';

/** Of one capture. Further requests are refused, and the capture continues. */
export interface TrafficLimits {
  readonly requests: number;
  readonly hosts: number;
  /** Bodies and addresses of requests, and everything that is sent through tunnels. */
  readonly sentBytes: number;
}

/** Pages with many pictures and advertisements send 500 requests to 80 hosts, and 1 MiB. */
export const TRAFFIC_LIMITS: TrafficLimits = { requests: 2000, hosts: 200, sentBytes: 16 * 1024 * 1024 };

export interface BrowserProxyOptions {
  readonly dial: Dial;
  readonly maxBytes: number;
  /** Default {@link TRAFFIC_LIMITS}. */
  readonly traffic?: TrafficLimits;
  /** Default 127.0.0.1; another address only for browsers on other machines. */
  readonly listenHost?: string;
  readonly onClose?: () => void;
}

/**
 * The browser's only network access: an HTTP proxy for one capture. Its own responses carry a mark that pages cannot
 * forge.
 */
export interface BrowserProxy {
  readonly port: number;
  /** At most 100, distinct, and the first of each exceeded limit. */
  readonly blocked: readonly BlockedRequest[];
  readonly receivedBytes: number;
  /** True once the browser has connected; no other client knows the port. */
  readonly isReached: boolean;
  readonly isExhausted: boolean;
  isOwnAnswer(headers: Readonly<Record<string, string>>): boolean;
  failureOf(url: URL): AppError | undefined;
  /** Counts a request that the browser sends through a tunnel, where the proxy cannot see it. */
  countRequest(url: string): void;
  /** Ends a request that the target does not answer; with a tunnel, all requests in it. */
  hangUp(url: URL): void;
  close(): Promise<void>;
}

const MAX_BLOCKED = 100;
const MAX_FAILURES = 100;
const MARK_HEADER = 'x-winnow-proxy';
/** Not forwarded (RFC 9110, 7.6.1). */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
const UNWRITABLE = /[^\t\u0020-\u007E\u0080-\u00FF]/g;

export async function openBrowserProxy(options: BrowserProxyOptions): Promise<BrowserProxy> {
  const proxy = new LoopbackProxy(options);
  await proxy.listen(options.listenHost ?? '127.0.0.1');
  return proxy;
}

class LoopbackProxy implements BrowserProxy {
  readonly blocked: BlockedRequest[] = [];
  receivedBytes = 0;
  isReached = false;
  isExhausted = false;
  readonly #options: BrowserProxyOptions;
  readonly #traffic: TrafficLimits;
  readonly #mark = randomBytes(12).toString('hex');
  readonly #server: http.Server;
  readonly #agent: http.Agent;
  readonly #freshAgent: http.Agent;
  readonly #sockets = new Set<net.Socket>();
  readonly #failures = new LRUCache<string, AppError>({ max: MAX_FAILURES });
  readonly #hosts = new Set<string>();
  /** The browser's ends, with their targets. */
  readonly #tunnels = new Map<net.Socket, string>();
  readonly #unanswered = new Map<http.ClientRequest, { readonly href: string; readonly giveUp: () => void }>();
  #requests = 0;
  #sentBytes = 0;
  /** Refuses all further requests. */
  #spent: AppError | undefined;
  #isClosed = false;

  constructor(options: BrowserProxyOptions) {
    this.#options = options;
    this.#traffic = options.traffic ?? TRAFFIC_LIMITS;
    this.#agent = this.#createAgent({ keepAlive: true, maxSockets: 32 });
    this.#freshAgent = this.#createAgent({ keepAlive: false });
    this.#server = http.createServer({ maxHeaderSize: 262_144, insecureHTTPParser: true, keepAlive: true });
    this.#server.on('request', (request, response) => this.#forward(request, response));
    this.#server.on('connect', (request, socket, head) => void this.#tunnel(request, socket as net.Socket, head));
    this.#server.on('connection', (socket) => {
      this.isReached = true;
      this.#track(socket);
    });
    // Without a listener Node would send a response to an aborted request.
    this.#server.on('clientError', (_error, socket) => socket.destroy());
    this.#server.requestTimeout = 0;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async listen(host: string): Promise<void> {
    this.#server.listen(0, host);
    await once(this.#server, 'listening');
  }

  isOwnAnswer(headers: Readonly<Record<string, string>>): boolean {
    return Object.entries(headers).some(([name, value]) => name.toLowerCase() === MARK_HEADER && value === this.#mark);
  }

  failureOf(url: URL): AppError | undefined {
    return this.#failures.get(keyOf(url.hostname, portOf(url)));
  }

  countRequest(url: string): void {
    this.#requests += 1;
    if (this.#requests > this.#traffic.requests) this.#spend(url, `sends more than ${this.#traffic.requests} requests`);
  }

  hangUp(url: URL): void {
    for (const { href, giveUp } of this.#unanswered.values()) if (href === url.href) giveUp();
    const target = keyOf(url.hostname, portOf(url));
    if (url.protocol === 'https:') for (const [tunnel, key] of this.#tunnels) if (key === target) tunnel.destroy();
    this.#list(url.href, 'did not answer in time');
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#options.onClose?.();
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#cutOff();
    await closed;
  }

  #cutOff(): void {
    this.#agent.destroy();
    this.#freshAgent.destroy();
    for (const socket of this.#sockets) socket.destroy();
  }

  #track(socket: net.Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#sockets.delete(socket));
    if (this.#isClosed || this.isExhausted) socket.destroy();
  }

  #count(bytes: number): void {
    this.receivedBytes += bytes;
    if (this.receivedBytes <= this.#options.maxBytes || this.isExhausted) return;
    this.isExhausted = true;
    this.#cutOff();
  }

  /** @returns false above the limit */
  #countSent(url: string, bytes: number): boolean {
    this.#sentBytes += bytes;
    const { sentBytes: limit } = this.#traffic;
    if (this.#sentBytes > limit) this.#spend(url, `sends more than ${formatBytes(limit)}`);
    return this.#spent === undefined;
  }

  #spend(url: string, excess: string): void {
    if (this.#spent !== undefined) return;
    this.#spent = exceeded(excess);
    this.blocked.push({ url, reason: this.#spent.message });
    for (const tunnel of this.#tunnels.keys()) tunnel.destroy();
  }

  /** @throws {AppError} `egress_denied` above a limit of the capture */
  #admit(url: string, host: string): void {
    if (this.#spent !== undefined) throw this.#spent;
    if (this.#hosts.has(host)) return;
    const { hosts: limit } = this.#traffic;
    if (this.#hosts.size < limit) return void this.#hosts.add(host);
    const failure = exceeded(`sends requests to more than ${limit} hosts`);
    if (!this.blocked.some(({ reason }) => reason === failure.message))
      this.blocked.push({ url, reason: failure.message });
    throw failure;
  }

  async #open(host: string, port: number): Promise<net.Socket> {
    try {
      const socket = await this.#options.dial(host, port);
      this.#track(socket);
      return socket;
    } catch (error) {
      const failure =
        error instanceof AppError ? error : new AppError('connect_failed', `no connection to ${host}:${port}`);
      this.#failures.set(keyOf(host, port), failure);
      throw failure;
    }
  }

  #noteBlocked(url: string, failure: AppError): void {
    if (failure.code === 'egress_denied') this.#list(url, failure.message);
  }

  #list(url: string, reason: string): void {
    if (this.blocked.length < MAX_BLOCKED && !this.blocked.some((entry) => entry.url === url))
      this.blocked.push({ url, reason });
  }

  #createAgent(settings: http.AgentOptions): http.Agent {
    const agent = new http.Agent(settings);
    const createConnection: typeof agent.createConnection = (options, callback): undefined => {
      this.#open(String(options.host), Number(options.port)).then(
        (socket) => callback?.(null, repairFirstHead(socket)),
        (error: Error) => callback?.(error, undefined as never),
      );
    };
    agent.createConnection = createConnection;
    return agent;
  }

  #forward(request: http.IncomingMessage, response: http.ServerResponse): void {
    const url = URL.parse(request.url ?? '');
    if (url?.protocol !== 'http:') return this.#answer(response, 400);
    try {
      this.countRequest(url.href);
      this.#admit(url.href, normalizeHost(url.hostname));
      this.#countSent(url.href, url.href.length);
      const upstream = this.#send(url, request, response);
      if (!hasBody(request)) return void upstream.end();
      request.on('data', (chunk: Buffer) => {
        if (!this.#countSent(url.href, chunk.length)) upstream.destroy(this.#spent);
      });
      pipeline(request, upstream, () => {});
    } catch (error) {
      if (error instanceof AppError) this.#fail(url, response, error);
      else this.#answer(response, 400);
    }
  }

  #send(
    url: URL,
    request: http.IncomingMessage,
    response: http.ServerResponse,
    agent: http.Agent = this.#agent,
  ): http.ClientRequest {
    const upstream = http.request({
      agent,
      host: normalizeHost(url.hostname),
      port: portOf(url),
      path: requestPathOf(url),
      method: request.method,
      headers: forwardedHeaders(request.rawHeaders),
      setHost: false,
      maxHeaderSize: 262_144,
      insecureHTTPParser: true,
    });
    const isSilent = watchSilence(upstream);
    const abortUpstream = (): void => void upstream.destroy();
    let answer: http.IncomingMessage | undefined;
    // A browser would wait for the end of a 101; without a listener Node drops the connection silently.
    const refuseProtocol = (): void => {
      upstream.destroy();
      this.#fail(url, response, new Error('it switched to another protocol'));
    };
    upstream.on('upgrade', refuseProtocol);
    upstream.on('response', (begun) => {
      this.#unanswered.delete(upstream);
      // Without a protocol name Node does not treat it as an upgrade.
      if (begun.statusCode === 101) return refuseProtocol();
      answer = begun;
      this.#relay(begun, response);
    });
    upstream.on('error', (error) => {
      // The browser disconnected, so the error is not the target's.
      if (response.destroyed) return;
      // Trailing data is ignored.
      if (answer?.complete && isGarbled(error)) return;
      response.off('close', abortUpstream);
      // The server closed the connection without an answer (idle ones: RFC 9112, 9.3.1), or sent excess data after the
      // last response. Another connection often gets one.
      const isSpoilt = isSilent() || (upstream.reusedSocket && !answer && isGarbled(error));
      if (agent === this.#agent && isSpoilt && isRepeatable(request))
        this.#send(url, request, response, this.#freshAgent).end();
      else this.#fail(url, response, error);
    });
    response.on('close', abortUpstream);
    const giveUp = (): void => {
      this.#unanswered.delete(upstream);
      upstream.removeAllListeners('error').on('error', () => {});
      upstream.destroy();
      this.#answer(response, 504);
    };
    this.#unanswered.set(upstream, { href: url.href, giveUp });
    upstream.on('close', () => this.#unanswered.delete(upstream));
    return upstream;
  }

  #fail(url: URL, response: http.ServerResponse, error: Error): void {
    const failure =
      error instanceof AppError
        ? error
        : new AppError('connect_failed', `the connection to ${url.host} broke off (${error.message})`);
    this.#noteBlocked(url.href, failure);
    this.#failures.set(keyOf(url.hostname, portOf(url)), failure);
    if (response.headersSent) response.destroy();
    else this.#answer(response, failure.code === 'egress_denied' ? 403 : 502);
  }

  #relay(answer: http.IncomingMessage, response: http.ServerResponse): void {
    response.strictContentLength = false;
    const reason = (answer.statusMessage ?? '').replace(UNWRITABLE, ' ');
    try {
      response.writeHead(answer.statusCode ?? 502, reason, forwardedHeaders(answer.rawHeaders));
    } catch {
      // Node rejects the target's status or headers.
      answer.destroy();
      return this.#answer(response, 502);
    }
    const count = (bytes: number): void => this.#count(bytes);
    // A truncated body must not look complete to the browser.
    pipeline(
      answer,
      (chunks: AsyncIterable<Buffer>) => joinChunks(chunks, count),
      response,
      (error) => {
        if (error) response.destroy();
      },
    );
  }

  #answer(response: http.ServerResponse, status: number): void {
    // Otherwise the browser would send the rest of a large body.
    if (!response.req.complete) response.shouldKeepAlive = false;
    response.writeHead(status, http.STATUS_CODES[status], {
      [MARK_HEADER]: this.#mark,
      'content-length': '0',
      'content-type': 'text/html',
    });
    response.end();
  }

  async #tunnel(request: http.IncomingMessage, client: net.Socket, head: Buffer): Promise<void> {
    const url = URL.parse(`https://${request.url ?? ''}`);
    if (!url) return void client.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    const sent = (bytes: number): boolean => this.#countSent(url.href, bytes);
    this.#tunnels.set(client, keyOf(url.hostname, portOf(url)));
    client.on('close', () => this.#tunnels.delete(client));
    try {
      this.#admit(url.href, normalizeHost(url.hostname));
      const target = await this.#open(url.hostname, portOf(url));
      if (client.destroyed) return void target.destroy();
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      if (head.length > 0 && sent(head.length)) target.write(head);
      client.on('data', (chunk: Buffer) => sent(chunk.length));
      target.on('data', (chunk: Buffer) => this.#count(chunk.length));
      pipeline(client, target, client, () => {
        client.destroy();
        target.destroy();
      });
    } catch (error) {
      const failure = error as AppError;
      this.#noteBlocked(`https://${request.url}/`, failure);
      const status = failure.code === 'egress_denied' ? '403 Forbidden' : '502 Bad Gateway';
      client.end(`HTTP/1.1 ${status}\r\n${MARK_HEADER}: ${this.#mark}\r\nContent-Length: 0\r\n\r\n`);
    }
  }
}

/** The iterator of a stream yields all that it holds in one piece, however small the chunks of the target are. */
async function* joinChunks(
  chunks: AsyncIterable<Buffer>,
  count: (bytes: number) => void,
): AsyncGenerator<Buffer, void> {
  for await (const piece of chunks) {
    count(piece.length);
    yield piece;
  }
}

function exceeded(excess: string): AppError {
  return new AppError('egress_denied', `the page ${excess}; further ones are refused`);
}

function hasBody({ headers }: http.IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;
}

function isRepeatable(request: http.IncomingMessage): boolean {
  return (request.method === 'GET' || request.method === 'HEAD') && !hasBody(request);
}

function isGarbled(error: NodeJS.ErrnoException): boolean {
  return error.code?.startsWith('HPE_') ?? false;
}

function watchSilence(upstream: http.ClientRequest): () => boolean {
  let received = NaN;
  upstream.once('socket', (socket) => (received = socket.bytesRead));
  return () => upstream.socket?.bytesRead === received;
}

function keyOf(host: string, port: number): string {
  return `${normalizeHost(host)}:${port}`;
}

function forwardedHeaders(raw: readonly string[]): string[] {
  const named = new Set(HOP_BY_HOP);
  for (let index = 0; index < raw.length; index += 2) {
    if (raw[index]?.toLowerCase() !== 'connection') continue;
    for (const name of (raw[index + 1] ?? '').split(',')) named.add(name.trim().toLowerCase());
  }
  return raw.filter((_, index) => !named.has((raw[index - (index % 2)] ?? '').toLowerCase()));
}
