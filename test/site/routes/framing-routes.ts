import { ARTICLE, MARK, document, sleep } from '../route.ts';
import type { Route, Routes } from '../route.ts';

const TEXT = document(`${ARTICLE}<p>${MARK}</p>`);
const LENGTH = Buffer.byteLength(TEXT);

/** Answers with unmodified bytes and closes the connection. */
const raw =
  (headers: readonly string[], body: string): Route =>
  ({ request }) => {
    const head = ['HTTP/1.1 200 OK', 'Content-Type: text/html; charset=utf-8', ...headers].join('\r\n');
    request.socket.end(`${head}\r\n\r\n${body}`);
  };

const chunked = (body: string): Route => raw(['Transfer-Encoding: chunked'], body);

/** Answers with wrong lengths, and headers that never end. */
export const FRAMING_ROUTES: Routes = {
  '/too-long': raw(['Content-Length: 20'], TEXT),
  '/lengths-differ': raw([`Content-Length: ${LENGTH}`, `Content-Length: ${LENGTH + 1}`], TEXT),
  '/negative-length': raw(['Content-Length: -1'], TEXT),
  '/huge-length': raw(['Content-Length: 99999999999999999999'], TEXT),
  '/bad-chunk-size': chunked(`zz\r\n${TEXT}\r\n0\r\n\r\n`),
  '/huge-chunk': chunked(`7fffffff\r\n${TEXT}`),
  '/overflowing-chunk': chunked(`fffffffffffffffff\r\n${TEXT}`),
  '/drip-headers': async ({ request }) => {
    const { socket } = request;
    socket.on('error', () => {});
    socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n');
    while (!socket.destroyed) {
      socket.write('X-Drop: drop\r\n');
      await sleep(50);
    }
  },
};
