import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

const ROOT = path.join(import.meta.dirname, '../..');

/** Titles of all tests, and of the scripted soaks, with their placeholders as they stand. */
function readTitles(): Set<string> {
  const files = globSync(['packages/*/{src,test}/**/*.test.ts', 'test/**/*.test.ts'], {
    cwd: ROOT,
    exclude: (name) => name.includes('node_modules'),
  });
  return new Set(
    files.flatMap((file) => {
      const text = readFileSync(path.join(ROOT, file), 'utf8');
      return [...text.matchAll(/\btest\(\s*(['"`])(.+?)\1,/g)].map((match) => (match[2] ?? '').replaceAll("\\'", "'"));
    }),
  );
}

/** A title may have values where the source has placeholders. */
function toPattern(title: string): RegExp {
  const parts = title.split(/\$\{[^}]+\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.+')}$`);
}

const rows = readFileSync(path.join(ROOT, 'docs/threat-model.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (threat|---)/.test(line))
  .map((line) => (line.split(' | ').at(-1) ?? '').replace(/ \|$/, ''));

test('every threat names its tests, and they exist', () => {
  assert.ok(rows.length > 30);
  const titles = [...readTitles()];
  const patterns = titles.map(toPattern);
  for (const row of rows) {
    const named = [...row.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '');
    assert.ok(named.length > 0, `no test: ${row}`);
    for (const name of named) {
      assert.ok(titles.includes(name) || patterns.some((pattern) => pattern.test(name)), `there is no test "${name}"`);
    }
  }
});
