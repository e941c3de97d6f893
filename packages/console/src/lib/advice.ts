import type { ErrorCode } from '@winnow/client';

export const ADVICE: Partial<Record<ErrorCode, string>> = {
  invalid_request: 'The request is invalid; the message names the field. Nothing was fetched.',
  url_not_allowed:
    'The service does not fetch from this address: its scheme, its credentials, its network or its port are refused.',
  unauthorized:
    'The key is missing, unknown, expired or revoked, or its project is archived. See the keys in the settings.',
  forbidden: 'This session may not do this. An administrator can.',
  not_found: 'The path or the resource does not exist. Check the id.',
  method_not_allowed: 'The path exists, but not for this method.',
  dom_not_found: 'Snapshots are deleted after a while. Capture the page again.',
  conflict: 'The resource is in a state that does not allow this.',
  payload_too_large: 'The request body is too large. Send less at a time.',
  no_template_matched:
    'The captured page has no content to extract. If it needs scripts, capture it with a browser engine.',
  match_timeout: 'Finding the template took too long. Allow the stage more time.',
  generate_timeout: 'Making a template took too long. Allow the stage more time.',
  extract_timeout: 'The page is too large or too complex for the time allowed. Allow the stage more time.',
  template_generation_failed: 'No usable template could be made for this page.',
  validation_failed: 'The extracted content did not pass validation. Look at the captured page.',
  unsupported_content: 'The address leads to something that is neither an HTML page nor a document that can be read.',
  rate_limited: 'The quota of the key is used up. Wait, or raise the quota in the settings.',
  http_status_not_ok: 'The site answered with an error status. Its page is kept as a snapshot.',
  fetch_blocked:
    'The site answered with a challenge or a block page. Another engine may get through; the page is kept as a snapshot.',
  fetch_timeout: 'The page did not arrive in time. Allow more time, or choose a lighter engine.',
  dns_failed: 'The host was not found. Check the spelling of the address.',
  connect_failed: 'The host does not answer on this port, or it closed the connection.',
  tls_failed: "The site's certificate is not accepted, or the TLS handshake failed.",
  too_many_redirects: 'The site redirects too often, perhaps in a loop.',
  response_too_large: 'The page is larger than this service accepts.',
  egress_denied: 'The page redirects or resolves to an address that this service does not fetch from.',
  render_failed: 'The browser could not render the page. Try another engine, such as http.',
  engine_unavailable: 'This engine cannot be started here. Choose another one.',
  out_of_scope: 'The page redirects to one that is outside the crawl. Widen the scope to read it.',
  robots_disallowed: 'The robots.txt of the site forbids fetching this page, and this request respects it.',
  overloaded: 'The service is full. Try again in a moment.',
  internal: 'Something unexpected happened. The log of the service has the cause, under the request id.',
};
