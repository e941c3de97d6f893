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
  readonly stages: readonly Stage[];
  /** When it occurs, for the documentation. */
  readonly when: string;
  /** Whether the response carries a `Retry-After` header. */
  readonly retryAfter?: true;
}

export const ERRORS = {
  invalid_request: {
    status: 400,
    stages: ['request', 'auth'],
    when: 'malformed JSON, a missing, wrong-typed, unknown or out-of-range field, a wrong body shape or content type; stage auth: a missing or foreign X-Project-Id',
  },
  url_not_allowed: {
    status: 400,
    stages: ['request'],
    when: 'the URL has another scheme than http or https, carries credentials, or names an address or port that the egress policy refuses',
  },
  unauthorized: { status: 401, stages: ['auth'], when: 'the X-API-Key is missing, unknown, expired or revoked' },
  forbidden: {
    status: 403,
    stages: ['auth'],
    when: 'a console session may not do this (console endpoints under /admin/v1 only)',
  },
  not_found: { status: 404, stages: ['request'], when: 'no such path or resource' },
  method_not_allowed: { status: 405, stages: ['request'], when: 'the path exists, but not for this method' },
  dom_not_found: {
    status: 404,
    stages: ['snapshot'],
    when: 'the dom_id is unknown, expired or belongs to another project',
  },
  conflict: { status: 409, stages: ['request'], when: 'the resource is not in a state that allows this' },
  payload_too_large: { status: 413, stages: ['request'], when: 'the request body is over the limit' },
  no_template_matched: {
    status: 422,
    stages: ['match'],
    when: 'no template, the generic one included, fits the page: there is nothing to extract',
  },
  match_timeout: { status: 422, stages: ['match'], when: 'the time budget of template matching ran out' },
  generate_timeout: { status: 422, stages: ['generate'], when: 'the time budget of template generation ran out' },
  extract_timeout: {
    status: 422,
    stages: ['extract'],
    when: 'the budget of the extraction ran out: its time, or the memory of a thread',
  },
  template_generation_failed: {
    status: 422,
    stages: ['generate'],
    when: 'a template had to be generated and nothing usable came of it',
  },
  validation_failed: { status: 422, stages: ['validate'], when: 'the extracted output does not pass validation' },
  unsupported_content: {
    status: 422,
    stages: ['fetch'],
    when: 'the target is not an HTML or XHTML document',
  },
  rate_limited: { status: 429, stages: ['auth'], when: 'the quota of the key is used up', retryAfter: true },
  http_status_not_ok: {
    status: 502,
    stages: ['fetch'],
    when: 'the target answered with a status that is not 2xx; error.upstream_status_code has it',
  },
  fetch_blocked: { status: 502, stages: ['fetch'], when: 'the target answered with a challenge or block page' },
  robots_disallowed: {
    status: 502,
    stages: ['fetch'],
    when: "the site's robots.txt asks robots not to fetch the page, and it is to be heeded",
  },
  fetch_timeout: { status: 502, stages: ['fetch'], when: 'the time budget of the fetch ran out' },
  dns_failed: { status: 502, stages: ['fetch'], when: 'the host name could not be resolved' },
  connect_failed: { status: 502, stages: ['fetch'], when: 'no connection to the target, or it broke off' },
  tls_failed: { status: 502, stages: ['fetch'], when: 'the TLS handshake or the certificate check failed' },
  too_many_redirects: { status: 502, stages: ['fetch'], when: 'more redirects than allowed' },
  response_too_large: {
    status: 502,
    stages: ['fetch', 'snapshot'],
    when: 'the page is larger than allowed, after decoding, or takes more than the memory of a thread to be filtered',
  },
  egress_denied: {
    status: 502,
    stages: ['fetch'],
    when: 'an address met on the way (DNS answer, redirect) is refused by the egress policy',
  },
  render_failed: { status: 502, stages: ['fetch'], when: 'the browser or its page crashed or could not render' },
  engine_unavailable: { status: 502, stages: ['fetch'], when: 'the chosen engine cannot be started or reached' },
  overloaded: {
    status: 503,
    stages: ['request', 'snapshot'],
    when: 'this service is full or shutting down, its disk is full, or its disk or database does not keep up or is locked',
    retryAfter: true,
  },
  internal: { status: 500, stages: STAGES, when: 'anything unexpected; the log of the service has the cause' },
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof ERRORS;

export const ERROR_CODES = Object.keys(ERRORS) as ErrorCode[];
