import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';

const ROOT = path.join(import.meta.dirname, '../..');

const SAMPLE = `export const one = {
  get refused() { return 1; },
  accepted() { return 1; },
};
export class Two {
  field = () => 1;
  constructor() { this.field = () => 2; const later = () => 3; this.field = later; }
  get accepted() { return 1; }
}
`;

test('the linter refuses accessors of object literals and functions assigned to properties, and nothing else', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'winnow-lint-'));
  try {
    writeFileSync(path.join(folder, 'sample.mjs'), SAMPLE);
    const config = {
      jsPlugins: [path.join(ROOT, 'scripts/lint-garbage.mjs')],
      rules: { 'garbage/no-object-getters': 'error', 'garbage/no-assigned-functions': 'error' },
    };
    writeFileSync(path.join(folder, 'lint.json'), JSON.stringify(config));
    const { stdout } = spawnSync(path.join(ROOT, 'node_modules/.bin/oxlint'), ['-c', 'lint.json', '-f', 'unix', '.'], {
      cwd: folder,
      encoding: 'utf8',
    });
    const places = [...stdout.matchAll(/sample\.mjs:(\d+):\d+: .*\[Error\/garbage\((\S+)\)\]/g)];
    assert.deepEqual(
      places.map(([, line, rule]) => `${line} ${rule}`),
      ['2 no-object-getters', '7 no-assigned-functions'],
      stdout,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
