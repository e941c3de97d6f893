import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseSrcset, pickLargest } from './srcset.ts';

const CASES: readonly (readonly [string, string | null])[] = [
  ['a.jpg 320w, b.jpg 1280w, c.jpg 640w', 'b.jpg'],
  ['a.jpg, b.jpg 2x', 'b.jpg'],
  ['a.jpg 1x,b.jpg 1.5x', 'b.jpg'],
  [
    'https://cdn.test/w_300,h_200/a.jpg 300w, https://cdn.test/w_900,h_600/a.jpg 900w',
    'https://cdn.test/w_900,h_600/a.jpg',
  ],
  ['data:image/gif;base64,R0lGOD 1w, real.jpg 10w', 'real.jpg'],
  ['only.jpg', 'only.jpg'],
  ['\n  a.jpg   100w ,\n b.jpg 200w\n', 'b.jpg'],
  ['', null],
  [', ,', null],
  ['x'.repeat(30_000), null],
];

for (const [srcset, best] of CASES) {
  test(`picks the largest of "${srcset.slice(0, 60).trim()}"`, () => {
    assert.equal(pickLargest(parseSrcset(srcset)), best);
  });
}
