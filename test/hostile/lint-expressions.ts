/** Lints the running time of regular expressions. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const ROOT = path.join(import.meta.dirname, '../..');

/** Modules of the packages. */
export const SOURCES: readonly string[] = globSync('packages/*/src/**/*.ts', { cwd: ROOT }).filter(
  (file) => !file.endsWith('.test.ts'),
);
/** Modules that construct regular expressions, which the linter cannot always read. */
const BUILDERS = SOURCES.filter((file) => readFileSync(path.join(ROOT, file), 'utf8').includes('new RegExp('));

/** Selects the messages about running time: `no-dupe-disjunctions` also reports harmless alternatives. */
const COMPLAINT = /regexp\(no-super-linear|exponential/;
const { rules } = JSON.parse(readFileSync(path.join(ROOT, '.oxlintrc.json'), 'utf8')) as {
  rules: Record<string, unknown>;
};
type Rules = Readonly<Record<string, unknown>>;

/** Finds quadratic time. */
export const QUADRATIC: Rules = Object.fromEntries(
  Object.entries(rules).filter(([name]) => name.startsWith('regexp/')),
);

/** Finds exponential time. It takes half a minute for the long expressions that modules construct. */
export const EXPONENTIAL: Rules = {
  'regexp/no-dupe-disjunctions': ['error', { reportExponentialBacktracking: 'potential' }],
};

/** Returns the messages about running time for files and for sources of single expressions. */
export function lint(wanted: Rules, files: readonly string[], expressions: readonly string[]): string[] {
  const folder = mkdtempSync(path.join(tmpdir(), 'winnow-regular-expressions-'));
  try {
    const config = path.join(folder, 'config.json');
    const file = path.join(folder, 'expressions.ts');
    const plugin = path.join(ROOT, 'node_modules/eslint-plugin-regexp');
    writeFileSync(config, JSON.stringify({ jsPlugins: [plugin], categories: { correctness: 'off' }, rules: wanted }));
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

/** Imports the modules that construct regular expressions, and returns every expression. */
export async function collectConstructed(): Promise<string[]> {
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
    // Other tests of this process may have imported them: the query makes them run once more.
    for (const file of BUILDERS) await import(`${pathToFileURL(path.join(ROOT, file)).href}?constructed`);
  } finally {
    globalThis.RegExp = original;
  }
  assert.ok(built.size >= 10, `only ${built.size} constructed expressions were found`);
  return [...built];
}
