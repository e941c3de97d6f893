/** A process of its own that serves pages of 40 kB, each a little different, and prints its port. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const PAGE_BYTES = 40_000;
const SENTENCE =
  'The harbour town keeps its old market, and the fishermen sell there every morning before the sun is up. ';
const PARAGRAPH = `<p>${SENTENCE.repeat(4)}</p>\n`;
const LINKS = Array.from({ length: 60 }, (_item, index) => `<li><a href="/page/${index}">Link ${index}</a></li>`).join(
  '',
);

const server = createServer((request, response) => {
  const head = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Page ${request.url ?? ''}</title></head>
<body><nav><ul>${LINKS}</ul></nav><main><article><h1>Page ${request.url ?? ''}</h1>`;
  const paragraphs = Math.ceil((PAGE_BYTES - head.length) / PARAGRAPH.length);
  const body = `${head}${PARAGRAPH.repeat(paragraphs)}</article></main></body></html>`;
  response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8', 'Content-Length': Buffer.byteLength(body) });
  response.end(body);
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
