import { AppError } from '../domain/shared/errors.ts';
import { type TransferCell, toCell } from '../domain/shared/transfer-cell.ts';
import { parseJsonText } from '../domain/shared/parse-json-text.ts';

/** A result or refusal as data: errors lose their code between threads. */
export type ParsedBody = { readonly value: unknown; readonly refusal?: undefined } | { readonly refusal: string };

export function parseBody(body: Uint8Array): TransferCell<ParsedBody> {
  try {
    return toCell({ value: parseJsonText(body) });
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid_request') return toCell({ refusal: error.message });
    throw error;
  }
}
