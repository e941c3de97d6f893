import { currentTenant } from '../admission/current-tenant.ts';
import type { HostRateLimiter } from '../admission/host-rate-limiter.ts';
import { checkTarget, prepareTarget, hostKeyOf, type CaptureTarget } from '../capture/check-target.ts';
import { dumpDom, type DumpDomDeps } from '../capture/dump-dom.ts';
import type { Extractor } from '../extraction/extraction-ports.ts';
import { AppError } from '../shared/errors.ts';
import { releasing } from '../shared/closing.ts';
import { extendStep, type Workflow } from '../shared/workflow.ts';
import { limitTime } from '../shared/time-limit.ts';
import type { ProjectEgress } from '../capture/capture-ports.ts';
import { findDomain } from '../templates/site-address.ts';

export type LocationKind = 'page' | 'sitemap';

export interface SitemapLimits {
  readonly signal: AbortSignal;
  /** After decompression; the rest is not read. */
  readonly maxBytes: number;
  readonly project?: ProjectEgress | undefined;
}

export interface SitemapReader {
  /** Returns the sitemaps named by the origin's robots.txt; none if it is unreadable. */
  declared(url: URL, limits: SitemapLimits): Promise<string[]>;
  /**
   * Streams a sitemap, also compressed or as lines of text.
   * @param onLocation receives each location; false stops
   * @returns bytes read
   * @throws {AppError} of stage `fetch`
   */
  read(url: URL, limits: SitemapLimits, onLocation: (location: string, kind: LocationKind) => boolean): Promise<number>;
}

export interface SitemapDeps {
  readonly sitemaps: SitemapReader;
  readonly hosts: HostRateLimiter;
}

export interface MapSiteDeps extends DumpDomDeps, SitemapDeps {
  readonly extractor: Extractor;
}

interface MapSiteCommand extends Omit<CollectorOptions, 'site'> {
  readonly projectId: string;
  readonly url: string;
  /** Sources of links: sitemaps only, both, or the page only. */
  readonly sitemap: 'only' | 'include' | 'skip';
  /** For the whole map. */
  readonly timeoutMs: number;
  /** Takes one request of the quota for a sitemap after the first; false when it is used up. */
  readonly takeQuota: () => Promise<boolean>;
}

interface PreparedMap extends MapSiteCommand {
  readonly site: URL;
  /** Undefined if only sitemaps are read. */
  readonly target: CaptureTarget | undefined;
}

/** Limits of sitemaps: number, and bytes after decompression of each and of all. */
const MAX_SITEMAPS = 50;
const MAX_BYTES = 10 * 1024 * 1024;
const MAX_TOTAL_BYTES = 40 * 1024 * 1024;

/** Share of the time for the page if sitemaps follow. */
const PAGE_SHARE = 0.5;

/** Share of the remaining time that a sitemap may wait for its host. */
const WAIT_SHARE = 0.5;

/** Prepares a map in stage `request`; throws AppError like {@link prepareTarget}. */
export async function prepareMap(deps: MapSiteDeps, command: MapSiteCommand): Promise<PreparedMap> {
  const { projectId, url } = command;
  if (command.sitemap === 'only') {
    const site = checkTarget(url, 'url', deps.urlPolicy, deps.projectEgress.get(projectId));
    return { ...command, site, target: undefined };
  }
  const target = await prepareTarget(deps, { projectId, url, page: {}, path: '' });
  return { ...command, site: target.url, target };
}

/**
 * Lists a site's addresses from its page and sitemaps. Unreadable sources are skipped; if all fail, the page's failure
 * is thrown. The time limit ends the reading, not the request.
 */
export async function mapSite(deps: MapSiteDeps, command: PreparedMap, flow: Workflow): Promise<MappedLink[]> {
  const { site } = command;
  const collector = new LinkCollector(command);
  const endAt = performance.now() + command.timeoutMs;
  const failure = await addPage(deps, command, collector, flow);
  if (failure !== undefined && command.sitemap === 'skip') throw failure;
  if (command.sitemap !== 'skip') {
    const leftMs = Math.max(1, endAt - performance.now());
    const { isCut, ...counts } = await addSitemaps(deps, { ...command, site, leftMs }, collector, flow);
    extendStep(flow, 'request', { sitemaps: { ...counts, is_cut: isCut } });
  }
  if (failure !== undefined && collector.links.length === 0) throw failure;
  return collector.links;
}

export async function listSitemaps(
  deps: SitemapDeps & Pick<MapSiteDeps, 'projectEgress'>,
  command: SitemapSearch & CollectorOptions,
  flow: Workflow,
): Promise<string[]> {
  const collector = new LinkCollector(command);
  await addSitemaps(deps, command, collector, flow);
  return collector.links.map(({ url }) => url);
}

/** Captures the page and adds its links; returns why it could not be read. */
async function addPage(
  deps: MapSiteDeps,
  command: PreparedMap,
  collector: LinkCollector,
  flow: Workflow,
): Promise<AppError | undefined> {
  const timeoutMs = Math.max(1, Math.round(command.timeoutMs * (command.sitemap === 'skip' ? 1 : PAGE_SHARE)));
  const { projectId, url, target } = command;
  if (target === undefined) return undefined;
  try {
    const wanted = { projectId, url, timeoutMs, page: {}, target };
    const { row, html } = await dumpDom(deps, wanted, flow);
    const input = { html, url: row.finalUrl, contentLanguage: row.contentLanguage, formats: [] };
    const limit = { timeoutMs, timeoutCode: 'extract_timeout' } as const;
    const { links } = await flow.run('extract', limit, ({ signal }) =>
      deps.extractor.extract(input, { signal, timeoutMs }),
    );
    collector.add(row.finalUrl);
    for (const link of links) collector.add(link.url, link.text);
    return undefined;
  } catch (error) {
    if (error instanceof AppError && !flow.signal.aborted) return error;
    throw error;
  }
}

interface SitemapSearch extends Pick<MapSiteCommand, 'projectId' | 'takeQuota'> {
  readonly site: URL;
  readonly leftMs: number;
}

interface SitemapReport {
  read: number;
  failed: number;
  bytes: number;
  isCut: boolean;
}

/** Reads the sitemaps in robots.txt, the default one, and those they list. */
async function addSitemaps(
  deps: SitemapDeps & Pick<MapSiteDeps, 'projectEgress'>,
  { projectId, site, leftMs, takeQuota }: SitemapSearch,
  collector: LinkCollector,
  flow: Workflow,
): Promise<SitemapReport> {
  const report: SitemapReport = { read: 0, failed: 0, bytes: 0, isCut: false };
  const late = (): AppError => new AppError('fetch_timeout', 'the sitemaps did not arrive in time');
  using limit = releasing(limitTime([flow.signal], leftMs, late));
  const { signal } = limit;
  const project = deps.projectEgress.get(projectId);
  const declared = await deps.sitemaps.declared(site, { signal, maxBytes: MAX_BYTES, project });
  const queue = new Set([...declared.slice(0, MAX_SITEMAPS), new URL('/sitemap.xml', site).href]);
  for (const address of queue) {
    const maxBytes = Math.min(MAX_BYTES, MAX_TOTAL_BYTES - report.bytes);
    const count = report.read + report.failed;
    report.isCut = signal.aborted || collector.isFull || count >= MAX_SITEMAPS || maxBytes <= 0;
    // The request itself pays for the first one.
    if (!report.isCut && count > 0) report.isCut = !(await takeQuota());
    if (report.isCut) break;
    await addSitemap(deps, { address, leftMs, limits: { signal, maxBytes, project } }, { collector, queue, report });
  }
  if (flow.signal.aborted) throw flow.signal.reason;
  return report;
}

interface Findings {
  readonly collector: LinkCollector;
  /** In reading order. */
  readonly queue: Set<string>;
  readonly report: SitemapReport;
}

/** Counts an unreadable sitemap and continues. */
async function addSitemap(
  { sitemaps, hosts }: SitemapDeps,
  { address, leftMs, limits }: { readonly address: string; readonly leftMs: number; readonly limits: SitemapLimits },
  { collector, queue, report }: Findings,
): Promise<void> {
  const url = URL.parse(address);
  if (url === null) return;
  try {
    const { signal } = limits;
    const budgetMs = leftMs * WAIT_SHARE;
    using _ = await hosts.acquire(hostKeyOf(url), { ...currentTenant(), budgetMs, signal });
    report.bytes += await sitemaps.read(url, limits, (location, kind) => {
      if (kind === 'page') collector.add(location);
      else enqueue(location, collector, queue);
      return !collector.isFull;
    });
    report.read += 1;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    report.failed += 1;
  }
}

/** Ignores sitemaps of other domains. */
function enqueue(location: string, collector: LinkCollector, queue: Set<string>): void {
  const url = URL.parse(location);
  if (url !== null && queue.size < 2 * MAX_SITEMAPS && collector.isOfDomain(url)) queue.add(url.href);
}

interface CollectorOptions {
  readonly site: URL;
  readonly includeSubdomains: boolean;
  readonly ignoreQuery: boolean;
  /** Words that the address or title must contain. */
  readonly search: string;
  readonly limit: number;
  readonly maxUrlLength: number;
}

interface MappedLink {
  readonly url: string;
  readonly title?: string;
}

/** Collects unique addresses of one site up to a limit. */
class LinkCollector {
  readonly #options: CollectorOptions;
  readonly #domain: string;
  readonly #words: readonly string[];
  readonly #links = new Map<string, MappedLink>();

  constructor(options: CollectorOptions) {
    this.#options = options;
    this.#domain = findDomain(options.site.hostname);
    this.#words = options.search.toLowerCase().split(/\s+/).filter(Boolean);
  }

  get links(): MappedLink[] {
    return [...this.#links.values()];
  }

  get isFull(): boolean {
    return this.#links.size >= this.#options.limit;
  }

  add(address: string, title?: string): void {
    if (this.isFull || address.length > this.#options.maxUrlLength) return;
    const url = URL.parse(address);
    if (url === null || !this.#isOfSite(url)) return;
    url.hash = '';
    if (this.#options.ignoreQuery) url.search = '';
    const text = `${url.href} ${title ?? ''}`.toLowerCase();
    if (this.#links.has(url.href) || !this.#words.every((word) => text.includes(word))) return;
    this.#links.set(url.href, title ? { url: url.href, title } : { url: url.href });
  }

  isOfDomain(url: URL): boolean {
    return isWeb(url) && findDomain(url.hostname) === this.#domain;
  }

  #isOfSite(url: URL): boolean {
    const { site, includeSubdomains } = this.#options;
    return includeSubdomains ? this.isOfDomain(url) : isWeb(url) && url.host === site.host;
  }
}

function isWeb({ protocol, username, password }: URL): boolean {
  return (protocol === 'http:' || protocol === 'https:') && username === '' && password === '';
}
