import assert from 'node:assert/strict';
import type { Extraction } from '../src/index.ts';

/** Asserts that strings are well formed and numbers are in range. */
export function assertSound(page: Extraction): void {
  assert.ok(JSON.stringify(page).isWellFormed() && !/\\ud[89a-f]/.test(JSON.stringify(page)), 'a lone surrogate');
  assert.doesNotMatch(page.mainText, /^\n|\s$|\n{3}|\r|\0/);
  assert.ok(page.confidence >= 0 && page.confidence <= 1, `confidence ${page.confidence}`);
  for (const { url } of [...page.links.slice(0, 1_000), ...page.images.slice(0, 1_000)]) assert.match(url, /^https?:/);
}
