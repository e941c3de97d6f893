import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { readLines } from './read-lines.ts';
import type { InputLine } from './read-lines.ts';

async function split(text: string | Buffer, chunkBytes: number, maxLineBytes = 1000): Promise<InputLine[]> {
  const bytes = Buffer.from(text);
  const chunks: Buffer[] = [];
  for (let start = 0; start < bytes.length; start += chunkBytes) chunks.push(bytes.subarray(start, start + chunkBytes));
  const lines: InputLine[] = [];
  for await (const line of readLines(Readable.from(chunks), maxLineBytes)) lines.push(line);
  return lines;
}

test('lines do not depend on the chunks, which may split characters', async () => {
  const text = '\uFEFF{"id":"ä"}\r\n\n{"id":"世界🌍"}\nlast';
  const whole = await split(text, 10_000);
  assert.deepEqual(
    whole.map((line) => line.text),
    ['{"id":"ä"}\r', '', '{"id":"世界🌍"}', 'last'],
  );
  assert.deepEqual(
    whole.map((line) => [line.number, line.ended]),
    [
      [1, true],
      [2, true],
      [3, true],
      [4, false],
    ],
  );
  assert.equal(whole.at(-1)?.endsAt, Buffer.byteLength(text));
  for (const chunkBytes of [1, 2, 3, 7]) assert.deepEqual(await split(text, chunkBytes), whole);
});

test('a line over the limit is reported by number, and the next one is read', async () => {
  const lines = await split(`${'x'.repeat(50)}\nshort\n${'y'.repeat(11)}`, 4, 10);
  assert.deepEqual(
    lines.map((line) => line.text),
    [undefined, 'short', undefined],
  );
  assert.equal(lines[1]?.endsAt, 57);
});

test('an empty input has no lines, and a single line end makes one', async () => {
  assert.deepEqual(await split('', 5), []);
  assert.equal((await split('\n', 5)).length, 1);
});
