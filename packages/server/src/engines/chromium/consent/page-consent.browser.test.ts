import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startSharedEngines } from '../../../composition/testing/test-site-engines.ts';
import { assertAnswered, said } from '../../testing/assert-answered.ts';

const { site, take: capture, close } = await startSharedEngines();
after(close);

void test('a known dialog, one told by its words, and one in a frame of another site are answered as the request says', async () => {
  await assertAnswered(capture, 'chrome', 'onetrust', 'Onetrust');
  await assertAnswered(capture, 'chrome', 'words', null);
  await assertAnswered(capture, 'vendor_dom', 'frame', 'Sourcepoint-frame');
});

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
  const page = await capture('chrome', '/hanging-image', { consent: 'accept' }, 8000);
  assert.deepEqual([page.partial, page.consent?.outcome], [true, 'out_of_time']);
});
