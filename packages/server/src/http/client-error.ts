import { ERRORS, HEADERS } from '@winnow/contract';
import type { ErrorCode } from '@winnow/contract';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { newRequestId } from './request-id.ts';

/** What Node's HTTP parser refuses before there is a request, by its error code. */
const MESSAGES: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'the headers of the request are larger than allowed',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'the chunk extensions of the request are larger than allowed',
  ERR_HTTP_REQUEST_TIMEOUT: 'the request did not arrive in time',
};

/** Answers what is not HTTP in the shape of every other error, and closes the connection. */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const message = MESSAGES[error.code ?? ''] ?? 'the request is not valid HTTP';
  socket.end(rawResponse('invalid_request', message));
}

/** Answers an `Expect` header that asks for anything but `100-continue`, which Node would answer without a body. */
export function answerExpectation(_request: IncomingMessage, response: ServerResponse): void {
  const { head, body } = errorResponse('invalid_request', 'Expect: only 100-continue is understood');
  response.writeHead(ERRORS.invalid_request.status, head).end(body);
}

function rawResponse(code: ErrorCode, message: string): string {
  const { head, body } = errorResponse(code, message);
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${ERRORS[code].status} Bad Request`, ...lines, '', body].join('\r\n');
}

function errorResponse(code: ErrorCode, message: string): { head: Record<string, string>; body: string } {
  const requestId = newRequestId();
  const body = JSON.stringify({ request_id: requestId, error: { code, message, stage: 'request' } });
  const head = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    [HEADERS.requestId]: requestId,
    Connection: 'close',
  };
  return { head, body };
}
