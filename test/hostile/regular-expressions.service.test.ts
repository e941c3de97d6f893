import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

const ROOT = path.join(import.meta.dirname, '../..');

/** Modules of the packages. */
const SOURCES = globSync('packages/*/src/**/*.ts', { cwd: ROOT }).filter((file) => !file.endsWith('.test.ts'));
/** Modules that build regular expressions from parts, which the linter cannot always read. */
const BUILDERS = SOURCES.filter((file) => readFileSync(path.join(ROOT, file), 'utf8').includes('new RegExp('));

/** Alternatives that overlap inside a repetition are found by a rule that also reports harmless ones. */
const COMPLAINT = /regexp\(no-super-linear|exponential/;
const { rules } = JSON.parse(readFileSync(path.join(ROOT, '.oxlintrc.json'), 'utf8')) as {
  rules: Record<string, unknown>;
};
const CONFIG = {
  jsPlugins: [path.join(ROOT, 'node_modules/eslint-plugin-regexp')],
  categories: { correctness: 'off' },
  rules: {
    ...Object.fromEntries(Object.entries(rules).filter(([name]) => name.startsWith('regexp/'))),
    'regexp/no-dupe-disjunctions': ['error', { reportExponentialBacktracking: 'potential' }],
  },
};

/** The linter's complaints about the running time of regular expressions, in files and in sources of single ones. */
function lint(files: readonly string[], expressions: readonly string[]): string[] {
  const folder = mkdtempSync(path.join(tmpdir(), 'winnow-regular-expressions-'));
  try {
    const config = path.join(folder, 'config.json');
    const file = path.join(folder, 'expressions.ts');
    writeFileSync(config, JSON.stringify(CONFIG));
    // The linter judges an expression by its use.
    writeFileSync(file, expressions.map((source) => `${source}.exec(String(process.argv));\n`).join(''));
    const { stdout, status } = spawnSync(
      path.join(ROOT, 'node_modules/.bin/oxlint'),
      ['--config', config, '--format', 'unix', file, ...files],
      { cwd: ROOT, encoding: 'utf8', maxBuffer: 64 * 2 ** 20 },
    );
    assert.ok(status === 0 || status === 1, stdout);
    return stdout.split('\n').filter((line) => COMPLAINT.test(line));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Imports the modules and returns every regular expression that they construct while they load. */
async function collectConstructed(files: readonly string[]): Promise<string[]> {
  const built = new Set<string>();
  const original = globalThis.RegExp;
  globalThis.RegExp = new Proxy(original, {
    construct(target, args, newTarget) {
      const expression = Reflect.construct(target, args, newTarget) as RegExp;
      built.add(String(expression));
      return expression;
    },
  });
  try {
    for (const file of files) await import(pathToFileURL(path.join(ROOT, file)).href);
  } finally {
    globalThis.RegExp = original;
  }
  return [...built];
}

test('the linter finds exponential and quadratic regular expressions', () => {
  const complaints = lint(
    [],
    [
      String.raw`/^(?:,?\s+(?:m\.?d|md)\.?)+(?=$|,)/`,
      String.raw`/\s+$/`,
      String.raw`/^(?:\w+\s?)+$/`,
      String.raw`/^\s*(\d{1,6})\s*(?:px)?\s*$/`,
      String.raw`/(?<!\s)\s+$/`,
    ],
  );
  const lines = complaints.map((line) => /expressions\.ts:(\d+)/.exec(line)?.[1]);
  assert.deepEqual(new Set(lines), new Set(['1', '2', '3', '4']));
});

test('regular expressions of the packages take linear time', async () => {
  const expressions = await collectConstructed(BUILDERS);
  assert.ok(expressions.length >= 10, `only ${expressions.length} constructed ones were found`);
  assert.deepEqual(lint(SOURCES, expressions), []);
});
