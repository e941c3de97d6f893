import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { describeErrors } from './describe-errors.ts';

/** Table rows, however a formatter pads their cells. */
function readRows(markdown: string): string[] {
  const lines = markdown.split('\n').filter((line) => line.startsWith('|') && !/^\| *-/.test(line));
  return lines.map((line) => line.replace(/ +/g, ' '));
}

test('docs/errors.md contains the error table of the code', async () => {
  const text = await readFile(new URL('../../../../docs/errors.md', import.meta.url), 'utf8');
  assert.deepEqual(readRows(text), readRows(describeErrors()), 'write it with `node scripts/write-docs.mjs`');
});
