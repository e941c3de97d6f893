import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, Server, ServerOptions, ServerResponse } from 'node:http';
import { Socket } from 'node:net';

export interface ConnectionLimits {
  /** Requests of one connection whose answers are not sent; one more closes the connection. */
  readonly maxUnanswered: number;
  /** A connection that takes no byte of its answer for this time is closed. */
  readonly writeTimeoutMs: number;
  /** Bytes of answers that wait for their readers, of all connections. */
  readonly maxUnreadBytes: number;
  /** One more closes the oldest connection without a request. */
  readonly maxConnections: number;
}

/** An open connection costs about 20 KB. */
const MOST_CONNECTIONS = 10_000;

/** Of the files that the process may open: the rest is for captures, pipes of processes and the database. */
const SHARE_OF_FILES = 0.5;

/** Clients that pipeline send fewer requests at once. */
export const CONNECTION_LIMITS: ConnectionLimits = {
  maxUnanswered: 64,
  writeTimeoutMs: 30_000,
  maxUnreadBytes: 256 * 1024 * 1024,
  maxConnections: Math.min(MOST_CONNECTIONS, Math.floor(SHARE_OF_FILES * readFileLimit())),
};

/** Infinite where the system does not say. */
function readFileLimit(): number {
  try {
    return Number(/^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1] ?? Infinity);
  } catch {
    return Infinity;
  }
}

/** An answer that is read within this time is never cut off. */
const MEASURE_MS = 1000;

/** Bytes that the HTTP parser gets at once: about 200 of the shortest requests. */
const SLICE_BYTES = 4096;

interface Waiting {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

interface Connection {
  /** The first one is being answered. */
  readonly requests: Waiting[];
  /** Time of the first measurement that found unread bytes; undefined if the last one found none. */
  unreadSince: number | undefined;
}

const connectionsOfServers = new WeakMap<Server, ReadonlyMap<Socket, Connection>>();

/** Returns the open connections of a bounded server, with their complete requests that wait for answers. */
export function connectionsOf(server: Server): ReadonlyMap<Socket, { readonly requests: readonly unknown[] }> {
  return connectionsOfServers.get(server) ?? new Map<Socket, Connection>();
}

interface BoundedServerOptions extends ServerOptions {
  readonly limits?: ConnectionLimits;
  /** Is called once, when a connection is closed for a new one. */
  readonly onFull?: (maxConnections: number) => void;
}

/**
 * Creates an HTTP server that answers the requests of a connection one after the other: the next one starts when the
 * system has taken the whole answer. Node would start all pipelined requests at once, and keep their answers in memory
 * for a caller that does not read.
 */
export function createBoundedServer(
  { limits = CONNECTION_LIMITS, onFull, ...options }: BoundedServerOptions,
  answer: RequestListener,
): Server {
  const connections = new Map<Socket, Connection>();
  const answerNext = (socket: Socket, connection: Connection): void => {
    const [next] = connection.requests;
    if (next === undefined || socket.destroyed || socket.writableEnded) return;
    next.response.once('finish', () => {
      connection.requests.shift();
      // In a later turn, so that other connections have theirs.
      if (connection.requests.length > 0) setImmediate(answerNext, socket, connection);
    });
    answer(next.request, next.response);
  };
  const server = createServer(options, (request, response) => {
    const { socket } = request;
    const connection = connections.get(socket);
    if (connection === undefined) return;
    connection.requests.push({ request, response });
    if (connection.requests.length > limits.maxUnanswered) socket.destroy();
    else if (connection.requests.length === 1) answerNext(socket, connection);
  });
  connectionsOfServers.set(server, connections);
  let wasFull = false;
  server.on('connection', (socket) => {
    if (connections.size >= limits.maxConnections) {
      if (!wasFull) onFull?.(limits.maxConnections);
      wasFull = true;
      if (!closeOldestIdle(connections)) {
        socket.destroy();
        return;
      }
    }
    socket.push = pushInSlices;
    // With a listener, Node passes the bytes through `push` instead of straight to its parser.
    socket.on('data', ignoreData);
    connections.set(socket, { requests: [], unreadSince: undefined });
    socket.once('close', () => connections.delete(socket));
  });
  server.setTimeout(limits.writeTimeoutMs, (socket) => {
    const isIdle = connections.get(socket)?.requests.length === 0 && socket.timeout !== limits.writeTimeoutMs;
    if (isIdle || socket.writableLength > 0) socket.destroy();
  });
  const measuring = setInterval(() => closeLongestUnread(connections, limits.maxUnreadBytes), MEASURE_MS).unref();
  server.once('close', () => clearInterval(measuring));
  return server;
}

/** A client that keeps its connection for later requests opens a new one. False if every connection has a request. */
function closeOldestIdle(connections: Map<Socket, Connection>): boolean {
  for (const [socket, { requests }] of connections) {
    if (requests.length > 0) continue;
    connections.delete(socket);
    socket.destroy();
    return true;
  }
  return false;
}

/** Node starts all requests of a chunk, of up to 64 KiB, before anything can close their connection. */
function pushInSlices(this: Socket, chunk: Buffer | null): boolean {
  if (chunk === null) return Socket.prototype.push.call(this, chunk);
  let wantsMore = true;
  for (let start = 0; start < chunk.length && !this.destroyed; start += SLICE_BYTES)
    wantsMore = Socket.prototype.push.call(this, chunk.subarray(start, start + SLICE_BYTES));
  return wantsMore;
}

function ignoreData(): void {
  // The parser has its own listener.
}

/** Closes connections without a reader, the longest first, until the unread bytes of the others are within the limit. */
function closeLongestUnread(connections: ReadonlyMap<Socket, Connection>, maxUnreadBytes: number): void {
  const now = performance.now();
  let total = 0;
  const unread: { readonly socket: Socket; readonly since: number }[] = [];
  for (const [socket, connection] of connections) {
    const { writableLength } = socket;
    total += writableLength;
    if (writableLength > 0 && connection.unreadSince !== undefined)
      unread.push({ socket, since: connection.unreadSince });
    connection.unreadSince = writableLength > 0 ? (connection.unreadSince ?? now) : undefined;
  }
  for (const { socket } of unread.toSorted((a, b) => a.since - b.since)) {
    if (total <= maxUnreadBytes) return;
    total -= socket.writableLength;
    socket.destroy();
  }
}
