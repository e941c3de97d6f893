/** The address policy in every engine: canary servers receive nothing. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ARRIVING_PATHS } from '../../../../test/site/routes/attack-routes.ts';
import { assertFails } from './testing/assert-fails.ts';
import type { EnginePreference } from '@winnow/contract';
import { BROWSER_ENGINES } from './testing/browser-engines.ts';
import { assertTellsNothing, startRefusedAddresses } from '../composition/testing/refused-addresses.ts';

const { site, canary, capture, attackUrl, close } = await startRefusedAddresses();
after(close);

const ENGINES: readonly EnginePreference[] = ['http', 'auto', ...BROWSER_ENGINES];

for (const engine of ENGINES) {
  // Checks: threat-redirect
  void test(`${engine}: refused addresses in the URL and in redirects are rejected`, async () => {
    for (const host of ['127.0.0.1', '[::ffff:127.0.0.1]', '2130706433', 'localhost']) {
      await assertFails(capture(engine, `http://${host}:${canary.port}/`), 'url_not_allowed', host);
    }
    for (const url of [
      'file:///etc/passwd',
      'view-source:http://example.com/',
      'chrome://version',
      'ftp://example.com/',
    ]) {
      await assertFails(capture(engine, url), 'url_not_allowed', url);
    }
    for (const scheme of ['http', 'https']) {
      for (const host of ['inside.test', 'mixed.test']) {
        await assertFails(capture(engine, `${scheme}://${host}:${canary.port}/`), 'egress_denied', host);
      }
      const to = encodeURIComponent(`${scheme}://127.0.0.1:${canary.port}/`);
      await assertFails(capture(engine, `${site.origin}/redirect-to?to=${to}`), 'egress_denied', `redirect ${scheme}`);
      await assertFails(
        capture(engine, `${site.httpsOrigin}/redirect-to?to=${to}`),
        'egress_denied',
        `from https to ${scheme}`,
      );
    }
    assert.deepEqual(canary.visits, []);
  });
}

for (const engine of ['auto', 'http', 'vendor_lite', 'stable'] as const) {
  // Checks: threat-redirect
  void test(`${engine}: a refused address in a redirect that the page states is rejected`, async () => {
    for (const delay of [0, 2]) {
      const content = encodeURIComponent(`${delay}; url=http://127.0.0.1:${canary.port}/`);
      const work = capture(engine, `${site.origin}/states-refresh?content=${content}`);
      await assertFails(work, 'egress_denied', `after ${delay} s`);
    }
    const choice = encodeURIComponent(`http://127.0.0.1:${canary.port}/`);
    await assertFails(capture(engine, `${site.origin}/choice?to=${choice}`), 'egress_denied', 'a choice');
    assert.deepEqual(canary.visits, []);
  });
}

for (const engine of BROWSER_ENGINES) {
  // Checks: threat-sub-resources
  void test(`${engine}: no page reaches a refused address`, async () => {
    const page = await capture(engine, attackUrl(site.origin, ['127.0.0.1', 'inside.test']));
    assert.ok(page.html.includes('the page itself'));
    assertTellsNothing(page.html);
    assert.ok(page.blockedRequests.length > 0 || engine === 'vendor_dcl', `${page.blockedRequests.length} blocked`);
    assert.deepEqual(canary.visits, []);
  });
}

// Checks: threat-sub-resources
void test('WebRTC reveals no address of this machine', async () => {
  const page = await capture('stable', `${site.origin}/address-leak`);
  assert.match(page.html, /<p id="told">told: ; c=IN IP4 0\.0\.0\.0<\/p>/);
});

// Checks: threat-sub-resources
void test('the attack vectors work: requests arrive where the policy allows them', async () => {
  const allow = { allow: [`127.0.0.1:${canary.port}`], deny: [] };
  const page = await capture('stable', attackUrl(site.origin, ['127.0.0.1']), allow);
  assert.ok(page.html.includes('the page itself'));
  const visits = canary.visits.join('\n');
  for (const path of [...ARRIVING_PATHS, '/prefetch', '/preload', '/beacon', '/shared-worker', '/ping']) {
    assert.ok(visits.includes(path), `${path} did not arrive:\n${visits}`);
  }
  // Datagrams cannot pass a proxy, so they are never sent.
  assert.ok(!visits.includes('datagram'), visits);
});

// Checks: threat-sub-resources
void test('the WebSocket vector over TLS works: its handshake arrives where the policy allows it', async () => {
  const allow = { allow: [`127.0.0.1:${canary.port}`], deny: [] };
  const earlier = canary.visits.length;
  await capture('stable', `${attackUrl(site.origin, ['127.0.0.1'])}&vector=websocket-tls`, allow);
  const handshakes = canary.visits.slice(earlier).filter((visit) => visit.startsWith('\u0016\u0003'));
  assert.ok(handshakes.length > 0, JSON.stringify(canary.visits.slice(earlier)));
});
