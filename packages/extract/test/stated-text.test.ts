import assert from 'node:assert/strict';
import { test } from 'node:test';
import { extract } from '../src/index.ts';

const PARAGRAPHS = [
  'The harbour froze in the second week of January, and the ferries stayed where they were. Nobody had seen it in forty years.',
  'By Friday children skated between the moorings. The town set up lamps along the quay, and a baker sold buns from a sledge.',
  'When the thaw came, it came in one night. In the morning the ice was gone, and the first ferry left at six as it always had.',
];
const SHELL = '<!doctype html><title>The frozen harbour</title><body><div id="root"></div>';

test('text found only as articleBody of JSON-LD is the main text', () => {
  const data = { '@type': 'NewsArticle', headline: 'The frozen harbour', articleBody: PARAGRAPHS.join('\n\n') };
  const { mainText, markdown, confidence } = extract(
    `${SHELL}<script type="application/ld+json">${JSON.stringify(data)}</script>`,
    { formats: ['markdown'] },
  );
  assert.equal(mainText, PARAGRAPHS.join('\n\n'));
  assert.equal(markdown?.trim(), PARAGRAPHS.join('\n\n'));
  assert.ok(confidence > 0.5);
});

test("text found only in the application's state is the main text, without markup", () => {
  const body = PARAGRAPHS.map((text) => `<p>${text}</p>`).join('');
  const data = { props: { pageProps: { post: { title: 'The frozen harbour', content: body } } } };
  const { mainText } = extract(
    `${SHELL}<script id="__NEXT_DATA__" type="application/json">${JSON.stringify(data)}</script>`,
  );
  assert.equal(mainText, PARAGRAPHS.join('\n\n'));
});

test('text shown on the page is preferred to structured data', () => {
  const data = { '@type': 'NewsArticle', articleBody: `${PARAGRAPHS.join(' ')} And one more, for subscribers.` };
  const shown = `<article>${PARAGRAPHS.map((text) => `<p>${text}</p>`).join('')}</article>`;
  const { mainText } = extract(
    `<!doctype html><title>Ice</title><body>${shown}<script type="application/ld+json">${JSON.stringify(data)}</script>`,
  );
  assert.doesNotMatch(mainText, /subscribers/);
});

test('broken or endless data gives no text', () => {
  for (const data of [
    '{"articleBody": "',
    `{"articleBody": "${'\\'.repeat(5001)}`,
    '{"articleBody": 3}',
    '"'.repeat(100_000),
  ]) {
    assert.equal(extract(`${SHELL}<script type="application/ld+json">${data}</script>`).mainText, '');
  }
});
