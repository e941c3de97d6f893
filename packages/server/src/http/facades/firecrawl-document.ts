import type { BatchLine, ExtractMetadata, ExtractResult, FirecrawlDocument, FirecrawlFormat } from '@winnow/contract';

/** What a document is made of: the answer of `/v1/extract`, or a line of a batch. */
export interface DocumentSource {
  readonly result: ExtractResult;
  readonly metadata: ExtractMetadata;
  readonly contentType?: string | null;
  readonly rawHtml?: string | undefined;
}

/** A page in the shape of Firecrawl's documents, with the parts that were asked for. */
export function presentDocument(source: DocumentSource, formats: readonly FirecrawlFormat[]): FirecrawlDocument {
  const { result } = source;
  const parts = {
    markdown: () => result.markdown ?? '',
    html: () => result.html ?? '',
    rawHtml: () => source.rawHtml ?? '',
    links: () => unique(result.links),
    images: () => unique(result.images),
  };
  const entries = formats.map((format) => [format, parts[format]()] as const);
  return { ...Object.fromEntries(entries), metadata: presentMetadata(source) };
}

/** A line of a batch's results as a document; undefined for one that failed. */
export function presentLine(
  { result, metadata }: BatchLine,
  formats: readonly FirecrawlFormat[],
): FirecrawlDocument | undefined {
  return result && metadata ? presentDocument({ result, metadata }, formats) : undefined;
}

function presentMetadata({ result, metadata, contentType }: DocumentSource): Record<string, unknown> {
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
    pageType: metadata.page_type,
    confidence: metadata.confidence,
    templateId: metadata.template_id,
  };
  // Its clients know fields that are absent, and none that are null.
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== null && value !== undefined));
}

function unique(items: readonly { readonly url: string }[]): string[] {
  return [...new Set(items.map(({ url }) => url))];
}
