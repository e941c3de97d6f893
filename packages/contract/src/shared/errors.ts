/**
 * The error table: every code that a response can carry, its HTTP status, the stages it can arise in
 * and when it does. The OpenAPI document, the documentation and the HTTP adapter are kept in step
 * with this table by tests; a new code is a new row here and nothing else.
 */

/** The stages of a request, in order. An error names the stage in which it arose. */
export const STAGES = ['request', 'auth', 'fetch', 'snapshot', 'match', 'generate', 'extract', 'validate'] as const;

export type Stage = (typeof STAGES)[number];

export interface ErrorRow {
  /** HTTP status of the response. */
  readonly status: number;
  /** Stages in which the error can arise, the usual one first. */
  readonly stages: readonly [Stage, ...Stage[]];
  /** When it occurs, for the documentation. */
  readonly when: string;
  /** Set where the same request can succeed when it is sent again later. */
  readonly retryable?: true;
  /** Set where single errors of the code differ from `retryable`; `when` says which. */
  readonly retryableVaries?: true;
  /** Whether the response carries a `Retry-After` header. */
  readonly retryAfter?: true;
}

function row(status: number, stages: ErrorRow['stages'], rest: Omit<ErrorRow, 'status' | 'stages'>): ErrorRow {
  return { status, stages, ...rest };
}

export const ERRORS = {
  invalid_request: row(400, ['request', 'auth'], {
    when: 'malformed JSON, the character U+0000, a missing, wrong-typed, unknown or out-of-range field, a wrong body shape or content type; stage auth: a missing or foreign X-Project-Id',
  }),
  url_not_allowed: row(400, ['request'], {
    when: 'the URL has another scheme than http or https, carries credentials, or names an address or port that the egress policy refuses',
  }),
  unauthorized: row(401, ['auth'], {
    when: 'the X-API-Key header (or `Authorization: Bearer`) is missing, or the key is unknown, expired, revoked or only for another path, or its project is archived',
  }),
  forbidden: row(403, ['auth'], {
    when: 'a console session may not do this (console endpoints under /admin/v1), or a page of another origin calls `/mcp`',
  }),
  storage_quota_exceeded: row(403, ['request'], {
    when: 'the project has reached its storage quota: delete batches or snapshots, wait until they expire, or raise WINNOW_PROJECT_STORAGE_QUOTA',
  }),
  not_found: row(404, ['request'], { when: 'no such path or resource' }),
  method_not_allowed: row(405, ['request'], { when: 'the path exists, but not for this method' }),
  dom_not_found: row(404, ['snapshot'], { when: 'the dom_id is unknown, expired or belongs to another project' }),
  conflict: row(409, ['request'], {
    retryableVaries: true,
    when: 'the resource is not in a state that allows this; retryable while another request changes it',
  }),
  payload_too_large: row(413, ['request'], { when: 'the request body is over the limit' }),
  no_template_matched: row(422, ['match'], {
    retryableVaries: true,
    when:
      'no main content was found on the page, or the expected quality is too low (`WINNOW_MIN_CONFIDENCE`); retryable if ' +
      'an engine failed for a passing reason',
  }),
  match_timeout: row(422, ['match'], { retryable: true, when: 'the time budget of template matching ran out' }),
  generate_timeout: row(422, ['generate'], {
    retryable: true,
    when: 'the time budget for building the evidence of the site ran out',
  }),
  extract_timeout: row(422, ['extract'], {
    retryable: true,
    retryableVaries: true,
    when: 'the extraction ran out of its time, which is retryable, or of the memory of a worker',
  }),
  template_generation_failed: row(422, ['generate'], {
    when: 'generation was required and gave nothing usable; evidence of a site is never required, so this version does not answer it',
  }),
  validation_failed: row(422, ['validate'], { when: 'the extracted output does not pass validation' }),
  unsupported_content: row(422, ['fetch', 'snapshot', 'extract'], {
    when: 'the target is neither an HTML page nor a document that can be read: a picture or an archive, a PDF that is scanned (pictures without text), encrypted or damaged, or content that ends the process that reads it',
  }),
  rate_limited: row(429, ['auth'], { retryable: true, retryAfter: true, when: 'the quota of the key is used up' }),
  http_status_not_ok: row(502, ['fetch'], {
    retryableVaries: true,
    when: 'the target answered with a status that is not 2xx, in error.upstream_status_code; retryable with 408, 425, 429, 500, 502, 503, 504, 520 to 524, 529 and 530',
  }),
  fetch_blocked: row(502, ['fetch'], {
    retryableVaries: true,
    when: 'the target answered with a challenge or block page; retryable when its status is 429',
  }),
  out_of_scope: row(502, ['fetch'], {
    when: 'only in the results of a crawl: the page redirects to one that is outside the crawl, which is not kept',
  }),
  robots_disallowed: row(502, ['fetch'], {
    retryableVaries: true,
    when: "the site's robots.txt asks robots not to fetch the page, and the request respects it; retryable when robots.txt could not be read",
  }),
  fetch_timeout: row(502, ['fetch'], {
    retryable: true,
    when: 'the page did not arrive within the time limit of the fetch',
  }),
  dns_failed: row(502, ['fetch'], {
    retryable: true,
    retryableVaries: true,
    when: 'the host name could not be resolved; retryable unless the name does not exist',
  }),
  connect_failed: row(502, ['fetch'], { retryable: true, when: 'the connection to the target failed or broke off' }),
  tls_failed: row(502, ['fetch'], { when: 'the TLS handshake or the certificate check failed' }),
  too_many_redirects: row(502, ['fetch'], { when: 'more redirects than allowed' }),
  response_too_large: row(502, ['fetch', 'snapshot'], {
    when: 'the page is larger than allowed after decoding (`WINNOW_MAX_PAGE_BYTES`), or needs more than the memory of a worker to be filtered',
  }),
  egress_denied: row(502, ['fetch'], {
    when: 'the egress policy refuses an address that came up during the fetch (DNS answer, redirect)',
  }),
  not_cached: row(504, ['fetch'], {
    when: 'the request has `Cache-Control: only-if-cached`, and no stored snapshot of the page may be reused',
  }),
  render_failed: row(502, ['fetch'], { retryable: true, when: 'the browser or its page crashed or could not render' }),
  engine_unavailable: row(502, ['fetch'], {
    retryable: true,
    retryableVaries: true,
    when: 'the chosen engine cannot be started or reached; retryable unless this deployment does not have the engine',
  }),
  overloaded: row(503, ['request', 'snapshot'], {
    retryable: true,
    retryAfter: true,
    when: 'this service is full or shutting down, its disk is full, or its disk or database is too slow or locked',
  }),
  internal: row(500, STAGES, {
    retryable: true,
    retryableVaries: true,
    when: 'anything unexpected; the log of the service has the cause; retryable unless the page itself crashed a worker',
  }),
};

export type ErrorCode = keyof typeof ERRORS;

/** Statuses of a target that are likely temporary: rate limits, and faults of the site or its CDN. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([
  408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529, 530,
]);

/**
 * Whether the same request can succeed later, judged by the code and the target's status.
 *
 * @param upstreamStatusCode status of the target, where the error has one
 */
export function isRetryable(code: ErrorCode, upstreamStatusCode?: number): boolean {
  // A block is permanent unless it is a rate limit.
  if (code === 'fetch_blocked') return upstreamStatusCode === 429;
  if (code === 'http_status_not_ok')
    return upstreamStatusCode !== undefined && PASSING_STATUSES.has(upstreamStatusCode);
  return ERRORS[code].retryable === true;
}

export const ERROR_CODES = Object.keys(ERRORS) as ErrorCode[];
