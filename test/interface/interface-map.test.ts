import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

const FOLDER = new URL('.', import.meta.url);
/** Other tests that the map may name. */
const TEMPLATES = new URL('../templates/', import.meta.url);

interface Title {
  readonly source: string;
  readonly pattern: RegExp;
}

/** The titles of all tests in a folder, as patterns: a placeholder in a title matches anything. */
function readTitles(folder: URL): Title[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.test.ts') && name !== 'interface-map.test.ts');
  return files.flatMap((name) => {
    const text = readFileSync(new URL(name, folder), 'utf8');
    return [...text.matchAll(/^\s*test\(\s*(['"`])(.+?)\1,/gm)].map((match) => toPattern(match[2] ?? ''));
  });
}

function toPattern(source: string): Title {
  const parts = source.replaceAll("\\'", "'").split(/\$\{[^}]+\}/);
  return { source, pattern: new RegExp(`^${parts.map(escapePattern).join('.+')}$`) };
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

const map = readFileSync(new URL('../../docs/interface-map.md', FOLDER), 'utf8');
/** Each rule: its heading, and the lines up to the next heading. */
const rules = map.split(/^(?=## )/m).slice(1);
const named = rules.flatMap(readNames);
const titles = readTitles(FOLDER);
const known = [...titles, ...readTitles(TEMPLATES)];

test('every test that the interface map names exists', () => {
  assert.ok(named.length > 100);
  const missing = named.filter((name) => !known.some(({ pattern }) => pattern.test(name)));
  assert.deepEqual(missing, []);
});

test('the interface map names every test of this folder', () => {
  const forgotten = titles.filter(({ pattern }) => !named.some((name) => pattern.test(name)));
  assert.deepEqual(
    forgotten.map(({ source }) => source),
    [],
  );
});

test('every rule names a test or says that there is nothing to test', () => {
  for (const rule of rules) assert.ok(readNames(rule).length > 0 || rule.includes('Nothing to test.'), rule);
});

function readNames(rule: string): string[] {
  return [...rule.matchAll(/^- `([^`]+)`$/gm)].map((match) => match[1] ?? '');
}
