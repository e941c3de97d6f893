/** Small parts of the OpenAPI document that all its paths use. */
import { ERRORS } from './errors.ts';
import type { ErrorCode, ErrorRow, Stage } from './errors.ts';
import { HEADERS } from './ids.ts';

export type Json = Record<string, unknown>;

/** Stages through which the two operations on pages walk: their errors can occur. */
export const PAGE_STAGES = {
  extract: ['request', 'auth', 'fetch', 'snapshot', 'match', 'generate', 'extract', 'validate'],
  dump: ['request', 'auth', 'fetch'],
} as const satisfies Record<string, readonly Stage[]>;

/** Errors of other paths than those of pages. */
const ELSEWHERE: ReadonlySet<ErrorCode> = new Set(['not_found', 'method_not_allowed', 'forbidden', 'conflict']);

/** The errors of pages that can occur in these stages. */
export function codesOf(stages: readonly Stage[]): ErrorCode[] {
  return (Object.entries(ERRORS) as [ErrorCode, ErrorRow][])
    .filter(([code, row]) => !ELSEWHERE.has(code) && row.stages.some((stage) => stages.includes(stage)))
    .map(([code]) => code);
}

export function describeResponse(description: string, schema: string): Json {
  return { description, headers: requestIdHeader(), content: jsonOf(schema) };
}

export function requestIdHeader(): Json {
  return { [HEADERS.requestId]: { $ref: '#/components/headers/RequestId' } };
}

export function jsonOf(schema: string): Json {
  return { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } };
}
