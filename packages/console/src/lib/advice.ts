import type { ErrorCode } from '@winnow/client';

/** What an error means for whoever called, and what helps. Codes that are missing speak for themselves. */
export const ADVICE: Partial<Record<ErrorCode, string>> = {
  invalid_request: 'The request itself is not right; the message names the field. Nothing was fetched.',
  url_not_allowed:
    'The service does not fetch from this address: its scheme, its credentials, its network or its port are refused.',
  unauthorized: 'The key is missing, unknown, expired or revoked. Create one in the settings.',
  dom_not_found: 'Snapshots are deleted after a while. Capture the page again.',
  no_template_matched:
    'There is nothing to extract on this page as it was captured. If it needs scripts, capture it with a browser engine.',
  validation_failed: 'Something was extracted, but it does not hold together. Look at the captured page.',
  unsupported_content: 'The address leads to something that is not an HTML page.',
  rate_limited: 'The quota of the key is used up. Wait, or raise the quota in the settings.',
  http_status_not_ok: 'The site answered with an error of its own. The page it sent is kept as a snapshot.',
  fetch_blocked:
    'The site answered with a challenge or a block page. Another engine may get through; the page is kept as a snapshot.',
  fetch_timeout: 'The page was not there in time. Allow more time, or choose a lighter engine.',
  dns_failed: 'There is no such host. Is the address spelt right?',
  connect_failed: 'The host does not answer on this port, or broke the connection off.',
  tls_failed: "The site's certificate is not accepted, or the encryption could not be agreed on.",
  too_many_redirects: 'The site sends from one address to the next and never arrives.',
  response_too_large: 'The page is larger than this service accepts.',
  egress_denied: 'On the way the page led to an address that this service does not fetch from.',
  render_failed: 'The browser could not draw the page. Try another engine, such as http.',
  engine_unavailable: 'This engine cannot be started here. Choose another one.',
  overloaded: 'The service is full. Try again in a moment.',
};
