import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const MIB = 1_048_576;
const SENTENCE = 'The harbour town keeps its old market, and the fishermen sell there every morning. ';
/** Just under the largest page that is accepted. */
const ALMOST_10_MIB = 10 * MIB - 1000;

function fill(part: string, bytes: number): string {
  return part.repeat(Math.floor(bytes / part.length));
}

/** Pages made to cost whoever reads them. */
const PAGES = {
  'one-line': () => `<p>${fill(SENTENCE, ALMOST_10_MIB)}</p>`,
  deep: () => `${fill('<div>', 500_000)}<p>${SENTENCE}</p>`,
  attribute: () => `<p title="${fill('x', ALMOST_10_MIB)}">${SENTENCE.repeat(10)}</p>`,
  links: () =>
    Array.from({ length: 100_000 }, (_item, index) => `<a href="/${index}">link ${index}</a>`).join(' ') + SENTENCE,
  'broken-utf8': () => Buffer.concat([Buffer.from('<p>'), Buffer.alloc(MIB, 0xe2), Buffer.from(SENTENCE)]),
  'json-ld': () => `<script type="application/ld+json">${fill('[', MIB)}</script><p>${SENTENCE.repeat(10)}</p>`,
  tables: () => `${fill('<table><tr><td>', 300_000)}${SENTENCE}`,
} as const satisfies Record<string, () => string | Buffer>;

export interface HostilePages {
  url(name: keyof typeof PAGES): string;
  close(): Promise<void>;
}

export async function startHostilePages(): Promise<HostilePages> {
  const server = createServer((request, response) => {
    const make = PAGES[(request.url ?? '/').slice(1) as keyof typeof PAGES];
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' });
    response.end(make());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: (name) => `http://127.0.0.1:${port}/${name}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
