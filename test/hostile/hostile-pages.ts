import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const MIB = 1_048_576;
const SENTENCE = 'The harbour town keeps its old market, and the fishermen sell there every morning. ';
/** Just under the largest page that is accepted. */
const ALMOST_10_MIB = 10 * MIB - 1000;

function fill(part: string, bytes: number): string {
  return part.repeat(Math.floor(bytes / part.length));
}

const MILLION = 1_000_000;

/** JSON-LD in which every node refers to itself and to others. */
function makeGraph(): object {
  const nodes = Array.from({ length: 20_000 }, (_item, index) => ({
    '@type': ['Article', 'Person', 'WebPage'],
    '@id': `#${index}`,
    author: [{ '@id': `#${index}` }, { '@id': `#${index + 1}` }],
    mainEntityOfPage: { '@id': `#${(index * 7919) % 20_000}` },
    datePublished: '2024-01-01'.repeat(10),
  }));
  return { '@context': 'https://schema.org', '@graph': nodes };
}

/** Texts that start like a date, and invalid dates. */
function makeDates(): string[] {
  const long = [
    fill('2024-', MIB / 4),
    fill('1', MIB / 4),
    `2024-01-01T${fill('00:', MIB / 4)}`,
    fill('Mon, ', MIB / 4),
  ];
  const many = Array.from(
    { length: 5000 },
    (_item, index) => `<time datetime="${index}-99-99T99:99:99+99:99">${index}</time>`,
  );
  return [...long.map((text) => `<time datetime="${text}">${text}</time>`), ...many];
}

/** Repeated texts that make regular expressions with nested or adjacent quantifiers backtrack. */
const PATTERNS = [
  'a',
  ' ',
  '\t\n',
  'By A ',
  'a@',
  'a.',
  '1,',
  '-_',
  '&nbsp;',
  '/a',
  '| ',
  '((',
  '"\'',
  'http://',
] as const;

/** Pages made to be expensive to process. */
const PAGES = {
  'one-line': () => `<p>${fill(SENTENCE, ALMOST_10_MIB)}</p>`,
  deep: () => `${fill('<div>', 500_000)}<p>${SENTENCE}</p>`,
  attribute: () => `<p title="${fill('x', ALMOST_10_MIB)}">${SENTENCE.repeat(10)}</p>`,
  nodes: () => `${'<p>a'.repeat(500_000)}<p>${SENTENCE.repeat(10)}`,
  /** A million links in few enough bytes to pass the size limit. */
  links: () => Array.from({ length: MILLION }, (_item, index) => `<a href=${index % 10}>`).join('') + SENTENCE,
  /** As many distinct addresses as fit under the size limit. */
  addresses: () =>
    `<main><p>${SENTENCE.repeat(10)}</p></main>${Array.from({ length: 600_000 }, (_item, index) => `<a href=${index}>`).join('')}`,
  'large-links': () =>
    Array.from({ length: MILLION }, (_item, index) => `<a href="/${index}">link ${index}</a>`).join(' ') + SENTENCE,
  'broken-utf8': () => Buffer.concat([Buffer.from('<p>'), Buffer.alloc(MIB, 0xe2), Buffer.from(SENTENCE)]),
  'json-ld': () => `<script type="application/ld+json">${fill('[', MIB)}</script><p>${SENTENCE.repeat(10)}</p>`,
  'json-ld-graph': () =>
    `<script type="application/ld+json">${JSON.stringify(makeGraph())}</script><p>${SENTENCE.repeat(10)}</p>`,
  tables: () => `${'<table><tr><td>'.repeat(30_000)}${SENTENCE}`,
  spans: () => `<table>${'<tr><td colspan=1000 rowspan=65534>a'.repeat(20_000)}</table><p>${SENTENCE.repeat(10)}</p>`,
  dates: () =>
    `<article><p>${SENTENCE.repeat(10)}</p>${makeDates().join('')}<p>${fill('1 May 2024, ', MIB)}</p></article>`,
  patterns: () =>
    `<article><p>${SENTENCE.repeat(10)}</p>${PATTERNS.map((part) => `<p>${fill(part, MIB / 2)}</p>`).join('')}`,
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
