import assert from 'node:assert/strict';
import { test } from 'node:test';
import { extract } from '../index.ts';

const PARTS = [
  'The lock was opened for the first time in eleven years, and nobody who had closed it was there to see the water come.',
  'Two hundred people stood on the wall with lanterns, because the electricity of the lock house had been cut in spring.',
  'By midnight the gate had moved by the width of a hand, which the wardens wrote down in the book that nobody reads.',
];
const STORY = PARTS.map((text) => `<p>${text}</p>`).join('');
const NEXT =
  '<p>The baker beside the mill sells what is left from the night, and the queue is longest on Fridays before the rehearsal.</p><p>Nurses, drivers and the whole orchestra stand there with their instruments, and all of them want the same roll.</p>';

/** Name, page, whether the second story is left out. */
const PAGES: readonly (readonly [string, string, boolean])[] = [
  ['a further article with a linked heading', `<article><h1>The lock</h1>${STORY}</article><article><h2><a href="/mill">The window</a></h2>${NEXT}</article>`, true],
  ['one with an image before its heading', `<div><article><h1>The lock</h1>${STORY}</article></div><div><article><a href="/mill"><img src="a.jpg"></a><a href="/mill"><h1>The window</h1></a>${NEXT}</article></div>`, true],
  ['a further article without a link', `<article><h1>The lock</h1>${STORY}</article><article><h2>The window</h2>${NEXT}</article>`, false],
  ['one whose heading links to itself', `<article><h1>The lock</h1>${STORY}</article><article><h2><a href="#window">The window</a></h2>${NEXT}</article>`, false],
  ['sections of one article with linked headings', `<article><h1>The lock</h1>${STORY}<h2><a href="/mill">The window</a></h2>${NEXT}</article>`, false],
  ['articles inside the article', `<article><h1>The lock</h1>${STORY}<article><h2><a href="/mill">The window</a></h2>${NEXT}</article></article>`, false],
]; // prettier-ignore

for (const [name, body, isLeftOut] of PAGES) {
  test(`next stories: ${name}`, () => {
    const { mainText } = extract(`<title>The lock</title><main>${body}</main>`, { url: 'https://news.example/lock' });
    assert.deepEqual([mainText.includes(PARTS[2]), !mainText.includes('same roll')], [true, isLeftOut]);
  });
}
