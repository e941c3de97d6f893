import { findDomain } from '../templates/site-address.ts';

export interface CollectorOptions {
  readonly site: URL;
  readonly includeSubdomains: boolean;
  readonly ignoreQuery: boolean;
  /** Words that the address or title must contain. */
  readonly search: string;
  readonly limit: number;
  readonly maxUrlLength: number;
}

export interface MappedLink {
  readonly url: string;
  readonly title?: string;
}

/** Collects unique addresses of one site up to a limit. */
export class LinkCollector {
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

  /** Adds an address of the site; ignores others. */
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

  /** Tests for the site's registrable domain. */
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
