import { ERRORS, HEADERS } from '@winnow/contract';
import type { ErrorCode } from '@winnow/contract';
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

function rawResponse(code: ErrorCode, message: string): string {
  const requestId = newRequestId();
  const body = JSON.stringify({ request_id: requestId, error: { code, message, stage: 'request' } });
  return [
    `HTTP/1.1 ${ERRORS[code].status} Bad Request`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `${HEADERS.requestId}: ${requestId}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
