import type { ProjectEgress } from '../capture/capture-ports.ts';

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
