import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';

const SENTENCE = 'The harbour town keeps its old market, and the fishermen sell there every morning. ';

/** Entries of a very large sitemap. */
export const MANY = 60_000;

export interface MapSite {
  readonly url: string;
  readonly host: string;
  hits(path: string): number;
  close(): Promise<void>;
}

/** Serves files by path, and the home page at every other path. */
export async function startMapSite(
  files: (site: { readonly url: string }) => Readonly<Record<string, string | Buffer>>,
): Promise<MapSite> {
  const hits = new Map<string, number>();
  const site = { url: '' };
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const path = request.url ?? '/';
    hits.set(path, (hits.get(path) ?? 0) + 1);
    const file = files(site)[path];
    if (path.startsWith('/hang')) return;
    if (file !== undefined) response.writeHead(200, { 'Content-Type': 'application/xml' }).end(file);
    else if (path.startsWith('/sitemap') || path === '/robots.txt') response.writeHead(404).end();
    else response.writeHead(200, { 'Content-Type': 'text/html' }).end(pageOf(site.url));
  };
  const server = createServer(answer).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  site.url = `http://127.0.0.1:${port}`;
  return {
    ...site,
    host: `127.0.0.1:${port}`,
    hits: (path) => hits.get(path) ?? 0,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function pageOf(url: string): string {
  return `<!doctype html><html lang="en"><title>Home</title><nav><a href="/docs/start?from=nav#top">Get started</a>
<a href="https://elsewhere.example/">Elsewhere</a><a href="mailto:a@b.example">Mail</a></nav><main><h1>Home</h1>
<p>${SENTENCE.repeat(4)} <a href="${url}/blog/one">Blog</a></p><p>${SENTENCE.repeat(4)}</p></main></html>`;
}

export function writeSitemap(locations: Iterable<string>): string {
  const entries = [...locations].map((location) => `<url><loc>${location}</loc><priority>.5</priority></url>`);
  return `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${entries.join('\n')}</urlset>`;
}

export function writeIndex(locations: Iterable<string>): string {
  const entries = [...locations].map((location) => `<s:sitemap><s:loc> ${location} </s:loc></s:sitemap>`);
  return `<s:sitemapindex xmlns:s="http://www.sitemaps.org/schemas/sitemap/0.9">${entries.join('\n')}</s:sitemapindex>`;
}

/** 1 MB that expands to 1 GB. */
export function makeGzipBomb(): Buffer {
  const start = `<urlset><url><loc>`;
  const member = gzipSync(Buffer.alloc(32 * 1024 * 1024, 0x61));
  return Buffer.concat([gzipSync(start), ...Array.from({ length: 32 }, () => member)]);
}

/** The billion laughs, and an entity that names a file. */
export const ENTITIES = `<?xml version="1.0"?><!DOCTYPE urlset [<!ENTITY a "http://lol"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">
<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;"><!ENTITY file SYSTEM "file:///etc/passwd">]>
<urlset><url><loc>http://SITE/&c;&file;</loc></url><url><loc>http://SITE/tom&amp;jerry</loc></url></urlset>`;
