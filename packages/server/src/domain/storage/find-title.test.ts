import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findTitle } from './find-title.ts';

for (const [html, title] of [
  ['<html><head><title>Gate &amp; tide</title></head><body>', 'Gate & tide'],
  ['<HTML><TITLE lang="en">\n  Two\n  lines </TITLE>', 'Two lines'],
  ['<title></title>', null],
  ['<head></head><body><svg><title>Icon</title></svg>', null],
  ['<title>Never closed', null],
  ['<title', null],
  ['plain text', null],
] as const) {
  test(`the title of ${JSON.stringify(html)} is ${title ?? 'unknown'}`, () => assert.equal(findTitle(html), title));
}

test('a title is stored with valid characters and bounded length', () => {
  assert.equal(findTitle(`<title>a\0b${'x'.repeat(1000)}</title>`)?.length, 300);
  assert.ok(findTitle(`<title>${'x'.repeat(299)}\u{1F600}</title>`)?.isWellFormed());
});
