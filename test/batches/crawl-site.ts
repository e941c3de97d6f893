import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A site on loopback whose pages link to each other. */
export interface CrawlSite {
  readonly url: string;
  /** Requests for each path, with its query. */
  readonly served: Map<string, number>;
  /** Paths with the times of request and answer, by `performance.now()`. */
  readonly visits: Visit[];
  close(): Promise<void>;
}

export interface Visit {
  readonly path: string;
  readonly start: number;
  readonly end: number;
}

interface SitePage {
  /** Links of the page. */
  readonly links?: readonly string[];
  readonly canonical?: string;
  readonly redirect?: string;
  /** Last paragraph of the page. */
  readonly note?: string;
  /** Answered when its gate is opened. */
  readonly isHeld?: boolean;
  /** Answered in place of a page. */
  readonly text?: string;
}

/**
 * @param find returns the page of a path with its query; undefined: not found
 * @param gates receives the gates of held pages
 */
export async function startCrawlSite(
  find: (path: string, url: string) => SitePage | undefined,
  delayMs = 0,
  gates: (() => void)[] = [],
): Promise<CrawlSite> {
  const served = new Map<string, number>();
  const visits: Visit[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    const start = performance.now();
    served.set(path, (served.get(path) ?? 0) + 1);
    const page = find(path, `http://${request.headers.host}`);
    response.statusCode = page === undefined ? 404 : page.redirect === undefined ? 200 : 302;
    if (page?.redirect !== undefined) response.setHeader('location', page.redirect);
    response.setHeader('content-type', page?.text === undefined ? 'text/html; charset=utf-8' : 'text/plain');
    const answer = (): void => {
      visits.push({ path, start, end: performance.now() });
      response.end(page?.text ?? article(path, page));
    };
    if (page?.isHeld) gates.push(answer);
    else setTimeout(answer, delayMs);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    served,
    visits,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function article(path: string, { links = [], canonical, note }: SitePage = {}): string {
  const name = path.replaceAll(/[^\w/]/g, ' ');
  const sentence = `This is what the page ${name} has to say about the weather of that day, and it is quite a lot.`;
  return `<!doctype html><html lang="en"><head><title>Page ${name}</title>
${canonical === undefined ? '' : `<link rel="canonical" href="${canonical}">`}</head><body><main><article>
<h1>Page ${name}</h1>${`<p>${sentence} ${sentence}</p>`.repeat(4)}${note === undefined ? '' : `<p>${note}</p>`}</article></main>
<nav>${links.map((link, index) => `<a href="${link}">${index}</a>`).join(' ')}</nav></body></html>`;
}
