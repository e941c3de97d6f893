import type { ProjectEgress } from '../capture/capture-ports.ts';

/** What a sitemap names: a page, or another sitemap. */
export type LocationKind = 'page' | 'sitemap';

export interface SitemapLimits {
  readonly signal: AbortSignal;
  /** Bytes after decompression; what comes beyond is not read. */
  readonly maxBytes: number;
  readonly project?: ProjectEgress | undefined;
}

/** Reads what sites say of their own pages (sitemaps.org). */
export interface SitemapReader {
  /** Addresses of sitemaps that robots.txt of the URL's origin names; none where it cannot be read. */
  declared(url: URL, limits: SitemapLimits): Promise<string[]>;
  /**
   * Reads one sitemap as it comes, also compressed, also as lines of text.
   * @param onLocation hears of each location; false ends the reading
   * @returns bytes read
   * @throws {AppError} of stage `fetch`
   */
  read(url: URL, limits: SitemapLimits, onLocation: (location: string, kind: LocationKind) => boolean): Promise<number>;
}
