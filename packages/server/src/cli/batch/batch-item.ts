import type { ErrorBody } from '@winnow/contract';
import { AppError, messageOf } from '../../domain/shared/errors.ts';
import { presentError } from '../../http/answers/present.ts';

export interface BatchItem {
  readonly id: string | number;
  readonly url: string | null;
  readonly source: { readonly html: string } | { readonly htmlFile: string } | { readonly fetch: string };
  /** Capture of a page from an archive. */
  readonly captured?: {
    readonly statusCode: number;
    readonly fetchedAt: string | null;
    readonly contentLanguage: string | null;
  };
}

/** A line without a page. */
export interface BatchFault {
  /** Null without a readable id; the output then has `line`. */
  readonly id: string | number | null;
  readonly line: number;
  readonly error: ErrorBody;
}

/** Reads an input line, `{id, url, html | html_file}`; ignores other fields. */
export function parseBatchLine(text: string, line: number, canFetch: boolean): BatchItem | BatchFault {
  let fields: Record<string, unknown>;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return batchFault(null, line, 'is not a JSON object');
    }
    fields = value as Record<string, unknown>;
  } catch (error) {
    return batchFault(null, line, `is not JSON: ${messageOf(error)}`);
  }
  const { id } = fields;
  const url = typeof fields['url'] === 'string' ? fields['url'].trim() : (fields['url'] ?? null);
  if (!isId(id)) return batchFault(null, line, 'id: must be a string or a number');
  if (url !== null && typeof url !== 'string') return batchFault(id, line, 'url: must be a string or null');
  const source = readSource(fields, url, canFetch);
  return typeof source === 'string' ? batchFault(id, line, source) : { id, url, source };
}

export function isFault(entry: BatchItem | BatchFault): entry is BatchFault {
  return 'error' in entry;
}

function readSource(
  fields: Record<string, unknown>,
  url: string | null,
  canFetch: boolean,
): BatchItem['source'] | string {
  const { html = null, html_file: htmlFile = null } = fields;
  if (html !== null && htmlFile !== null) return 'html and html_file: only one of the two may be given';
  if (html !== null) return typeof html === 'string' ? { html } : 'html: must be a string';
  if (htmlFile !== null) {
    return typeof htmlFile === 'string' && htmlFile !== '' ? { htmlFile } : 'html_file: must be the name of a file';
  }
  if (!canFetch) return 'has neither html nor html_file (with --engine its url would be fetched)';
  return url === null ? 'has neither html nor html_file nor url' : { fetch: url };
}

/** Ids are returned unchanged; a number and its string are different ids. */
function isId(value: unknown): value is string | number {
  return typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value));
}

export function batchFault(id: string | number | null, line: number, message: string): BatchFault {
  return { id, line, error: presentError(new AppError('invalid_request', `line ${line}: ${message}`)) };
}

export interface BatchTaskOutcome {
  /** Without its line end. */
  readonly line: string;
  /** Error code of a page without a result. */
  readonly failure?: ErrorBody['code'];
  /** The result has warnings. */
  readonly warned: boolean;
}

/** Returns the outcome of a page without a result. */
export function failedLine(
  page: { readonly id: string | number | null; readonly line?: number },
  error: ErrorBody,
): BatchTaskOutcome {
  return { line: JSON.stringify({ ...page, error }), failure: error.code, warned: false };
}
