import type { Favor, Format, HiddenText } from '@winnow/contract';
import type { ChunkOptions, ExtractOptions, MarkdownOptions } from '@winnow/extract';

/** What a caller chooses of the content of a page, whether it is fetched, stored or one of a batch. */
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

/** The options alone, of an object that holds more. */
export function pickContentOptions(source: ContentOptions): ContentOptions {
  const { formats, favor, hiddenText, markdown, chunks } = source;
  return { formats, favor, hiddenText, markdown, chunks };
}

/** The options as the library takes them. */
export function toExtractOptions(
  page: ContentOptions & { readonly url: string; readonly contentLanguage: string | null },
): ExtractOptions {
  const { url, contentLanguage } = page;
  return { url, ...pickContentOptions(page), ...(contentLanguage === null ? {} : { contentLanguage }) };
}
