import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

const ROOT = path.join(import.meta.dirname, '../..');

/** Reads the titles of all tests, with placeholders. */
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

/** Matches a title with any values for its placeholders. */
function toPattern(title: string): RegExp {
  const parts = title.split(/\$\{[^}]+\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.+')}$`);
}

/** Each threat: its heading, and the lines up to the next heading. */
const threats = readFileSync(path.join(ROOT, 'docs/threat-model.md'), 'utf8')
  .split(/^(?=##)/m)
  .filter((section) => section.startsWith('### '));

test('every threat names its tests, and they exist', () => {
  assert.ok(threats.length > 30);
  const titles = [...readTitles()];
  const patterns = titles.map(toPattern);
  for (const threat of threats) {
    const named = [...threat.matchAll(/^- `([^`]+)`$/gm)].map((match) => match[1] ?? '');
    assert.ok(named.length > 0, `no test: ${threat}`);
    for (const name of named) {
      assert.ok(titles.includes(name) || patterns.some((pattern) => pattern.test(name)), `there is no test "${name}"`);
    }
  }
});
