import { ERRORS, HEADERS, type ErrorBody, type ErrorResponse } from '@winnow/contract';
import { maxHeaderSize, STATUS_CODES } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../domain/shared/errors.ts';
import { formatBytes } from '../../domain/shared/format-bytes.ts';
import { presentError } from '../answers/present.ts';
import { chooseRequestId } from './request-context.ts';
import { formatTraceparent, readTraceContext } from './trace-context.ts';

const STATUS = ERRORS.invalid_request.status;

const MESSAGES: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: `the headers of the request are larger than ${formatBytes(maxHeaderSize)}`,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'the chunk extensions of the request are larger than allowed',
  ERR_HTTP_REQUEST_TIMEOUT: 'the request did not arrive in time',
};

/** The last complete request head per connection, with its response. */
const lastRequests = new WeakMap<Socket, { readonly request: IncomingMessage; readonly response: ServerResponse }>();

/** Responds to malformed HTTP in the format of other errors and closes the connection; at most once per request. */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  const last = lastRequests.get(socket);
  const isAnswered = last !== undefined && !last.request.complete && last.response.headersSent;
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  if (isAnswered) {
    socket.destroySoon();
    return;
  }
  const message = MESSAGES[error.code ?? ''] ?? 'the request is not valid HTTP';
  socket.end(rawResponse(message, {}));
}

/** Node would answer an unknown `Expect` without a body. */
export function answerExpectation(request: IncomingMessage, response: ServerResponse): void {
  const { head, body } = describeRefusal('Expect: only 100-continue is supported', request.headers);
  response.writeHead(STATUS, head).end(body);
}

/** Node would ignore a CONNECT request silently. */
export function answerConnect(request: IncomingMessage, socket: Duplex): void {
  socket.on('error', () => undefined);
  socket.end(rawResponse('CONNECT is not supported', request.headers));
}

/**
 * Rejects a head whose meaning differs between servers: a missing or repeated Host (RFC 9112, 3.2), transfer codings
 * other than `chunked`, which Node misreads, and transfer codings in HTTP/1.0 (6.1). All but a missing Host close the
 * connection, since the end of the body, or the receiver of later requests, is unknown.
 */
export function refuseBadHead(request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void {
  const { raw } = request;
  lastRequests.set(raw.socket, { request: raw, response: reply.raw });
  const { host, 'transfer-encoding': coding } = raw.headers;
  if (raw.httpVersion === '1.1' && host === undefined) return done(refuse('Host: is required'));
  const fault = findAmbiguity(raw, coding);
  request.closesConnection = fault !== undefined;
  done(fault === undefined ? undefined : refuse(fault));
}

function findAmbiguity(raw: IncomingMessage, coding: string | undefined): string | undefined {
  // Node keeps the first one.
  if (countHeaders(raw, 'host') > 1) return 'Host: must not be repeated';
  if (coding === undefined) return undefined;
  if (coding.toLowerCase() !== 'chunked') return 'Transfer-Encoding: only chunked is supported';
  return raw.httpVersion === '1.1' ? undefined : 'Transfer-Encoding: HTTP/1.0 does not have it';
}

function countHeaders({ rawHeaders }: IncomingMessage, name: string): number {
  return rawHeaders.filter((each, index) => index % 2 === 0 && each.toLowerCase() === name).length;
}

function refuse(message: string): AppError {
  return new AppError('invalid_request', message);
}

function rawResponse(message: string, headers: IncomingHttpHeaders): string {
  const { head, body } = describeRefusal(message, headers);
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${STATUS} ${STATUS_CODES[STATUS]}`, ...lines, '', body].join('\r\n');
}

function describeRefusal(
  message: string,
  headers: IncomingHttpHeaders,
): { head: Record<string, string>; body: string } {
  const requestId = chooseRequestId(headers[HEADERS.requestId.toLowerCase()]);
  const error: ErrorBody = presentError(refuse(message));
  const body = JSON.stringify({ request_id: requestId, error } satisfies ErrorResponse);
  const head = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    [HEADERS.requestId]: requestId,
    traceparent: formatTraceparent(readTraceContext(headers)),
    Connection: 'close',
  };
  return { head, body };
}
