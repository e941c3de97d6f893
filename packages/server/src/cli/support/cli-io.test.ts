import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { countThings, writeTable } from './cli-io.ts';

const HEAD = ['ID', 'LAST USED', 'NAME'];
const ROWS = [
  ['key_01', '2026-11-26T16:09:31.000Z', 'staging\u001b[2J crawler'],
  ['key_02', 'never', ''],
];

async function print(terminal: { readonly isTTY?: boolean; readonly columns?: number }): Promise<string> {
  const stream = Object.assign(new PassThrough(), terminal);
  writeTable(stream, HEAD, ROWS);
  stream.end();
  return text(stream);
}

test('a table that a terminal has no room for is folded into names and values', async () => {
  const folded = `ID         key_01
LAST USED  2026-11-26T16:09:31.000Z
NAME       staging\\u001b[2J crawler

ID         key_02
LAST USED  never
NAME
`;
  assert.equal(await print({ isTTY: true, columns: 40 }), folded);
  const table = await print({ isTTY: true, columns: 80 });
  assert.match(table, /^ID {6}LAST USED {17}NAME\nkey_01 {2}2026-11-26T16:09:31\.000Z {2}staging/);
  assert.equal(await print({ columns: 40 }), table, 'a program gets the table');
});

test('one thing is no things', () => {
  assert.deepEqual(
    [0, 1, 2].map((count) => countThings(count, 'page')),
    ['0 pages', '1 page', '2 pages'],
  );
});
