import assert from 'node:assert/strict';
import { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { repairFirstHead } from './repair-head.ts';

/** Returns what is read of a connection that receives a text in chunks of a size. */
async function receive(sent: string, size: number): Promise<string> {
  const socket = repairFirstHead(new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() }));
  const bytes = Buffer.from(sent, 'latin1');
  for (let start = 0; start < bytes.length; start += size) socket.push(bytes.subarray(start, start + size));
  socket.push(null);
  return text(socket);
}

const OK = 'HTTP/1.1 200 OK\r\n';
const BODY = `<p>content-length: 7</p>${'x'.repeat(100_000)}`;

test('the first head is repaired, in whatever chunks it comes, and the rest is passed on', async () => {
  const rest = `Server: a\r\n\r\n${BODY}\r\n\r\n${OK}Content-Length: 1\r\nContent-Length: 1\r\n\r\n`;
  const one = `${OK}Content-Length: 5\r\n${rest}`;
  for (const [sent, read] of [
    [`${OK}Content-Length: 5\r\nContent-Length: 5\r\n${rest}`, one],
    [
      `${OK}content-length:5\r\nX-A: b\r\nCONTENT-LENGTH : 5 \r\n${rest}`,
      `${OK}Content-Length: 5\r\nX-A: b\r\n${rest}`,
    ],
    [`HTTP/1.1 200 OK\nX-A: b\nContent-Length: 5\n\n${BODY}`, `${OK}X-A: b\r\nContent-Length: 5\r\n\r\n${BODY}`],
    [`${OK}X-A: b;\r\n\t c\r\n${rest}`, `${OK}X-A: b; c\r\n${rest}`],
    [`${OK}a line without a name\r\n: nor this\r\n<b>: nor this\r\n${rest}`, `${OK}${rest}`],
    [`${OK}Content-Length: 5, 5\r\n${rest}`, one],
    [`${OK}X-Odd : a b : c\r\nX-Odder \t:d\r\n${rest}`, `${OK}X-Odd: a b : c\r\nX-Odder:d\r\n${rest}`],
    [`${OK}Content-Length: 5\r\nTransfer-Encoding : chunked\r\n${rest}`, `${OK}Transfer-Encoding: chunked\r\n${rest}`],
    [
      `${OK}Transfer-Encoding: gzip\r\nContent-Length: 5\r\n${rest}`,
      `${OK}Transfer-Encoding: gzip\r\nContent-Length: 5\r\n${rest}`,
    ],
    [`HTTP/1.1 100 Continue\r\nX-A: b\r\n\r\nHTTP/1.0 100 \r\n\r\n${one}`, one],
    [`HTTP/1.1 103 Early Hints\r\n\r\n${one}`, `HTTP/1.1 103 Early Hints\r\n\r\n${one}`],
  ] as const)
    for (const size of [1, 7, 10_000, 1_000_000]) assert.equal(await receive(sent, size), read, `${size}: ${sent}`);
});

test('anything else is passed on as it is', async () => {
  for (const sent of [
    `${OK}Content-Length: 5\r\nContent-Length: 6\r\n\r\n${BODY}`,
    `${OK}X-Content-Length: 5\r\nX-Content-Length: 5\r\n\r\n`,
    'SSH-2.0-OpenSSH_9.6\r\n',
    'HTTP/1.1 200 OK\r\nbroken off',
    `${OK}X-Long: ${'y'.repeat(200_000)}`,
    '',
    'HT',
  ])
    for (const size of [1, 1000, 1_000_000])
      assert.equal(await receive(sent, size), sent, `${size}: ${sent.slice(0, 80)}`);
});
