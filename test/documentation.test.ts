import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { REPOSITORY_PAGES, resolveInSite } from '../docs/site/repository-pages.mjs';
import { describeConfig } from '../scripts/describe-settings.ts';
import { findTagged, readRules, readTaggedTests } from '../scripts/tested-rules.ts';

const ROOT = path.join(import.meta.dirname, '..');
const files = execFileSync('git', ['ls-files', '--', '*.md'], { cwd: ROOT, encoding: 'utf8' }).trim().split('\n');
/** Generated when the site is built. */
const GENERATED = new Set(['api', 'tested-rules', ...Object.values(REPOSITORY_PAGES)].map((page) => `docs/${page}.md`));

test('docs/configuration.md contains the tables of the code, a group of settings each', () => {
  const text = readFileSync(path.join(ROOT, 'docs/configuration.md'), 'utf8');
  const write = 'write it with `node scripts/write-docs.mjs`';
  const cells = (markdown: string): string[] =>
    markdown
      .split('\n')
      .filter((line) => /^(?:## |\| *[^- ])/.test(line))
      .map((line) => line.replace(/ +/g, ' '));
  assert.deepEqual(cells(text), cells(describeConfig()), write);
  assert.deepEqual(
    cells(text).filter((line) => line.startsWith('## ')),
    ['## You will set', '## You may tune', '## Leave alone'],
  );
});

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

test('the site has every file that its pages link to', () => {
  const missing = files.flatMap((file) => {
    if (!file.startsWith('docs/')) return [];
    const links = readFileSync(path.join(ROOT, file), 'utf8').matchAll(/\]\((?![a-z]+:|#)([^)\s]+)\)/g);
    return [...links]
      .map((match) => match[1] ?? '')
      .filter((link) => resolveInSite(link, file) === undefined)
      .map((link) => `${file} → ${link}`);
  });
  assert.deepEqual(missing, []);
});

test('every link to a section of the documentation leads to a heading', () => {
  const broken = files.flatMap((file) => {
    const text = readFileSync(path.join(ROOT, file), 'utf8').replaceAll(/^```.*?^```/gms, '');
    const links = [...text.matchAll(/\]\((?![a-z]+:)([^)\s#]*)#([^)\s]+)\)/gi)];
    return links.flatMap(([, to = '', section = '']) => {
      const target = to === '' ? file : path.join(path.dirname(file), to);
      return readAnchors(target).includes(section) ? [] : [`${file} → ${target}#${section}`];
    });
  });
  assert.deepEqual(broken, []);
});

/** The anchors that Markdown renderers give to the headings of a page. */
function readAnchors(file: string): string[] {
  const headings = readFileSync(path.join(ROOT, file), 'utf8').matchAll(/^#+ (.+)$/gm);
  return [...headings].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

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

const rules = readRules();
const tagged = readTaggedTests();

test('every threat and every rule of the interface has a test', () => {
  assert.ok(rules.filter(({ id }) => id.startsWith('threat-')).length > 80);
  assert.ok(rules.filter(({ id }) => id.startsWith('interface-')).length > 50);
  const checked = new Set(tagged.flatMap((one) => one.rules));
  assert.deepEqual(
    rules.map(({ id }) => id).filter((id) => !checked.has(id)),
    [],
  );
});

test('every rule that a test names is defined once', () => {
  const ids = rules.map(({ id }) => id);
  assert.deepEqual(
    ids.filter((id, index) => ids.indexOf(id) !== index),
    [],
  );
  const unknown = tagged.filter((one) => one.rules.some((rule) => !ids.includes(rule)));
  assert.deepEqual(unknown, []);
});

test('every name of a threat or rule in the pages is a definition', () => {
  for (const page of ['docs/threat-model.md', 'docs/interface-map.md']) {
    const text = readFileSync(path.join(ROOT, page), 'utf8');
    const named = [...text.matchAll(/`(?:node [^`]* )?((?:threat|interface)-[^`]+)`/g)].map((match) => match[1] ?? '');
    for (const name of named)
      assert.ok(
        rules.some(({ id }) => id === name),
        `${page}: ${name}`,
      );
  }
});

test('every test of the interface names a rule', () => {
  const tests = globSync('test/interface/*.test.ts', { cwd: ROOT }).flatMap((file) => {
    const lines = readFileSync(path.join(ROOT, file), 'utf8').split('\n');
    return lines.flatMap((line, index) => (/^\s*test\(/.test(line) ? [`${file}:${index + 1}`] : []));
  });
  const named = new Set(tagged.map(({ file, line }) => `${file}:${line}`));
  assert.ok(tests.length > 100);
  assert.deepEqual(
    tests.filter((place) => !named.has(place)),
    [],
  );
});

test('a comment names the rules of the next test, and one without a test is refused', () => {
  const text = "// Checks: threat-a, threat-b\n// Checks: threat-c\n  test(\n    'it\\'s one',\n\ntest('two', () => {";
  assert.deepEqual(findTagged('a.test.ts', text), [
    { file: 'a.test.ts', line: 3, title: "it's one", rules: ['threat-a', 'threat-b', 'threat-c'] },
  ]);
  assert.throws(() => findTagged('a.test.ts', '// Checks: threat-a\n'), /a\.test\.ts: no test follows/);
});
