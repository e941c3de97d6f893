import { AppError } from '../shared/errors.ts';
import type { ProjectEgress, UrlPolicy } from './capture-ports.ts';
import type { Workflow } from '../shared/workflow.ts';

// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROL = /[\u0000-\u001f\u007f]/;

/**
 * Parses the URL that a caller wants fetched.
 * @param project whose egress rules come on top of the deployment's
 * @param field JSON path of the URL in the request, for the message
 * @throws {AppError} `invalid_request` when it is no absolute URL, `url_not_allowed` when policy refuses it
 */
export function checkTarget(text: string, field: string, policy: UrlPolicy, project?: ProjectEgress): URL {
  const control = CONTROL.exec(text);
  if (control) {
    const name = `U+${control[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
    throw new AppError(
      'invalid_request',
      `${field}: contains the control character ${name} at position ${control.index}`,
    );
  }
  const url = URL.parse(text);
  if (!url) throw new AppError('invalid_request', `${field}: is not an absolute URL`);
  try {
    policy.checkUrl(url, project);
  } catch (error) {
    throw error instanceof AppError ? new AppError(error.code, `${field}: ${error.message}`, { cause: error }) : error;
  }
  return url;
}

/** The same for a request whose stage `request` is over: its step shows the refusal. */
export function requireTarget(flow: Workflow, ...target: Parameters<typeof checkTarget>): URL {
  try {
    return checkTarget(...target);
  } catch (error) {
    throw error instanceof AppError ? flow.failEarlier('request', error) : error;
  }
}
