import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startSharedEngines } from '../../../composition/testing/test-site-engines.ts';
import type { Capture } from '../../../domain/capture/capture-ports.ts';

const { site, take: capture, close } = await startSharedEngines();
after(close);

const said = ({ html }: Capture): string | undefined => /<p id="said">said (\w+)/.exec(html)?.[1];

/** A known dialog and one that only its words tell; the long tests have more. */
const CMP: Readonly<Record<string, string | null>> = { onetrust: 'Onetrust', words: null };

for (const [dialog, cmp] of Object.entries(CMP)) {
  void test(`the dialog ${dialog} is answered as the request says`, async () => {
    for (const [consent, answer] of [
      ['reject', 'no'],
      ['accept', 'yes'],
    ] as const) {
      const page = await capture('chrome', `/consent?dialog=${dialog}`, { consent });
      const { consent: report, partial } = page;
      assert.deepEqual([said(page), partial], [answer, false], `${consent} ${JSON.stringify(report)}`);
      assert.deepEqual(report, { action: consent, outcome: 'answered', cmp, hidden: 0 });
    }
  });
}

void test('nothing is clicked unless the request says so', async () => {
  for (const options of [{}, { consent: 'hide' }, { consent: 'ignore' }] as const) {
    const page = await capture('vendor_dom', '/consent?dialog=onetrust', options);
    assert.deepEqual([said(page), page.consent], ['nothing', undefined]);
  }
});

void test('plain HTTP ignores the option', async () => {
  const page = await capture('http', '/consent?dialog=onetrust', { consent: 'reject' });
  assert.deepEqual([said(page), page.consent], ['nothing', undefined]);
});

void test('a dialog in a frame of another site is answered', async () => {
  for (const [consent, answer] of [
    ['reject', 'no'],
    ['accept', 'yes'],
  ] as const) {
    const page = await capture('vendor_dom', '/consent?dialog=frame', { consent });
    assert.deepEqual([said(page), page.consent?.cmp], [answer, 'Sourcepoint-frame'], JSON.stringify(page.consent));
  }
});

void test('a refusal accepts nothing, and the trace says that the dialog could not be answered', async () => {
  const page = await capture('chrome', '/consent?dialog=gated', { consent: 'reject' });
  assert.deepEqual(page.consent, { action: 'reject', outcome: 'failed', cmp: null, hidden: 0 });
  assert.ok(!page.html.includes('id="gated"'));
});

void test('an answer that opens other documents is given once', async () => {
  const left = await capture('vendor_lite', '/consent?dialog=leaving', { consent: 'accept' });
  assert.deepEqual([left.finalUrl, left.consent?.outcome], [`${site.origin}/static?left`, 'left']);
  const from = site.requests.length;
  const maze = await capture('vendor_lite', '/consent-maze', { consent: 'reject' });
  assert.deepEqual([maze.finalUrl, maze.consent?.outcome], [`${site.origin}/consent-maze?n=1`, 'left']);
  assert.equal(site.requests.slice(from).filter((path) => path.startsWith('/consent-maze')).length, 2);
});

void test('a page that is not ready in time is not clicked', async () => {
  const page = await capture('chrome', '/hanging-image', { consent: 'accept' }, 4000);
  assert.deepEqual([page.partial, page.consent?.outcome], [true, 'out_of_time']);
});
