/**
 * Runs every check of the repository, one after the other: types, lint, format, import rules, dead
 * code, tests. A failed check does not hide those after it; the exit code is 1 when any failed.
 *
 * `node scripts/check.mjs lint types` runs only the named ones.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const BIN = join(ROOT, 'node_modules', '.bin');
const PROJECTS = [
  'packages/contract',
  'packages/extract',
  'packages/client',
  'packages/server',
  'packages/console',
  '.',
];
const TESTS = [
  'packages/*/src/**/*.test.ts',
  'packages/*/test/**/*.test.ts',
  'test/**/*.test.ts',
  'bench/**/*.test.ts',
];
// One test file may take minutes when both cores are busy; none may hang the run.
const TEST_OPTIONS = [
  '--test-concurrency=2',
  '--test-timeout=240000',
  '--test-reporter=spec',
  '--disable-warning=ExperimentalWarning',
];

const types = PROJECTS.filter((path) => existsSync(join(ROOT, path, 'tsconfig.json')));

const checks = [
  ...types.map((path) => ({ name: 'types', command: 'tsc', args: ['-p', path] })),
  { name: 'lint', command: 'oxlint', args: ['--deny-warnings', '.'] },
  { name: 'format', command: 'oxfmt', args: ['--check', '.'] },
  { name: 'imports', command: 'depcruise', args: ['--config', '.dependency-cruiser.mjs', 'packages'] },
  { name: 'dead-code', command: 'knip', args: ['--no-progress'] },
  { name: 'tests', command: 'node', args: ['--test', ...TEST_OPTIONS, ...TESTS] },
];

const wanted = process.argv.slice(2);
const failed = checks
  .filter(({ name }) => wanted.length === 0 || wanted.includes(name))
  .filter((check) => !passes(check));
if (failed.length > 0) {
  const names = failed.map(({ command, args }) => `${command} ${args.at(-1) ?? ''}`);
  process.stdout.write(`failed: ${names.join(', ')}\n`);
  process.exit(1);
}

/**
 * @param {{ name: string, command: string, args: string[] }} check
 * @returns {boolean}
 */
function passes({ name, command, args }) {
  process.stdout.write(`\n== ${name}: ${command} ${args.join(' ')}\n`);
  const started = Date.now();
  const { status, signal } = spawnSync(join(BIN, command), args, { cwd: ROOT, stdio: ['ignore', 1, 2] });
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  const outcome = status === 0 ? 'passed' : `failed (${signal ?? `status ${status}`})`;
  process.stdout.write(`== ${name}: ${outcome} in ${seconds} s\n`);
  return status === 0;
}
