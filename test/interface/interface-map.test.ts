import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

const FOLDER = new URL('.', import.meta.url);

/** The titles of all tests of the walk, as patterns: a placeholder in a title matches anything. */
function readTitles(): { readonly source: string; readonly pattern: RegExp }[] {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.test.ts') && name !== 'interface-map.test.ts');
  return files.flatMap((name) => {
    const text = readFileSync(new URL(name, FOLDER), 'utf8');
    return [...text.matchAll(/^\s*test\(\s*(['"`])(.+?)\1,/gm)].map((match) => toPattern(match[2] ?? ''));
  });
}

function toPattern(source: string): { source: string; pattern: RegExp } {
  const parts = source.replaceAll("\\'", "'").split(/\$\{[^}]+\}/);
  return { source, pattern: new RegExp(`^${parts.map(escapePattern).join('.+')}$`) };
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

const map = readFileSync(new URL('../../docs/interface-map.md', FOLDER), 'utf8');
const rows = map.split('\n').filter((line) => /^\| (?!section|---)/.test(line));
const named = rows.flatMap((row) =>
  [...(row.split(' | ').at(-1) ?? '').matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? ''),
);
const titles = readTitles();

test('every test that the interface map names exists', () => {
  assert.ok(named.length > 100);
  const missing = named.filter((name) => !titles.some(({ pattern }) => pattern.test(name)));
  assert.deepEqual(missing, []);
});

test('every test of the walk is named in the interface map', () => {
  const forgotten = titles.filter(({ pattern }) => !named.some((name) => pattern.test(name)));
  assert.deepEqual(
    forgotten.map(({ source }) => source),
    [],
  );
});

test('every row names a test or says that there is nothing to test', () => {
  for (const row of rows) assert.match(row.split(' | ').at(-1) ?? '', /`|nothing to test/, row);
});
