import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { extractResponseSchema } from '@winnow/contract';
import { assertRefused } from '../support/assert-refused.ts';
import { startRunning } from '../support/running-service.ts';
import type { Running } from '../support/running-service.ts';

let running: Running;
before(async () => {
  running = await startRunning();
});
after(() => running.close());

const extract = (more: object, path = '/guide') =>
  running.call('/v1/extract', { extract: { url: running.pages.url + path, ...more } });

// Checks: interface-2.3
test('markdown.links keeps links, keeps only their text, or lists their addresses at the end', async () => {
  const read = async (markdown?: object): Promise<string> =>
    (await extract({ formats: ['markdown'], ...(markdown && { markdown }) })).body.result.markdown;
  const address = `${running.pages.url}/boats`;
  assert.ok((await read()).includes(`[the boats](${address})`));
  assert.ok((await read({ links: 'keep' })).includes(`[the boats](${address})`));
  const text = await read({ links: 'text' });
  assert.ok(text.includes('the boats') && !text.includes(address));
  const references = await read({ links: 'references' });
  assert.ok(references.includes('[the boats][1]') && references.endsWith(`[1]: ${address}`));
});

// Checks: interface-2.3
test('markdown.images keeps images, replaces them by their alternative text, or omits them', async () => {
  const read = async (images: string): Promise<string> =>
    (await extract({ formats: ['markdown'], markdown: { images } })).body.result.markdown;
  assert.ok((await read('keep')).includes(`![The quay](${running.pages.url}/quay.jpg)`));
  const alt = await read('alt');
  assert.ok(alt.includes('The quay') && !alt.includes('quay.jpg'));
  assert.doesNotMatch(await read('none'), /The quay|quay\.jpg/);
});

// Checks: interface-2.3
test('markdown.title puts the title first, once, also in a Markdown answer', async () => {
  const { body } = await extract({ formats: ['markdown'], markdown: { title: true } });
  assert.match(body.result.markdown, /^# A guide to the harbour\n\n/);
  const response = await fetch(`${running.url}/v1/extract`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'text/markdown',
      'X-API-Key': running.secrets.key_only,
    },
    body: JSON.stringify({ extract: { url: `${running.pages.url}/guide`, markdown: { title: true, links: 'text' } } }),
  });
  const text = await response.text();
  assert.equal(text.match(/# A guide to the harbour/g)?.length, 1);
  assert.doesNotMatch(text, /\/boats/);
});

// Checks: interface-2.3
test('chunks cover the whole Markdown by heading, in order, within max_characters, without duplicates', async () => {
  const { body } = await extract({ formats: ['markdown'], chunks: { max_characters: 400 } });
  extractResponseSchema.strict().parse(body);
  const { chunks, markdown } = body.result;
  assert.ok(chunks.length > 4);
  for (const { text } of chunks) assert.ok(text.length <= 400);
  assert.equal(
    chunks
      .map(({ text }) => text)
      .join(' ')
      .replace(/\s+/g, ' '),
    markdown.replace(/\s+/g, ' '),
  );
  const paths = new Set(chunks.map(({ heading_path: path }) => path.join(' > ')));
  assert.deepEqual([...paths], ['', 'Arrival', 'Arrival > By boat', 'Market']);
  const whole = await extract({ chunks: {} });
  assert.equal(whole.body.result.chunks.length, 4);
  assert.equal('markdown' in whole.body.result, false);
  assert.equal('chunks' in (await extract({})).body.result, false);
});

// Checks: interface-2.3
test('token_estimate is for the Markdown if requested, else for the main text', async () => {
  const plain = (await extract({})).body;
  const quarter = Math.ceil(plain.result.main_text.length / 4);
  assert.equal(plain.metadata.token_estimate, quarter);
  const { result, metadata } = (await extract({ formats: ['markdown'] })).body;
  assert.equal(metadata.token_estimate, Math.ceil(result.markdown.length / 4));
});

// Checks: interface-2.3
test('a batch accepts the same content options', async () => {
  const { body } = await running.call('/v1/batches', {
    urls: [`${running.pages.url}/guide`],
    formats: ['markdown'],
    markdown: { links: 'text', title: true },
    chunks: { max_characters: 400 },
    respect_robots: false,
  });
  const { id } = (body as unknown as { batch: { id: string } }).batch;
  const headers = { 'X-API-Key': running.secrets.key_only };
  const read = async (path: string): Promise<string> => (await fetch(running.url + path, { headers })).text();
  while ((JSON.parse(await read(`/v1/batches/${id}`)) as { batch: { state: string } }).batch.state === 'running')
    await new Promise((resolve) => setTimeout(resolve, 50));
  const { result } = JSON.parse(await read(`/v1/batches/${id}/results`)) as typeof body;
  assert.match(result.markdown, /^# A guide to the harbour/);
  assert.doesNotMatch(result.markdown, /\/boats/);
  assert.ok(result.chunks.length > 4);
});

const REFUSED: readonly (readonly [what: string, extract: object, message: RegExp])[] = [
  [
    'an unknown kind of links',
    { markdown: { links: 'drop' } },
    /extract\.markdown\.links: must be one of keep, text, references/,
  ],
  [
    'an unknown kind of images',
    { markdown: { images: true } },
    /extract\.markdown\.images: must be one of keep, alt, none/,
  ],
  ['a title that is a string', { markdown: { title: 'T' } }, /extract\.markdown\.title: must be true or false/],
  ['an unknown option of Markdown', { markdown: { tables: 'html' } }, /extract\.markdown\.tables: unknown field/],
  ['Markdown options that are not an object', { markdown: true }, /extract\.markdown: must be an object/],
  [
    'chunks that are too short',
    { chunks: { max_characters: 199 } },
    /extract\.chunks\.max_characters: must be at least 200/,
  ],
  [
    'chunks that are too long',
    { chunks: { max_characters: 100_001 } },
    /extract\.chunks\.max_characters: must be at most 100000/,
  ],
  [
    'a chunk size that is a fraction',
    { chunks: { max_characters: 250.5 } },
    /extract\.chunks\.max_characters: must be an integer/,
  ],
  ['chunks that are a number', { chunks: 400 }, /extract\.chunks: must be an object/],
];
for (const [what, more, message] of REFUSED) {
  // Checks: interface-2.3
  test(`the content options refuse ${what}`, async () => {
    assertRefused(await extract(more), 'invalid_request', message, 'request');
  });
}
