import type { StageDetails } from '@winnow/contract';
import type { Redirect } from './capture-ports.ts';

export function describeRedirects(redirects: readonly Redirect[]): NonNullable<StageDetails['fetch']['redirects']> {
  return redirects.map(({ url, statusCode }) => ({ url, status_code: statusCode }));
}
