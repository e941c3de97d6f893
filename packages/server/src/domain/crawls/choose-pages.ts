import { findDomain } from '../templates/site-address.ts';
import { cleanAddress, hostOf, isTrap, keyOf, shapesOf } from './crawl-address.ts';
import { noneSkipped, type CrawlSettings, type Findings, type FoundPage, type SkipReason } from './crawl-ports.ts';
import { matchesGlob } from './match-glob.ts';
import type { PageLinks } from './read-links.ts';

interface PageOfCrawl extends PageLinks {
  readonly settings: CrawlSettings;
  /** Requested. */
  readonly url: string;
  /** Undefined if nothing was read. */
  readonly finalUrl: string | undefined;
  readonly depth: number;
  /** False: what the start page redirects to is no reason to crawl another site. */
  readonly mayMove: boolean;
  /** Addresses in sitemaps: the site lists them, so that they are no trap. */
  readonly listed: readonly string[];
  /** Undefined: robots.txt is not asked. */
  readonly isRefused: ((url: URL) => Promise<boolean>) | undefined;
}

/** Time for asking robots.txt about the links of a page; later ones are asked about when they are fetched. */
const ROBOTS_MS = 200;

/** Links judged before other work gets its turn. */
const AT_ONCE = 500;

export async function choosePages(page: PageOfCrawl): Promise<Findings> {
  const { settings, finalUrl } = page;
  const isStart = page.depth === 0;
  const site = isStart && page.mayMove ? findSite(settings, finalUrl) : settings.url;
  const start = new URL(site);
  const skipped = noneSkipped();
  skipped.limit = page.leftOut;
  const pages = new Map<string, FoundPage>();
  const robotsUntil = performance.now() + ROBOTS_MS;
  let count = 0;
  for (const address of [...page.links, ...page.listed]) {
    const isListed = count >= page.links.length;
    count += 1;
    if (count % AT_ONCE === 0) await new Promise((resolve) => setImmediate(resolve));
    const url = cleanAddress(address);
    if (url === undefined) continue;
    const key = keyOf(url);
    if (pages.has(key)) continue;
    let leftOut: SkipReason | undefined;
    if (!isInScope(url, start, settings)) leftOut = 'scope';
    else if (!isListed && isTrap(url)) leftOut = 'trap';
    else if (page.depth >= settings.maxDepth) leftOut = 'depth';
    else if (performance.now() < robotsUntil && (await page.isRefused?.(url))) leftOut = 'robots';
    if (leftOut === 'scope') skipped.scope += 1;
    else pages.set(key, { url: url.href, key, shapes: isListed ? [] : shapesOf(url), ...(leftOut && { leftOut }) });
  }
  return {
    keys: listKeys(page),
    depth: page.depth + 1,
    pages: [...pages.values()],
    skipped,
    ...(isStart && { site }),
  };
}

/** Lists the keys of the page itself. A canonical link counts if it names the same path: others are often wrong. */
function listKeys({ url, finalUrl, canonical }: PageOfCrawl): string[] {
  const own = cleanAddress(url);
  const final = finalUrl === undefined ? own : cleanAddress(finalUrl);
  const named = canonical === undefined ? undefined : cleanAddress(canonical);
  const isSamePath = named !== undefined && named.host === final?.host && named.pathname === final.pathname;
  const all = [own, final, isSamePath ? named : undefined];
  return [...new Set(all.flatMap((one) => (one === undefined ? [] : [keyOf(one)])))];
}

/** The crawl goes on where its start page leads; a folder stays as it is if the start page leads into it. */
function findSite({ url, scope }: CrawlSettings, finalUrl = url): string {
  const isInFolder = scope === 'path' && isOfSite(new URL(finalUrl), new URL(url), scope);
  return isInFolder ? url : finalUrl;
}

export function isInScope(url: URL, start: URL, settings: CrawlSettings): boolean {
  if (!isOfSite(url, start, settings.scope)) return false;
  const { include, exclude } = settings;
  const path = url.pathname;
  const isIncluded = include.length === 0 || include.some((glob) => matchesGlob(glob, path));
  return isIncluded && !exclude.some((glob) => matchesGlob(glob, path));
}

function isOfSite(url: URL, start: URL, scope: CrawlSettings['scope']): boolean {
  if (scope === 'site') return findDomain(url.hostname) === findDomain(start.hostname);
  return hostOf(url) === hostOf(start) && (scope === 'host' || isBelow(url.pathname, start.pathname));
}

/** `/docs` and `/docs/intro.html` are the folder `/docs/`. */
function isBelow(path: string, start: string): boolean {
  const last = start.slice(start.lastIndexOf('/') + 1);
  const folder = last.includes('.') ? start.slice(0, -last.length) : start.replace(/\/?$/, '/');
  return `${path}/`.startsWith(folder);
}
