/** Parts of the OpenAPI document that several paths share. */
import { ERRORS } from '../shared/errors.ts';
import type { ErrorCode, ErrorRow, Stage } from '../shared/errors.ts';
import { HEADERS } from '../shared/ids.ts';

export type Json = Record<string, unknown>;

/** How a key may be sent: either kind of key in either header, a project key with the id of its project. */
export const KEY_SECURITY: readonly Json[] = [
  { ApiKey: [], ProjectId: [] },
  { ApiKey: [] },
  { Bearer: [], ProjectId: [] },
  { Bearer: [] },
];

/** Stages of the two operations on pages, whose errors can occur. */
export const PAGE_STAGES = {
  extract: ['request', 'auth', 'fetch', 'snapshot', 'match', 'generate', 'extract', 'validate'],
  dump: ['request', 'auth', 'fetch'],
} as const satisfies Record<string, readonly Stage[]>;

/** Errors that operations on pages never return. */
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

/** A response to a request with a key, which carries the state of the key's quota. */
export function describeKeyResponse(status: number, description: string, content: Json): Json {
  // Without an accepted key there is no quota.
  const quota = status === ERRORS.unauthorized.status ? {} : RATE_LIMIT_HEADERS;
  const wait = RETRY_AFTER_STATUSES.has(status) ? RETRY_AFTER_HEADER : {};
  return { description, headers: { ...requestIdHeader(), ...quota, ...wait }, content };
}

const RATE_LIMIT_HEADERS: Json = {
  RateLimit: { $ref: '#/components/headers/RateLimit' },
  'RateLimit-Policy': { $ref: '#/components/headers/RateLimitPolicy' },
};

const RETRY_AFTER_HEADER: Json = { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } };

const RETRY_AFTER_STATUSES: ReadonlySet<number> = new Set(
  Object.values(ERRORS).flatMap((row: ErrorRow) => (row.retryAfter === true ? [row.status] : [])),
);

function requestIdHeader(): Json {
  return { [HEADERS.requestId]: { $ref: '#/components/headers/RequestId' } };
}

export function jsonOf(schema: string): Json {
  return { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } };
}
