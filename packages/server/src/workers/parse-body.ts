/** Task of {@link BodyParserThread}. */
import { AppError } from '../domain/shared/errors.ts';
import { type Box, box } from '../domain/shared/box.ts';
import { parseJsonText } from '../domain/json/parse-json-text.ts';

/** A parsed body, or why it is refused: errors lose their code between threads. */
export type ParsedBody = { readonly value: unknown; readonly refusal?: undefined } | { readonly refusal: string };

export function parseBody(body: Uint8Array): Box<ParsedBody> {
  try {
    return box({ value: parseJsonText(body) });
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid_request') return box({ refusal: error.message });
    throw error;
  }
}
