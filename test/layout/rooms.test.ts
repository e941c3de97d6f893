import { test } from 'node:test';
import assert from 'node:assert/strict';
import { findRoomFaults } from '../../scripts/check-rooms.mjs';

const ARCHITECTURE = `Inside \`packages/server/src\`:

| place     | what lives there |
| --------- | ---------------- |
| \`domain/\` | the use cases    |

Inside \`packages/extract/src\`:

| place   | what lives there |
| ------- | ---------------- |
| \`tree/\` | the parsed page  |

The end.
`;
const GOOD = [
  ['packages/server/src/domain/keys/authenticate.ts', ''],
  ['packages/extract/src/tree/tree.ts', ''],
] as const;

function faultsWith(...files: (readonly [path: string, text: string])[]): string[] {
  return findRoomFaults(new Map([...GOOD, ...files]), ARCHITECTURE);
}

test('a tree in which every file lies in a listed room has no fault', () => {
  assert.deepEqual(faultsWith(), []);
});

test('a folder with more than 40 source files is reported with their number', () => {
  const files = Array.from({ length: 41 }, (_, index) => [`test/many/file-${index}.ts`, ''] as const);
  assert.match(faultsWith(...files).join(), /^test\/many holds 41 source files, at most 40 .* group files/);
});

test('a file outside every room is reported with the folder that has the rooms', () => {
  for (const file of [
    'packages/server/src/stray.ts',
    'packages/server/src/domain/stray.ts',
    'packages/extract/src/x.ts',
  ])
    assert.match(
      faultsWith([file, '']).join(),
      new RegExp(`^${file} lies outside every room: move it to the folder in`),
    );
});

test('a room without a row in ARCHITECTURE.md and a row without a room are named', () => {
  assert.match(
    faultsWith(['packages/server/src/attic/old.ts', '']).join(),
    /src\/attic has no row in ARCHITECTURE\.md/,
  );
  const renamed = ARCHITECTURE.replace('`tree/`', '`trees/`');
  assert.deepEqual(
    findRoomFaults(new Map(GOOD), renamed).map((fault) => fault.replace(/:.*/, '')),
    [
      'packages/extract/src/tree has no row in ARCHITECTURE.md',
      'ARCHITECTURE.md names packages/extract/src/trees/, where no file lies',
    ],
  );
});

test('two folders that import each other are named with one import each way; tests do not count', () => {
  const there = ['packages/server/src/domain/a/one.ts', "import { two } from '../b/two.ts';"] as const;
  const back = ['packages/server/src/domain/b/two.ts', "import type { One } from '../a/one.ts';"] as const;
  assert.match(
    faultsWith(there, back).join(),
    /^packages\/server\/src\/domain\/a and .*\/b import each other \(.*one\.ts/,
  );
  assert.deepEqual(faultsWith(there, ['packages/server/src/domain/b/two.test.ts', back[1]]), []);
});
