import type { Favor, Format, HiddenText } from '@winnow/contract';
import type { ChunkOptions, ExtractOptions, MarkdownOptions } from '@winnow/extract';

/** Options of the content, for fetched and stored pages and for batches. */
export interface ContentOptions {
  readonly formats: readonly Format[];
  /** Default: `balanced`. */
  readonly favor?: Favor | undefined;
  /** Default: `drop`. */
  readonly hiddenText?: HiddenText | undefined;
  readonly markdown?: MarkdownOptions | undefined;
  /** Default: no chunks. */
  readonly chunks?: ChunkOptions | undefined;
}

/** Picks the content options of a larger object. */
export function pickContentOptions(source: ContentOptions): ContentOptions {
  const { formats, favor, hiddenText, markdown, chunks } = source;
  return { formats, favor, hiddenText, markdown, chunks };
}

/** Converts to the options of the extraction library. */
export function toExtractOptions(
  page: ContentOptions & { readonly url: string; readonly contentLanguage: string | null },
): ExtractOptions {
  const { url, contentLanguage } = page;
  return { url, ...pickContentOptions(page), ...(contentLanguage === null ? {} : { contentLanguage }) };
}
