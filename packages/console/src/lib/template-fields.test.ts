import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TemplateDocument } from '@winnow/client';
import { listFields } from './template-fields.ts';

const TEMPLATE: TemplateDocument = {
  format: 1,
  hosts: ['news.example.com'],
  url_shapes: [],
  signature: null,
  fields: {
    title: { selectors: [{ css: 'h1' }] },
    author: { selectors: [] },
    publish_time: { selectors: [{ css: 'time' }], otherwise: '2024-05-01' },
    language: { selectors: [], otherwise: 'en' },
  },
  content: null,
  custom: [],
  invariants: { required: [], main_text_words: null },
  provenance: { source: 'hand' },
};

test('the field editor explains an empty selector result', () => {
  const shown = Object.fromEntries(listFields(TEMPLATE).map(({ name, fallback }) => [name, fallback]));
  assert.deepEqual(shown, {
    title: undefined,
    description: 'found without the template',
    author: 'none',
    publish_time: 'else “2024-05-01”',
    language: 'always “en”',
    main_text: 'found without the template',
    'left out': 'nothing',
  });
  const content = { include: [{ css: 'article' }], exclude: [{ css: 'aside' }], exclude_text: [] };
  const parts = listFields({ ...TEMPLATE, content }).slice(-2);
  assert.deepEqual(
    parts.map(({ fallback }) => fallback),
    [undefined, undefined],
  );
});
