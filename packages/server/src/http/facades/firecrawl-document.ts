import { describeDoubts } from '../answers/present.ts';
import type { BatchLine, ExtractMetadata, ExtractResult, FirecrawlDocument, FirecrawlFormat } from '@winnow/contract';

/** Answer of `/v1/extract`, or a line of a batch. */
export interface DocumentSource {
  readonly result: ExtractResult;
  readonly metadata: ExtractMetadata;
  readonly contentType?: string | null;
  readonly rawHtml?: string | undefined;
  /** True if a stored snapshot was used; undefined in batches. */
  readonly cached?: boolean;
  /** URL of the requested screenshot; null if it could not be taken. */
  readonly screenshot?: string | null | undefined;
}

/** Presents a page as a Firecrawl document with the requested parts. */
export function presentDocument(source: DocumentSource, formats: readonly FirecrawlFormat[]): FirecrawlDocument {
  const { result } = source;
  const picture = (): string | undefined => source.screenshot ?? undefined;
  const parts = {
    markdown: () => result.markdown ?? '',
    html: () => result.html ?? '',
    rawHtml: () => source.rawHtml ?? '',
    links: () => unique(result.links),
    images: () => unique(result.images),
    screenshot: picture,
    'screenshot@fullPage': picture,
  };
  const lost = source.screenshot === null ? ['the screenshot could not be taken'] : [];
  const doubts = [...describeDoubts(source.metadata), ...lost];
  const entries = formats.map((format) => [format.replace('@fullPage', ''), parts[format]()] as const);
  return {
    ...Object.fromEntries(entries.filter(([, part]) => part !== undefined)),
    ...(doubts.length === 0 ? {} : { warning: doubts.join('; ') }),
    metadata: presentMetadata(source),
  };
}

/**
 * Presents a result line as a document; undefined for a failed one.
 * @param baseUrl of the service, without a trailing slash
 */
export function presentLine(
  { result, metadata }: BatchLine,
  formats: readonly FirecrawlFormat[],
  baseUrl: string,
): FirecrawlDocument | undefined {
  if (!result || !metadata) return undefined;
  const screenshot = metadata.screenshot && baseUrl + metadata.screenshot.url;
  return presentDocument({ result, metadata, screenshot }, formats);
}

function presentMetadata({ result, metadata, contentType, cached }: DocumentSource): Record<string, unknown> {
  const known = {
    title: result.title,
    description: result.description,
    language: result.language,
    publishedTime: result.publish_time,
    author: result.author,
    sourceURL: result.url,
    url: result.final_url,
    statusCode: result.status_code,
    contentType,
    scrapeId: metadata.dom_id,
    cacheState: cached === undefined ? undefined : cached ? 'hit' : 'miss',
    cachedAt: cached ? metadata.fetched_at : undefined,
    pageType: metadata.page_type,
    confidence: metadata.confidence,
    templateId: metadata.template_id,
  };
  // Clients expect absent fields instead of null.
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== null && value !== undefined));
}

function unique(items: readonly { readonly url: string }[]): string[] {
  return [...new Set(items.map(({ url }) => url))];
}
