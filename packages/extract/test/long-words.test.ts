import assert from 'node:assert/strict';
import { test } from 'node:test';
import { extract } from '@winnow/extract';

/** Almost as long as the largest page. A matcher that counts repetitions takes memory for each one. */
const WORD = 'a'.repeat(9_900_000);

// Checks: threat-expensive-page
test('a page with one word of 9.9 million characters is extracted', () => {
  const sentence = 'The harbour is calm in the morning light. ';
  const { title, mainText } = extract(`<title>Calm</title><h1>Calm</h1><p>${sentence.repeat(20)}</p><p>${WORD}</p>`);
  assert.equal(title, 'Calm');
  assert.ok(mainText.includes(sentence.trim()));
});
