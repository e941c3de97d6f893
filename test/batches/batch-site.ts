import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A site on loopback with articles, a robots.txt and slow pages. */
export interface BatchSite {
  readonly url: string;
  /** Requests for each page, by its number. */
  readonly served: ReadonlyMap<number, number>;
  pageUrl(number: number): string;
  slowUrl(number: number): string;
  /** Answers this number of further pages; the others wait until `release`. */
  holdAfter(pages: number): void;
  release(): void;
  close(): Promise<void>;
}

/** Default delay of slow pages, in milliseconds. */
const SLOW_MS = 200;

export async function startSite(options: { readonly slowMs?: number } = {}): Promise<BatchSite> {
  const served = new Map<number, number>();
  let pagesLeft = Infinity;
  let held: (() => void)[] = [];
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://site');
    if (pathname === '/robots.txt') {
      response.setHeader('Content-Type', 'text/plain');
      response.end('User-agent: *\nDisallow: /private/\n');
      return;
    }
    const [, kind, digits] = /^\/(page|slow|private)\/(\d+)$/.exec(pathname) ?? [];
    response.statusCode = kind === undefined ? 404 : 200;
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    const send = (): void => void response.end(kind === undefined ? '<p>No such page.</p>' : article(Number(digits)));
    if (kind === 'page') {
      served.set(Number(digits), (served.get(Number(digits)) ?? 0) + 1);
      pagesLeft -= 1;
    }
    if (kind === 'page' && pagesLeft < 0) held.push(send);
    else if (kind === 'slow') setTimeout(send, options.slowMs ?? SLOW_MS);
    else send();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    served,
    pageUrl: (number) => `${url}/page/${number}`,
    slowUrl: (number) => `${url}/slow/${number}`,
    holdAfter: (pages) => {
      pagesLeft = pages;
    },
    release: () => {
      pagesLeft = Infinity;
      for (const send of held) send();
      held = [];
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function article(number: number): string {
  const sentence = `This is what page ${number} has to say about the weather of that day, and it is quite a lot.`;
  return `<!doctype html><html lang="en"><head><title>Page ${number}</title></head><body><main><article>
<h1>Page ${number}</h1>${`<p>${sentence} ${sentence}</p>`.repeat(4)}</article></main></body></html>`;
}
