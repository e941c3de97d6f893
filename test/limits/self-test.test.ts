import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readyResponseSchema } from '@winnow/contract';
import { startRunning } from '../interface/running-service.ts';

test('the start-up self-test extracts a page through every engine and does not widen the egress policy', async (t) => {
  const running = await startRunning({ WINNOW_SELF_TEST: 'true', WINNOW_EGRESS_ALLOW: '' });
  t.after(() => running.close());
  const url = `${running.pages.url}/article`;
  assert.equal((await running.call('/v1/extract', { extract: { url } })).body.error.code, 'url_not_allowed');
  for (;;) {
    const { checks } = readyResponseSchema.parse(await (await fetch(`${running.url}/readyz`)).json());
    if (checks['engines']?.detail?.startsWith('no answer within') === true) continue;
    assert.deepEqual(checks['engines']?.detail, 'a page was extracted through 8 engines');
    assert.equal(checks['engines']?.ok, true);
    break;
  }
});
