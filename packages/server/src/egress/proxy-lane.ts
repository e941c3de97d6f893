import { randomBytes } from 'node:crypto';
import http from 'node:http';
import type net from 'node:net';
import { once } from 'node:events';
import { pipeline } from 'node:stream';
import type { AddressInfo } from 'node:net';
import { AppError } from '../domain/errors.ts';
import type { BlockedRequest } from '../domain/ports.ts';
import { RecentMap } from '../domain/recent-map.ts';
import { portOf } from './check-url.ts';
import type { Dial } from './dial.ts';
import { normalizeHost } from './egress-policy.ts';

export interface LaneOptions {
  readonly dial: Dial;
  /** Bytes that may come in through the lane before it is cut off. */
  readonly maxBytes: number;
  /** Address to listen on. Default 127.0.0.1; another one only for browsers on other machines. */
  readonly listenHost?: string;
  /** Called once, when the lane is closed: whoever still dials for it can stop. */
  readonly onClose?: () => void;
}

/**
 * A browser's only way out: an HTTP proxy of its own for one capture, which opens every connection with
 * `dial`. What it refuses or cannot reach is remembered, and answered in a way that the capture can tell
 * from a page: see {@link ProxyLane.isOwnAnswer}.
 */
export interface ProxyLane {
  readonly port: number;
  /** Requests that the policy refused, without repeats, at most 100. */
  readonly blocked: readonly BlockedRequest[];
  /** Bytes received from the network so far. */
  readonly receivedBytes: number;
  /** Whether anything has connected: the browser, as nobody else knows of the lane. */
  readonly isReached: boolean;
  /** Whether the lane was cut off because of its byte limit. */
  readonly isExhausted: boolean;
  /** Whether response headers are those of an answer that the lane made itself in place of the target. */
  isOwnAnswer(headers: Readonly<Record<string, string>>): boolean;
  /** Why a target could not be reached through the lane, if it could not. */
  failureOf(url: URL): AppError | undefined;
  close(): Promise<void>;
}

const MAX_BLOCKED = 100;
/** Targets whose failure is remembered; only that of the page's own document is asked for. */
const MAX_FAILURES = 1000;
const MARK_HEADER = 'x-winnow-lane';
/** Headers that belong to one connection and are not passed on (RFC 9110, 7.6.1). */
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
/** Characters that Node does not write into the words behind a status. */
const UNWRITABLE = /[^\t\u0020-\u007E\u0080-\u00FF]/g;

export async function openProxyLane(options: LaneOptions): Promise<ProxyLane> {
  const lane = new Lane(options);
  await lane.listen(options.listenHost ?? '127.0.0.1');
  return lane;
}

class Lane implements ProxyLane {
  readonly blocked: BlockedRequest[] = [];
  receivedBytes = 0;
  isReached = false;
  isExhausted = false;
  readonly #dial: Dial;
  readonly #maxBytes: number;
  readonly #onClose: (() => void) | undefined;
  readonly #mark = randomBytes(12).toString('hex');
  readonly #server: http.Server;
  readonly #agent: http.Agent;
  /** For what is sent once more: each request has a connection of its own. */
  readonly #freshAgent: http.Agent;
  readonly #sockets = new Set<net.Socket>();
  readonly #failures = new RecentMap<string, AppError>(MAX_FAILURES);
  #isClosed = false;

  constructor({ dial, maxBytes, onClose }: LaneOptions) {
    this.#dial = dial;
    this.#maxBytes = maxBytes;
    this.#onClose = onClose;
    this.#agent = this.#createAgent({ keepAlive: true, maxSockets: 32 });
    this.#freshAgent = this.#createAgent({ keepAlive: false });
    this.#server = http.createServer({ maxHeaderSize: 262_144, insecureHTTPParser: true, keepAlive: true });
    this.#server.on('request', (request, response) => this.#forward(request, response));
    this.#server.on('connect', (request, socket, head) => void this.#tunnel(request, socket as net.Socket, head));
    this.#server.on('connection', (socket) => {
      this.isReached = true;
      this.#track(socket);
    });
    // A browser that breaks off mid-request is no event; without a listener Node answers it itself.
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

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#onClose?.();
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
    if (this.receivedBytes <= this.#maxBytes || this.isExhausted) return;
    this.isExhausted = true;
    this.#cutOff();
  }

  /** Opens a connection to a target, or remembers why there is none. */
  async #open(host: string, port: number): Promise<net.Socket> {
    try {
      const socket = await this.#dial(host, port);
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
    if (failure.code !== 'egress_denied' || this.blocked.length >= MAX_BLOCKED) return;
    if (!this.blocked.some((entry) => entry.url === url)) this.blocked.push({ url, reason: failure.message });
  }

  #createAgent(settings: http.AgentOptions): http.Agent {
    const agent = new http.Agent(settings);
    agent.createConnection = (options, callback): undefined => {
      this.#open(String(options.host), Number(options.port)).then(
        (socket) => callback?.(null, socket),
        (error: Error) => callback?.(error, undefined as never),
      );
    };
    return agent;
  }

  /** A plain request in absolute form: `GET http://host/path HTTP/1.1`. */
  #forward(request: http.IncomingMessage, response: http.ServerResponse): void {
    const url = URL.parse(request.url ?? '');
    if (url?.protocol !== 'http:') return this.#answer(response, 400);
    try {
      const upstream = this.#send(url, request, response);
      if (hasBody(request)) pipeline(request, upstream, () => {});
      else upstream.end();
    } catch {
      // Header names and values that Node does not write: no browser sends such.
      this.#answer(response, 400);
    }
  }

  /** Begins a request to the target, whose answer goes to the browser; who calls it ends it. */
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
      path: url.pathname + url.search,
      method: request.method,
      headers: forwardedHeaders(request.rawHeaders),
      setHost: false,
      maxHeaderSize: 262_144,
      insecureHTTPParser: true,
    });
    const isSilent = watchSilence(upstream);
    const giveUp = (): void => void upstream.destroy();
    let answer: http.IncomingMessage | undefined;
    // A browser would wait for what comes after a 101; and without a listener Node lets go of the connection and tells nobody.
    const refuseProtocol = (): void => {
      upstream.destroy();
      this.#fail(url, response, new Error('it changed to another protocol'));
    };
    upstream.on('upgrade', refuseProtocol);
    upstream.on('response', (begun) => {
      // One that does not say to which protocol is no upgrade to Node.
      if (begun.statusCode === 101) return refuseProtocol();
      answer = begun;
      this.#relay(begun, response);
    });
    upstream.on('error', (error) => {
      // The browser went away: nobody is left to answer, and the target is not to blame.
      if (response.destroyed) return;
      // What stands behind a whole answer is nobody's; its connection is closed by now.
      if (answer?.complete && isGarbled(error)) return;
      response.off('close', giveUp);
      // The server may have closed a connection that was kept, just then: RFC 9112, 9.3.1. Or it was left with the rest of
      // an answer that was longer than it said.
      const isSpoilt = isSilent() || (!answer && isGarbled(error));
      const isStale = upstream.reusedSocket && isSpoilt && isRepeatable(request);
      if (isStale) this.#send(url, request, response, this.#freshAgent).end();
      else this.#fail(url, response, error);
    });
    response.on('close', giveUp);
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
      // A status or header values that Node does not write: the target is at fault.
      answer.destroy();
      return this.#answer(response, 502);
    }
    answer.on('data', (chunk: Buffer) => this.#count(chunk.length));
    // A body that breaks off must not look complete to the browser.
    pipeline(answer, response, (error) => error && response.destroy());
  }

  #answer(response: http.ServerResponse, status: number): void {
    // With its own words: those of an answer that could not be written are there still.
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
    try {
      const target = await this.#open(url.hostname, portOf(url));
      if (client.destroyed) return void target.destroy();
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      if (head.length > 0) target.write(head);
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

function hasBody({ headers }: http.IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;
}

/** Whether a request may be sent once more although the server may have got it: it changes nothing there. */
function isRepeatable(request: http.IncomingMessage): boolean {
  return (request.method === 'GET' || request.method === 'HEAD') && !hasBody(request);
}

/** Whether it says that what came is no HTTP. */
function isGarbled(error: NodeJS.ErrnoException): boolean {
  return error.code?.startsWith('HPE_') ?? false;
}

/** Tells whether nothing has come over a request's connection since it got that. */
function watchSilence(upstream: http.ClientRequest): () => boolean {
  let received = NaN;
  upstream.once('socket', (socket) => (received = socket.bytesRead));
  return () => upstream.socket?.bytesRead === received;
}

function keyOf(host: string, port: number): string {
  return `${normalizeHost(host)}:${port}`;
}

/** Raw headers without those of the connection, repeats and order kept. */
function forwardedHeaders(raw: readonly string[]): string[] {
  const named = new Set(HOP_BY_HOP);
  for (let index = 0; index < raw.length; index += 2) {
    if (raw[index]?.toLowerCase() !== 'connection') continue;
    for (const name of (raw[index + 1] ?? '').split(',')) named.add(name.trim().toLowerCase());
  }
  return raw.filter((_, index) => !named.has((raw[index - (index % 2)] ?? '').toLowerCase()));
}
