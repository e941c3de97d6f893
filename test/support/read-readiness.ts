import { readyResponseSchema } from '@winnow/contract';
import type { ReadyResponse } from '@winnow/contract';

/** Detail of a check that timed out. */
const LATE = /^no answer within|did not finish within/;

/** Returns the HTTP status and the body of `/readyz`. Retries while a check times out: the machine may be busy. */
export async function readReadiness(url: string): Promise<{ readonly code: number; readonly body: ReadyResponse }> {
  for (;;) {
    const response = await fetch(`${url}/readyz`);
    const body = readyResponseSchema.parse(await response.json());
    const isLate = Object.values(body.checks).some(({ detail }) => LATE.test(detail ?? ''));
    if (!isLate) return { code: response.status, body };
  }
}
