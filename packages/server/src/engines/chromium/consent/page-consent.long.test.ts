import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { MARK } from '../../../../../../test/site/route.ts';
import { startSharedEngines } from '../../../composition/testing/test-site-engines.ts';
import type { Capture } from '../../../domain/capture/capture-ports.ts';
import type { CaptureOptions } from '../../../domain/request-options/page-options.ts';
import { assertAnswered, said } from '../../testing/assert-answered.ts';

const { site, take: capture, close } = await startSharedEngines();
after(close);

/** Known dialogs by the name of their rule, and dialogs that only their words tell. */
const CMP: Readonly<Record<string, string | null>> = {
  onetrust: 'Onetrust',
  cookiebot: 'Cybotcookiebot',
  didomi: 'didomi',
  late: 'didomi',
  words: null,
  german: null,
  flowing: null,
  shadow: null,
  locked: null,
};

for (const [dialog, cmp] of Object.entries(CMP))
  void test(`the dialog ${dialog} is answered as the request says`, () =>
    assertAnswered(capture, 'chrome', dialog, cmp));

void test('every engine answers dialogs, and answering sends no requests of its own', async () => {
  for (const engine of ['chrome_cdp', 'vendor_dcl', 'vendor_lite', 'vendor_dom', 'stable', 'auto'] as const) {
    const from = site.requests.length;
    const page = await capture(engine, '/consent?dialog=onetrust', { consent: 'reject' });
    assert.deepEqual([said(page), page.consent?.outcome], ['no', 'answered'], engine);
    const requested = site.requests.slice(from).filter((path) => path !== '/favicon.ico');
    assert.deepEqual([requested, page.blockedRequests], [['/consent?dialog=onetrust'], []], engine);
    assert.ok(!page.html.includes('autoconsent'), engine);
  }
});

void test('content that follows the answer is awaited, also as the element of wait_for', async () => {
  for (const options of [{}, { wait_for: '#gated' }, { wait_for: 10 }]) {
    const page = await capture('chrome', '/consent?dialog=gated', { ...options, consent: 'accept' });
    assert.ok(page.html.includes(`<p id="gated">${MARK}`) && !page.partial, JSON.stringify(page.consent));
  }
});

void test('a page that shows nothing before the answer is answered, and awaited then', async () => {
  for (const consent of ['reject', 'accept'] as const) {
    const page = await capture('stable', '/consent-first', { consent }, 20_000);
    assert.ok(page.html.includes(`<main><p>${MARK}`) && !page.partial, JSON.stringify(page.consent));
  }
});

void test('a page without a dialog is captured as it is', async () => {
  for (const dialog of ['none', 'policy']) {
    for (const consent of ['reject', 'accept'] as const) {
      const page = await capture('vendor_lite', `/consent?dialog=${dialog}`, { consent });
      assert.deepEqual(page.consent, { action: consent, outcome: 'not_found', cmp: null, hidden: 0 }, dialog);
      assert.equal(said(page), 'nothing');
    }
  }
});

void test('a dialog that does not close or comes back is answered once', async () => {
  for (const dialog of ['deaf', 'returning']) {
    for (const consent of ['reject', 'accept'] as const) {
      const page = await capture('vendor_dom', `/consent?dialog=${dialog}`, { consent });
      assert.equal(page.consent?.outcome, 'still_shown', dialog);
      assert.ok(page.html.includes(MARK));
    }
  }
});

void test('a screenshot shows the page without its dialogs, and the HTML keeps them', async () => {
  const picture = async (dialog: string, options: CaptureOptions = {}): Promise<Capture> =>
    capture('stable', `/consent?dialog=${dialog}`, { screenshot: 'full_page', screenshot_format: 'png', ...options });
  const plain = await picture('none');
  assert.deepEqual(plain.consent, { action: 'hide', outcome: 'not_found', cmp: null, hidden: 0 });
  const dialogs = [
    'onetrust',
    'cookiebot',
    'didomi',
    'words',
    'german',
    'flowing',
    'shadow',
    'frame',
    'locked',
    'returning',
  ];
  for (const dialog of dialogs) {
    const page = await picture(dialog);
    assert.equal(page.consent?.outcome, 'hidden', dialog);
    assert.equal(page.consent.cmp, dialog === 'frame' ? 'Sourcepoint-frame' : (CMP[dialog] ?? null));
    assert.ok(page.consent.hidden > 0);
    assert.ok(page.screenshot?.base64 === plain.screenshot?.base64, `${dialog} is in the picture`);
    assert.ok(/privacy|Cookies|Fine|sp_message/.test(page.html), page.html);
  }
  const ignored = await picture('words', { consent: 'ignore' });
  assert.deepEqual([ignored.consent, ignored.screenshot?.base64 === plain.screenshot?.base64], [undefined, false]);
  const deaf = await picture('deaf', { consent: 'reject' });
  assert.deepEqual(deaf.consent, { action: 'reject', outcome: 'still_shown', cmp: null, hidden: 1 });
  assert.ok(deaf.screenshot?.base64 === plain.screenshot?.base64, 'what is left is hidden');
});
