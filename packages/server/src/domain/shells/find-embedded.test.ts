import assert from 'node:assert/strict';
import { test } from 'node:test';
import { document } from '../../../../../test/site/route.ts';
import { findEmbeddedDocument, findEmptyFrame, findUnreadFrames } from './find-embedded.ts';

const PAGE = 'https://example.com/tides/today';
const FRAME = '<iframe src="table?day=1" width="600"></iframe>';
const listFrames = (html: string): string[] => findUnreadFrames(html, PAGE).map(({ url }) => url.href);

void test('the addresses of frames and documents start from that of the page, or from its base', () => {
  assert.deepEqual(listFrames(document(FRAME)), ['https://example.com/tides/table?day=1']);
  const based = document(`<base target="_top"><base href="/harbour/">${FRAME}<embed src="map.pdf">`);
  assert.deepEqual(listFrames(based), [
    'https://example.com/harbour/table?day=1',
    'https://example.com/harbour/map.pdf',
  ]);
  assert.equal(findEmbeddedDocument(based, PAGE)?.href, 'https://example.com/harbour/map.pdf');
  assert.deepEqual(listFrames(document(`<!-- <base href="/old/"> -->${FRAME}`)), [
    'https://example.com/tides/table?day=1',
  ]);
});

void test('frames in scripts, comments and noscript are none', () => {
  const beside = [
    `<script>box.innerHTML = '${FRAME}'</script>`,
    `<noscript><iframe src="https://count.example/" width="0"></iframe></noscript>`,
    `<!-- ${FRAME} -->`,
  ].join('');
  const html = document(beside + FRAME);
  assert.deepEqual(listFrames(html), ['https://example.com/tides/table?day=1']);
  assert.equal(findEmptyFrame(html, PAGE)?.href, 'https://example.com/tides/table?day=1');
  assert.deepEqual(listFrames(document(beside)), []);
  assert.equal(findEmptyFrame(document(`<script>${FRAME}`), PAGE), undefined, 'a script without an end');
});
