import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { ByteCollector, readPieces, readStart } from './byte-collector.ts';

async function* cut(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Buffer> {
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

const BYTES = randomBytes(300_000);

test('bytes are collected whole, in whatever chunks they arrive', async () => {
  for (const sizes of [[1], [1, 70_000], [16_384], [BYTES.length], [4095, 1, 200_000]]) {
    assert.ok((await readStart(cut(BYTES, sizes), Infinity)).equals(BYTES), sizes.join());
  }
  const collector = new ByteCollector();
  assert.equal(collector.take().length, 0);
  collector.add(Buffer.from('one'));
  assert.equal(collector.take().toString(), 'one');
  collector.add(Buffer.from('two'));
  assert.deepEqual([collector.length, collector.take().toString(), collector.length], [3, 'two', 0]);
});

test('only the start of a long source is read', async () => {
  let yielded = 0;
  async function* endless(): AsyncGenerator<Buffer> {
    for (;;) {
      yielded += 1;
      yield Buffer.from('x');
    }
  }
  assert.equal((await readStart(endless(), 1000)).length, 1000);
  assert.equal(yielded, 1000);
  assert.ok((await readStart(cut(BYTES, [999]), 100_000)).equals(BYTES.subarray(0, 100_000)));
});

// Checks: threat-small-chunks
test('a source of single bytes is read in large pieces', async () => {
  const pieces: Buffer[] = [];
  for await (const piece of readPieces(cut(BYTES, [1]), 200_000)) pieces.push(piece);
  assert.deepEqual(
    pieces.map(({ length }) => length),
    [...Array.from({ length: 3 }, () => 65_536), 200_000 - 3 * 65_536],
  );
  assert.ok(Buffer.concat(pieces).equals(BYTES.subarray(0, 200_000)));
});
