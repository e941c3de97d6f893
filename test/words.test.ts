import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';

const ROOT = path.join(import.meta.dirname, '..');

function check(text: string): { readonly status: number | null; readonly stdout: string } {
  const folder = mkdtempSync(path.join(tmpdir(), 'winnow-words-'));
  const file = path.join(folder, 'sample.ts');
  try {
    writeFileSync(file, text);
    return spawnSync(process.execPath, ['scripts/check-words.mjs', path.relative(ROOT, file)], {
      cwd: ROOT,
      encoding: 'utf8',
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('the word check reports file, line, word and replacement, also in identifiers', () => {
  const { status, stdout } = check('const one = 1;\n// Begins anew.\nexport class AbortRelay {}\n');
  assert.equal(status, 1);
  assert.match(stdout, /sample\.ts:2: "anew" is not a word of this project; write: again/);
  assert.match(stdout, /sample\.ts:3: "Abort Relay" is not a word of this project; write: AbortBroadcaster/);
});

test('the word check accepts plain text', () => {
  assert.equal(check('// Starts again.\n').status, 0);
});
