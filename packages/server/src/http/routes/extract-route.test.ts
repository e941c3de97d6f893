import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Extraction } from '@winnow/extract';
import { prefersMarkdown, presentMarkdown } from './extract-route.ts';

const ACCEPTED: readonly (readonly [string | undefined, boolean])[] = [
  ['text/markdown', true],
  ['Text/Markdown; charset=utf-8', true],
  ['text/markdown, application/json', true],
  ['application/json;q=0.5, text/markdown;q=0.9', true],
  ['application/json, text/markdown;q=0.5', false],
  ['text/markdown;q=0', false],
  ['*/*', false],
  ['text/*', false],
  ['application/json', false],
  ['text/markdown-like', false],
  [undefined, false],
];

for (const [accept, expected] of ACCEPTED) {
  test(`Accept ${String(accept)} means ${expected ? 'Markdown' : 'JSON'}`, () =>
    assert.equal(prefersMarkdown(accept), expected));
}

test('the title becomes a one-line heading without active markup', () => {
  const extraction = { title: 'A <b>*bold*</b>\n# title &lt;', markdown: 'Text.\n\n' } as Extraction;
  assert.equal(presentMarkdown(extraction), String.raw`# A &lt;b\>\*bold\*&lt;/b\> \# title &amp;lt;` + '\n\nText.\n');
  assert.equal(presentMarkdown({ ...extraction, title: null }), 'Text.\n');
});

test('a title that the main content repeats as its first heading is written once', () => {
  const extraction = { title: 'The _old_ mill', markdown: String.raw`# The *old* mill` + '\n\nText.\n' } as Extraction;
  assert.equal(presentMarkdown(extraction), extraction.markdown);
  const other = { ...extraction, markdown: '# Another\n\nText.\n' };
  assert.match(presentMarkdown(other), /^# The \\_old\\_ mill\n\n# Another\n/);
});
