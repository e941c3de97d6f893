import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startRunning } from '../support/running-service.ts';

// Checks: threat-sign-in-flood
test(
  '120 sign-ins at once do not delay other requests, and most are asked to retry',
  { timeout: 120_000 },
  async () => {
    // Each client has a different network, so that the lockout of one network does not refuse them.
    const running = await startRunning({ WINNOW_TRUSTED_PROXIES: '127.0.0.1' });
    try {
      const extract = async (): Promise<number> =>
        (await running.call('/v1/extract', { extract: { url: `${running.pages.url}/article` } })).status;
      await extract();
      let checked = 0;
      const attempts = Array.from({ length: 120 }, async (_item, index) => {
        const answer = await running.call(
          '/admin/v1/session',
          { email: `user${index}@example.com`, password: 'not the right one' },
          { as: 'none', headers: { 'X-Forwarded-For': `203.0.${index}.1` } },
        );
        if (answer.status === 401) checked += 1;
        return answer;
      });
      // The first refused sign-in shows that the queue is full.
      await Promise.any(attempts.map(async (attempt) => assert.equal((await attempt).status, 429)));
      for (let count = 0; count < 3; count += 1) await extract();
      assert(checked < 15, `${checked} passwords were checked before three pages were extracted`);
      const refused = (await Promise.all(attempts)).filter(({ status }) => status === 429);
      assert(refused.length >= 90);
      for (const { headers } of refused) assert.match(headers.get('retry-after') ?? '', /^\d+$/);
    } finally {
      await running.close();
    }
  },
);
