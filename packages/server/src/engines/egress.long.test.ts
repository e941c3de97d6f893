/** Every spelling of a refused address, in every place of a page. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { NAVIGATION_NAMES } from '../../../../test/site/routes/attack-routes.ts';
import { assertFails } from './testing/assert-fails.ts';
import { assertTellsNothing, startRefusedAddresses } from '../composition/testing/refused-addresses.ts';

const { site, canary, capture, attackUrl, close } = await startRefusedAddresses();
after(close);

/** Spellings of loopback; a canary listens on each. */
const SPELLINGS = [
  '127.0.0.1',
  '127.1',
  '2130706433',
  '0x7f000001',
  '0177.0.0.1',
  '127.0.0.2',
  '0.0.0.0',
  '①②⑦.⓪.⓪.①',
  '[::1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[64:ff9b::7f00:1]',
  '[2002:7f00:1::]',
  'localhost',
  'localhost.',
  'any.localhost',
  'inside.test',
  'mixed.test',
  'chain.test',
];

// Checks: threat-redirect
void test('every spelling is refused as the target of a redirect', async () => {
  for (const host of SPELLINGS) {
    const url = `${site.origin}/redirect-to?to=${encodeURIComponent(`http://${host}:${canary.port}/`)}`;
    await assertFails(capture('http', url), 'egress_denied', `http ${host}`);
    await assertFails(capture('chrome', url), 'egress_denied', `chrome ${host}`);
  }
  assert.deepEqual(canary.visits, []);
});

void test('a page that navigates to a refused target is rejected', async () => {
  for (const by of NAVIGATION_NAMES) {
    for (const target of [`127.0.0.1:${canary.port}`, `inside.test:${canary.port}`, 'site.test:22']) {
      const url = `${site.origin}/navigate?by=${by}&target=${target}`;
      await assertFails(capture('vendor_dom', url), 'egress_denied', `${by} ${target}`);
    }
  }
  assert.deepEqual(canary.visits, []);
});

// Checks: threat-sub-resources
void test('sub-resources in every spelling are refused, also from an HTTPS page', async () => {
  for (const origin of [site.origin, site.httpsOrigin]) {
    const page = await capture('stable', attackUrl(origin, SPELLINGS));
    assert.ok(page.html.includes('the page itself'));
    assertTellsNothing(page.html);
  }
  assert.deepEqual(canary.visits, []);
});
