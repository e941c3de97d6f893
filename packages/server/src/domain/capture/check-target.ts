import { AppError } from '../shared/errors.ts';
import type { ProjectEgress, UrlPolicy } from './capture-ports.ts';
import type { Workflow } from '../shared/workflow.ts';

// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROL = /[\u0000-\u001f\u007f]/;

/**
 * @param field JSON path for the message
 * @throws {AppError} `invalid_request` or `url_not_allowed`
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

/** Like {@link checkTarget} after stage `request`, whose step then shows the refusal. */
export function requireTarget(flow: Workflow, ...target: Parameters<typeof checkTarget>): URL {
  try {
    return checkTarget(...target);
  } catch (error) {
    throw error instanceof AppError ? flow.failEarlier('request', error) : error;
  }
}
