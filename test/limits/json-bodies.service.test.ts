import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startRunning } from '../support/running-service.ts';
import type { Running } from '../support/running-service.ts';

/** Processes no items: the tests read what was stored. */
let running: Running;
before(async () => {
  running = await startRunning({ WINNOW_BATCH_CONCURRENCY: '0' });
});
after(() => running.close());

interface BatchAnswer {
  readonly batch: {
    readonly id: string;
    readonly total: number;
    readonly formats: string[];
    readonly respect_robots: boolean;
  };
  readonly error: { readonly message: string };
}

async function sendLines(lines: string, type = 'application/x-ndjson', path = '/v1/batches') {
  const { status, body } = await running.call(path, lines, { headers: { 'Content-Type': type } });
  return { status, ...(body as unknown as BatchAnswer) };
}

async function readItems(id: string): Promise<string[]> {
  const lease = { owner: 'test', until: new Date(Date.now() + 60_000) };
  const items = await running.store.batchQueue.claim(lease, 100);
  return items.filter(({ batchId }) => batchId === id).map(({ target }) => `${target.kind} ${target.value}`);
}

// Checks: threat-body-parsing
test('32 MiB of brackets are refused for their structure, before they are parsed', { timeout: 120_000 }, async () => {
  const size = 32 * 1024 * 1024 - 2;
  for (const [text, limit] of [
    ['['.repeat(size), /^body: nests deeper than 64 levels$/],
    [`[${'{},'.repeat(size / 3 - 1)}{}]`, /^body: has more than 250000 values$/],
  ] as const) {
    const { status, error } = await sendLines(text, 'application/json');
    assert.equal(status, 400);
    assert.match(error.message, limit);
  }
  const { status, body } = await running.call('/v1/extract', '['.repeat(1000));
  assert.equal(status, 400);
  assert.match(body.error.message, /^body: nests deeper/);
});

test('a batch may be JSON Lines: options first, then one item per line, in the order of the results', async () => {
  const lines = [
    '{"formats":["markdown"],"respect_robots":false}',
    '',
    '{"dom_id":"dom_1"}',
    ' {"url":"https://example.com/ä"}\r',
    '{"dom_id":"dom_2"}',
  ];
  const { status, batch } = await sendLines(lines.join('\n'));
  assert.equal(status, 200);
  assert.deepEqual([batch.total, batch.formats, batch.respect_robots], [3, ['markdown'], false]);
  assert.deepEqual(await readItems(batch.id), ['dom_id dom_1', 'url https://example.com/ä', 'dom_id dom_2']);
  const plain = await sendLines('{"url":"https://example.com/"}\n');
  assert.deepEqual([plain.batch.total, plain.batch.respect_robots], [1, true]);
});

test('an Idempotency-Key treats the same batch as JSON and as JSON Lines alike', async () => {
  const headers = { 'Idempotency-Key': 'either' };
  const urls = Array.from({ length: 5000 }, (_, index) => `https://example.com/${index}`);
  const first = await running.call('/v1/batches', { urls }, { headers });
  const lines = urls.map((url) => JSON.stringify({ url })).join('\n');
  const again = await running.call('/v1/batches', lines, {
    headers: { ...headers, 'Content-Type': 'application/x-ndjson' },
  });
  assert.equal(again.status, 200);
  assert.equal((again.body as unknown as BatchAnswer).batch.id, (first.body as unknown as BatchAnswer).batch.id);
});

test('an error in a line is reported with the line number', async () => {
  const item = '{"url":"https://example.com/"}\n';
  for (const [lines, fault] of [
    ['', /^body: /],
    ['\n\n', /needs at least one line with an item/],
    ['{"formats":["markdown"]}', /needs at least one line with an item/],
    [`${item}{"formats":["markdown"]}`, /^line 2: formats: unknown field/],
    [`${item}{"url":"https://example.com/","dom_id":"x"}`, /^line 2: the item: needs either url or dom_id/],
    [`${item}\n{"url":""}`, /^line 3: the item: needs either url or dom_id/],
    [`${item}[]`, /^line 2: /],
    [`${item}{"url":`, /^line 2: malformed JSON: unexpected end at position 7/],
    [`${item}${'['.repeat(100)}`, /^line 2: nests deeper than 64 levels/],
    [`${item}"${'a'.repeat(600_000)}"`, /^line 2: must have at most 524288 bytes/],
    [item.repeat(100_001), /^line 100001: a batch has at most 100000 items/],
  ] as const) {
    const { status, error } = await sendLines(lines);
    assert.equal(status, 400, lines.slice(0, 100));
    assert.match(error.message, fault);
  }
  assert.match((await sendLines(item, 'application/x-ndjson', '/v1/extract')).error.message, /Content-Type/);
});
