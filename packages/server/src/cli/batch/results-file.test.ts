import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { openResultsWriter, recoverResults } from './results-file.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'winnow-results-'));
});
afterEach(() => rm(folder, { recursive: true }));

const ONE = '{"id":"one","result":{}}\n';
const TWO = '{"id":2,"error":{}}\n';
const LINE_FAULT = '{"id":null,"line":7,"error":{}}\n';

for (const name of ['results.jsonl', 'results.jsonl.gz']) {
  const gzip = name.endsWith('.gz');
  const pack = (text: string): Buffer => (gzip ? gzipSync(text) : Buffer.from(text));
  const read = async (): Promise<string> => {
    const bytes = await readFile(path.join(folder, name));
    return (gzip ? gunzipSync(bytes) : bytes).toString();
  };
  const continueWith = async (content: Buffer): Promise<{ keys: string[]; text: string }> => {
    const file = path.join(folder, name);
    await writeFile(file, content);
    const keys = await recoverResults(file);
    const writer = openResultsWriter(file);
    await writer.write('{"id":"next","result":{}}');
    await writer.close();
    return { keys: [...keys.keys()], text: await read() };
  };

  test(`${name}: a run appends to complete results`, async () => {
    const { keys, text } = await continueWith(pack(ONE + TWO + LINE_FAULT));
    assert.deepEqual(keys, ['"one"', '2', 'line:7']);
    assert.equal(text, `${ONE + TWO + LINE_FAULT}{"id":"next","result":{}}\n`);
  });

  test(`${name}: a page failed if it has errors and no result`, async () => {
    await writeFile(path.join(folder, name), pack(`${ONE}${TWO}${TWO}{"id":2,"result":{}}\n{"id":3,"error":{}}\n`));
    const earlier = await recoverResults(path.join(folder, name));
    assert.deepEqual(
      [...earlier],
      [
        ['"one"', false],
        ['2', false],
        ['3', true],
      ],
    );
  });

  test(`${name}: a truncated last line is removed`, async () => {
    for (const torn of ['{', '{"id":', '{"id":"lo', '{"id":"lost","result":{"title":"a']) {
      const { keys, text } = await continueWith(pack(ONE + torn));
      assert.deepEqual(keys, ['"one"']);
      assert.equal(text, `${ONE}{"id":"next","result":{}}\n`);
    }
  });

  test(`${name}: a complete last line without its line end is kept`, async () => {
    const { keys, text } = await continueWith(pack(ONE + TWO.trimEnd()));
    assert.deepEqual(keys, ['"one"', '2']);
    assert.equal(text, `${ONE + TWO}{"id":"next","result":{}}\n`);
  });

  test(`${name}: other files are rejected and left unchanged`, async () => {
    for (const content of ['my notes', '{"title":"settings"}\n', `${ONE}not ours\n${TWO}`]) {
      await writeFile(path.join(folder, name), pack(content));
      await assert.rejects(recoverResults(path.join(folder, name)), /is not a result of a batch/);
      assert.equal(await read(), content);
    }
  });

  test(`${name}: an absent or empty file is a fresh start`, async () => {
    assert.equal((await recoverResults(path.join(folder, name))).size, 0);
    await writeFile(path.join(folder, name), '');
    assert.equal((await recoverResults(path.join(folder, name))).size, 0);
  });
}

test('every complete line of a truncated gzip file is recovered', async () => {
  const file = path.join(folder, 'cut.gz');
  const lines = Array.from({ length: 400 }, (_, id) => `{"id":${id},"result":{"x":"${Math.sin(id)}"}}\n`);
  const packed = Buffer.concat([gzipSync(lines.slice(0, 200).join('')), gzipSync(lines.slice(200).join(''))]);
  for (const part of [0.2, 0.5, 0.51, 0.9, 0.999]) {
    await writeFile(file, packed.subarray(0, Math.floor(packed.length * part)));
    const keys = await recoverResults(file);
    assert.ok(keys.size > 400 * part - 60, `${keys.size} of ${400 * part}`);
    const text = gunzipSync(await readFile(file)).toString();
    assert.equal(text, lines.slice(0, keys.size).join(''));
  }
});

test('a write fails when the disk fails', async () => {
  const writer = openResultsWriter(path.join(folder, 'absent', 'results.jsonl'));
  await assert.rejects(
    (async () => {
      for (let line = 0; line < 1000; line += 1) await writer.write('x'.repeat(1000));
      await writer.close();
    })(),
    /ENOENT/,
  );
});
