import { readyResponseSchema } from '@winnow/contract';
import type { ReadyResponse } from '@winnow/contract';

/** Returns the HTTP status and the body of `/readyz`. Asks again while a check has no result yet: the machine may be busy. */
export async function readReadiness(url: string): Promise<{ readonly code: number; readonly body: ReadyResponse }> {
  for (;;) {
    const response = await fetch(`${url}/readyz`);
    const body = readyResponseSchema.parse(await response.json());
    const isLate = Object.values(body.checks).some(({ detail }) => detail?.startsWith('no answer within') ?? false);
    if (!isLate) return { code: response.status, body };
  }
}
