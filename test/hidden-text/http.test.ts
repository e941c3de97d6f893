import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { extract } from '@winnow/extract';
import { CANARY, hasStory, KNOWN_LEAKS, PLACEMENTS, writePage } from './placements.ts';

/** Most hidden instructions that may reach an answer with the `http` engine. */
const MOST_LEAKS = 20;

function read(placement: (typeof PLACEMENTS)[number]): ReturnType<typeof extract> {
  return extract(writePage(placement), { url: 'https://example.org/spring', formats: ['markdown', 'html', 'stated'] });
}

// Checks: threat-hidden-text
test('only the documented placements of hidden text reach a field of an extraction of source HTML', () => {
  assert.ok(PLACEMENTS.length >= 164);
  const leaks = PLACEMENTS.filter((placement) => JSON.stringify(read(placement)).includes(CANARY));
  assert.deepEqual(leaks.map(({ name }) => name).toSorted(), KNOWN_LEAKS.http.toSorted());
  assert.ok(leaks.length <= MOST_LEAKS);
});

test('the article around hidden text stays whole', () => {
  const damaged = PLACEMENTS.filter((placement) => !hasStory(read(placement).mainText));
  assert.deepEqual(
    damaged.map(({ name }) => name),
    [],
  );
});

test('a rule for elements by their names shows what a weaker one hides, and not what a stronger one hides', () => {
  const story =
    'The spring below the chapel gives water in the driest summers, and the shepherds lead their flocks to it. ';
  for (const [rules, isShown] of [
    ['.veil p{opacity:0}.veil.lifted p{opacity:1}', true],
    ['.veil p{color:transparent}.lifted p{color:#222}', true],
    ['.lifted p{visibility:visible}.veil p{visibility:hidden}', false],
    ['.veil p{opacity:0}p{opacity:1}', false],
    ['.veil p{opacity:0}.veil.seen p{opacity:1}', true],
    ['.veil p{opacity:0}.other.seen p{opacity:1}', false],
    ['.veil p{opacity:0}.veil:hover p{opacity:1}', false],
    ['.veil{opacity:0}.veil.seen{opacity:1}', true],
    ['.veil{opacity:0}.veil.seen{opacity:.02}', false],
  ] as const) {
    const page = `<style>${rules}</style><article><h1>The spring</h1><div class="veil lifted"><p>${story.repeat(4)}</p></div></article>`;
    assert.equal(extract(page, { url: 'https://example.org/spring' }).mainText.includes('shepherds'), isShown, rules);
  }
});

test('every placement has its own name, and the documentation names the known leaks', async () => {
  assert.equal(new Set(PLACEMENTS.map(({ name }) => name)).size, PLACEMENTS.length);
  const document = await readFile(new URL('../../docs/hidden-text.md', import.meta.url), 'utf8');
  const unnamed = [...KNOWN_LEAKS.http, ...KNOWN_LEAKS.stable].filter((name) => !document.includes(`\`${name}\``));
  assert.deepEqual(unnamed, []);
});
