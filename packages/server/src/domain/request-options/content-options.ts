import { CHUNK_LIMITS } from '@winnow/contract/limits';
import type { ContentFields, Format } from '@winnow/contract';
import type { ExtractOptions } from '@winnow/extract';

/** Options of the content, for fetched and stored pages and for batches. */
export type ContentOptions = Omit<ContentFields, 'fields'> & { readonly formats: readonly Format[] };

export function pickContentOptions({
  formats = [],
  favor,
  hidden_text,
  markdown,
  chunks,
}: Omit<ContentFields, 'fields'> & { readonly formats?: readonly Format[] | undefined }): ContentOptions {
  return { formats: [...new Set(formats)], favor, hidden_text, markdown, chunks };
}

export function toExtractOptions({
  url,
  contentLanguage,
  formats,
  favor,
  hidden_text: hiddenText,
  markdown,
  chunks,
}: ContentOptions & { readonly url: string | null; readonly contentLanguage: string | null }): ExtractOptions {
  return {
    formats,
    favor,
    hiddenText,
    markdown,
    chunks: chunks && { maxCharacters: chunks.max_characters ?? CHUNK_LIMITS.default },
    ...(url === null ? {} : { url }),
    ...(contentLanguage === null ? {} : { contentLanguage }),
  };
}
