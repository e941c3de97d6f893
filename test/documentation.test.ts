import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

const ROOT = path.join(import.meta.dirname, '..');
const files = execFileSync('git', ['ls-files', '--', '*.md'], { cwd: ROOT, encoding: 'utf8' }).trim().split('\n');
/** Generated when the site is built. */
const GENERATED = new Set(['docs/api.md']);

test('every relative link of the documentation leads to a file', () => {
  const broken = files.flatMap((file) => {
    const text = readFileSync(path.join(ROOT, file), 'utf8').replaceAll(/^```.*?^```/gms, '');
    const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? '');
    const targets = links.filter((link) => !/^(?:[a-z]+:|#)/i.test(link)).map((link) => link.split('#')[0] ?? '');
    const paths = targets.map((target) => path.join(path.dirname(file), target));
    return paths
      .filter((target) => !GENERATED.has(target) && !existsSync(path.join(ROOT, target)))
      .map((to) => `${file} → ${to}`);
  });
  assert.deepEqual(broken, []);
});

test('the side bar of the site names every page of docs/', () => {
  const config = readFileSync(path.join(ROOT, 'docs/.vitepress/config.mjs'), 'utf8');
  const named = [...config.matchAll(/link: '\/([^']+)'/g)].map((match) => `docs/${match[1]}.md`);
  const pages = files.filter((file) => /^docs\/(?:[\w-]+|console\/README|decisions\/README)\.md$/.test(file));
  assert.deepEqual(
    pages.filter((page) => page !== 'docs/index.md' && !named.includes(page)),
    [],
    'add these pages to docs/.vitepress/config.mjs',
  );
  assert.deepEqual(
    named.filter((page) => !files.includes(page) && !GENERATED.has(page)),
    [],
  );
});
