import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inlineExtractor, inlineTemplates } from './testing/inline-workers.ts';

const TEXT = 'The harbour was closed for a week while the quay was repaired by the town. '.repeat(6);
const PAGE = `<html lang="en"><title>The quay</title><body><nav>Home</nav><article><h1>The quay</h1><p>${TEXT}</p>
  <p hidden class="stock">12,5</p><time>5 May 2024</time></article></body></html>`;

const INPUT = {
  html: PAGE,
  url: 'https://example.com/a',
  contentLanguage: null,
  formats: ['markdown'],
  fields: [
    { name: 'stock', selector: '.stock', type: 'number' },
    { name: 'day', selector: 'time', type: 'date' },
    { name: 'menu', selector: '//nav' },
  ],
} as const;

const READ = { fields: { stock: 12.5, day: '2024-05-05', menu: 'Home' }, failures: [] };
const BUDGET = { timeoutMs: 60_000, signal: new AbortController().signal };

function templateWith(fields: object, replace: readonly object[] = []) {
  const json = JSON.stringify({
    hosts: ['example.com'],
    url_shapes: [],
    signature: null,
    fields,
    content: null,
    custom: [],
    replace,
    invariants: { required: [], main_text_words: null },
  });
  return { name: `tpl_${json.length}:v1`, json };
}

test('an extraction comes with the requested fields of the whole page, and is otherwise the same', async () => {
  const { fields: _fields, ...plain } = INPUT;
  const { requested, ...extraction } = await inlineExtractor.extract(INPUT, BUDGET);
  assert.deepEqual(requested, READ);
  assert.deepEqual(extraction, await inlineExtractor.extract(plain, BUDGET));
  assert.equal('requested' in (await inlineExtractor.extract({ ...INPUT, fields: [] }, BUDGET)), false);
});

test('a template gives the requested fields too, from the page before its replacements', async () => {
  const title = { title: { selectors: [{ css: 'h1' }] } };
  for (const template of [templateWith(title), templateWith(title, [{ find: 'Home', replace: 'Away' }])]) {
    const { extraction, faults } = await inlineTemplates.apply(INPUT, template, BUDGET);
    assert.deepEqual(faults, []);
    assert.deepEqual(extraction.requested, READ);
  }
});
