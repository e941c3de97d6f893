import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findMainContent } from './find-main-content.ts';
import { parsePage } from './render-safe-page.ts';

/** Returns the outlined tags. */
function outline(html: string, mainText: string): string[] {
  const page = parsePage(html);
  return findMainContent(page, mainText).map((node) => page.elements[node]?.tagName ?? '');
}

const [FIRST, SECOND] = [
  'The harbour was closed for a week while the quay was repaired by the town.',
  'The harbour master said that the boats had been moved to the northern bank.',
];

test('text dropped between two parts or moved to the end does not break the outline', () => {
  const nav = '<nav><a>News of the harbour and of all that is going on around it</a></nav>';
  const html = `${nav}<div><p>${FIRST}</p><aside>The harp is not for sale, and neither is the piano beside it.</aside><p>${SECOND}</p></div>`;
  assert.deepEqual(outline(html, `${FIRST}\n\n${SECOND}`), ['p', 'p']);
  assert.deepEqual(outline(html, `${SECOND}\n\n${FIRST}`), ['p', 'p']);
});

test('a short text counts only as a whole line of the main text', () => {
  const html = `<h2>Harbour</h2><p>${FIRST}</p><nav><a>the quay</a> and <a>the boats</a></nav>`;
  assert.deepEqual(outline(html, `Harbour\n\n${FIRST}`), ['h2', 'p']);
});

test('invisible texts are skipped, also within a passage', () => {
  const html = `<main><p>${FIRST.slice(0, 30)}<script>x()</script><noscript><b>no script</b></noscript>${FIRST.slice(30)}</p></main>`;
  assert.deepEqual(outline(html, FIRST), ['body']);
});

test('a long article beside short navigation is outlined, never the page or a wrapper', () => {
  const paragraphs = Array.from({ length: 20 }, (_, index) => `${FIRST} ${index} ${SECOND}`);
  const article = paragraphs.map((text) => `<p>${text}</p>`).join('');
  const around = (inner: string): string => `<nav><a>Home</a> <a>Archive</a></nav>${inner}<footer>Imprint</footer>`;
  const mainText = paragraphs.join('\n\n');
  assert.deepEqual(outline(around(`<main>${article}</main>`), mainText), ['main']);
  assert.deepEqual(outline(`<div>${around(`<article>${article}</article>`)}</div>`, mainText), ['article']);
  assert.deepEqual(new Set(outline(around(article), mainText)), new Set(['p']));
  // A short byline does not break the outline.
  assert.deepEqual(outline(`<article><small>Anna</small>${article}</article><p>Imprint</p>`, mainText), ['article']);
});

test('text directly in the body is outlined with the body', () => {
  assert.deepEqual(outline(`${FIRST} <p>${SECOND}</p><i>Imprint</i>`, `${FIRST}\n\n${SECOND}`), ['body']);
});

/** CPU time in milliseconds. */
function measure(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function makeMinutes(paragraphs: number): { page: ReturnType<typeof parsePage>; mainText: string } {
  let count = 0;
  const words = (): string =>
    Array.from({ length: 8 }, () => ((count++ * 2654435761) % 4294967296).toString(36)).join(' ');
  const parts = Array.from({ length: paragraphs }, () => [words(), words(), words()] as const);
  return {
    page: parsePage(parts.map(([a, b, c]) => `<p>${a} <b>${b}</b> ${c}.</p>`).join('')),
    mainText: parts.map(([a, b, c]) => `${a} ${b} ${c}.`).join('\n\n'),
  };
}

test('the work is linear in the size of the page', () => {
  const [small, large] = [makeMinutes(2000), makeMinutes(16_000)];
  const least = Math.min(...[1, 2, 3].map(() => measure(() => findMainContent(small.page, small.mainText))));
  const most = measure(() => assert.equal(findMainContent(large.page, large.mainText).length, 1));
  // For eight times the page, linear work takes eight times as long, quadratic work 64 times.
  assert(most < 30 * least, `${most} ms against ${least} ms`);
});
