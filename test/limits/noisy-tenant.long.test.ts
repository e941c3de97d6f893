import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startRunning } from '../support/running-service.ts';
import type { Answer } from '../support/running-service.ts';
import { startSlowSite } from './slow-site.ts';

// Checks: threat-slot-hoarding
void test('a key with 200 requests to a silent site does not delay other keys', async () => {
  const running = await startRunning({ WINNOW_MAX_WAIT: '600s', WINNOW_MAX_TIMEOUT: '600s' });
  const [hanging, open] = await Promise.all([startSlowSite(), startSlowSite()]);
  open.open();
  try {
    const [noisyKey, modestKey] = await Promise.all(
      ['noisy', 'modest'].map(() => running.addKey({ projectId: running.projectId, kind: 'key_only' })),
    );
    const dump = (url: string, key = ''): Promise<Answer> => {
      const body = { url, options: { engine_preference: 'http', timeout_ms: 600_000 } };
      return running.call('/v1/dom/dump', body, { as: 'none', headers: { 'X-API-Key': key } });
    };
    let answered = 0;
    const noisy = Array.from({ length: 200 }, async (_item, index) => {
      const { status } = await dump(`${hanging.origin}/${index}`, noisyKey);
      answered += 1;
      return status;
    });
    const readFigure = async (name: string): Promise<number> => {
      const text = await (await fetch(`${running.url}/metrics`)).text();
      return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
    };
    while ((await readFigure('winnow_queue_length')) < 168) await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(await readFigure('winnow_requests_running'), 32, 'no slot is free');
    const modest = Array.from({ length: 8 }, (_item, index) => dump(`${open.origin}/${index}`, modestKey));
    assert.deepEqual([...new Set((await Promise.all(modest)).map(({ status }) => status))], [200]);
    assert.equal(answered, 0);
    hanging.open();
    assert.deepEqual([...new Set(await Promise.all(noisy))], [200]);
  } finally {
    hanging.open();
    await Promise.all([hanging.close(), open.close()]);
    await running.close();
  }
});
