import { CHUNK_LIMITS } from '@winnow/contract';
import type { ContentFields, Format } from '@winnow/contract';
import type { ContentOptions } from '../../domain/request-options/content-options.ts';

/** Reads the content options of a validated body. */
export function readContentOptions(
  body: ContentFields & { readonly formats?: readonly Format[] | undefined },
): ContentOptions {
  const { formats = [], favor, hidden_text: hiddenText, markdown, chunks } = body;
  return {
    formats: [...new Set(formats)],
    favor,
    hiddenText,
    markdown,
    chunks: chunks && { maxCharacters: chunks.max_characters ?? CHUNK_LIMITS.default },
  };
}
