/**
 * A separate process that serves slightly different pages of 40 kB and prints its port. It listens on several loopback
 * addresses to imitate many sites; `?wait=100` delays an answer by 100 ms.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SITES } from './sites.ts';

const PAGE_BYTES = 40_000;
const SENTENCE =
  'The harbour town keeps its old market, and the fishermen sell there every morning before the sun is up. ';
const PARAGRAPH = `<p>${SENTENCE.repeat(4)}</p>\n`;
const LINKS = Array.from({ length: 60 }, (_item, index) => `<li><a href="/page/${index}">Link ${index}</a></li>`).join(
  '',
);

function answer(request: IncomingMessage, response: ServerResponse): void {
  const head = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Page ${request.url ?? ''}</title></head>
<body><nav><ul>${LINKS}</ul></nav><main><article><h1>Page ${request.url ?? ''}</h1>`;
  const paragraphs = Math.ceil((PAGE_BYTES - head.length) / PARAGRAPH.length);
  const body = `${head}${PARAGRAPH.repeat(paragraphs)}</article></main></body></html>`;
  const wait = Number(new URL(request.url ?? '', 'http://site').searchParams.get('wait'));
  const send = (): void => {
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8', 'Content-Length': Buffer.byteLength(body) });
    response.end(body);
  };
  if (wait > 0) setTimeout(send, wait);
  else send();
}

async function listen(host: string, port: number): Promise<number> {
  const server = createServer(answer).listen(port, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

const port = await listen('127.0.0.1', 0);
for (let site = 2; site <= SITES; site += 1) await listen(`127.0.0.${site}`, port);
process.stdout.write(`${port}\n`);
