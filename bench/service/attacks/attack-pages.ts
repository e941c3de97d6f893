/** A site of pages that are expensive to process. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Slightly below the page size limit. */
const PAGE_CHARACTERS = 10_000_000;

const ARTICLE =
  '<p>The harbour town keeps its old market, and the fishermen sell there every morning before sunrise.</p>\n';
const XHTML = '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>Page</title></head><body>';

interface AttackPage {
  readonly html: string;
  readonly status?: number;
  readonly type?: string;
}

/** Path → page, created on request. */
const PAGES: Readonly<Record<string, () => AttackPage>> = {
  '/ordinary': () => ({ html: article(ARTICLE.repeat(300)) }),
  '/names': () => ({ html: article(`<p class="byline">By Jane Doe${' md'.repeat(30)}!</p>${ARTICLE.repeat(20)}`) }),
  '/many-names': () => ({ html: article(repeat(`<p class="byline">By Jane Doe${' md'.repeat(30)}!</p>`, 1_000_000)) }),
  '/shell-scripts': () => ({ html: `<body>${repeat('<script></script>')}` }),
  '/shell-paragraphs': () => ({ html: `<body>${repeat('<p></p>')}` }),
  '/refused-svg': () => ({ html: `<body>${repeat('<svg></svg>')}`, status: 403 }),
  '/refused-spaces': () => ({ html: `<body>${repeat('\u00a0')}`.slice(0, PAGE_CHARACTERS / 2), status: 403 }),
  '/text': () => ({ html: article(repeat(ARTICLE)) }),
  '/links': () => ({ html: article(repeat('<p>Read <a href="/a?b=c">this</a> <img src="/i.png" alt="i"></p>')) }),
  '/xhtml': () => ({ html: `${XHTML}${repeat('<p title="a">b</p>')}</body></html>`, type: 'application/xhtml+xml' }),
  '/gb18030': () => ({ html: `<body>${repeat('<p>word</p>')}`, type: 'text/html; charset=gb18030' }),
};

function article(content: string): string {
  return `<!doctype html><html lang="en"><head><title>Page</title></head><body><article><h1>Page</h1>${content}</article></body></html>`;
}

function repeat(text: string, characters = PAGE_CHARACTERS): string {
  return text.repeat(Math.ceil(characters / text.length));
}

export interface AttackSite {
  readonly url: string;
  /** Value for `WINNOW_EGRESS_ALLOW`. */
  readonly allow: string;
  close(): void;
}

export async function startAttackSite(): Promise<AttackSite> {
  const made = new Map<string, AttackPage>();
  const server = createServer((request, response) => {
    const name = (request.url ?? '/').replace(/\?.*/, '');
    const page = made.get(name) ?? PAGES[name]?.();
    if (page === undefined) {
      response.writeHead(404).end();
      return;
    }
    made.set(name, page);
    const { html, status = 200, type = 'text/html; charset=utf-8' } = page;
    response.writeHead(status, { 'Content-Type': type }).end(html);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    allow: `127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
