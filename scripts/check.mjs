/**
 * Runs every check of the repository: types, lint, format, imports and dead code in parallel, then the tests of
 * all layers except `long`. Continues after a failed check; the exit code is 1 when any failed.
 *
 * `node scripts/check.mjs lint types` runs only these checks; the layers of the tests are names too, including `long`.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeGroups } from './test-groups.mjs';
import { findTests, LAYERS } from './test-layers.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const BIN = join(ROOT, 'node_modules', '.bin');
/**
 * TypeScript 7 takes a third of the time of TypeScript 6, which stays for tools that use the compiler as a library.
 * Both packages offer a program `tsc`, so the file is named.
 */
const TSC = join(ROOT, 'node_modules', 'typescript-native', 'bin', 'tsc');
/** Slowest first. */
const PROJECTS = ['packages/server', '.', 'packages/console', 'packages/client', 'packages/contract'];
// Files wait for disks, browsers and leases two fifths of their time, so three more processes than cores run. Long files
// start clusters of processes and expect answers in seconds, so only one more. The groups limit the time of each file.
const MORE_THAN_CORES = { tests: 3, long: 1 };
const TEST_OPTIONS = [
  '--test-timeout=1800000',
  '--test-reporter=spec',
  '--test-reporter-destination=stdout',
  `--test-reporter=${join(ROOT, 'scripts', 'report-test-files.mjs')}`,
  '--test-reporter-destination=stdout',
  '--disable-warning=ExperimentalWarning',
];

/** Tests start some hundred processes of the same modules, which are compiled once. */
const ENVIRONMENT = { ...process.env, NODE_COMPILE_CACHE: join(ROOT, 'node_modules', '.cache', 'node') };

/** Checks that run by default. */
const EVERY_TIME = ['types', 'lint', 'format', 'imports', 'dead-code', 'tests'];

/** @typedef {{ name: string, command: string, args: string[] }} Check */

const types = PROJECTS.filter((path) => existsSync(join(ROOT, path, 'tsconfig.json')));

/**
 * Checks the extractor and writes the declarations that the server and the root project check against.
 * @type {Check[]}
 */
const referenced = [{ name: 'types', command: TSC, args: ['--build', 'packages/extract'] }];
/** @type {Check[]} */
const readers = [
  ...types.map((path) => ({ name: 'types', command: TSC, args: ['-p', path, '--incremental', ...buildInfoOf(path)] })),
  { name: 'lint', command: 'oxlint', args: ['--deny-warnings', '.'] },
  { name: 'format', command: 'oxfmt', args: ['--check', '.'] },
  { name: 'imports', command: 'depcruise', args: ['--config', '.dependency-cruiser.mjs', 'packages'] },
  { name: 'imports', command: 'node', args: ['scripts/check-rooms.mjs'] },
  { name: 'dead-code', command: 'knip', args: ['--no-progress'] },
];
/** @param {string} path */
function buildInfoOf(path) {
  return [
    '--tsBuildInfoFile',
    join(ROOT, 'node_modules', '.cache', 'types', `${path.replaceAll(/[^a-z]/g, '-')}.json`),
  ];
}

const groups = writeGroups(ROOT, findTests(ROOT));

/** @type {Check[]} */
const tests = [
  { name: 'tests', layers: ['browser', 'service', 'postgres', 'unit'] },
  ...LAYERS.map(({ name }) => ({ name, layers: [name] })),
].map(({ name, layers: of }) => ({
  name,
  command: 'node',
  args: [
    '--test',
    `--test-concurrency=${availableParallelism() + (name === 'long' ? MORE_THAN_CORES.long : MORE_THAN_CORES.tests)}`,
    ...TEST_OPTIONS,
    ...of.flatMap((layer) => groups.get(layer) ?? []),
  ],
}));

const wanted = process.argv.slice(2);
const known = [...readers, ...tests].map(({ name }) => name);
for (const name of wanted.filter((one) => !known.includes(one))) {
  process.stderr.write(`there is no check ${name}; there are ${[...new Set(known)].join(', ')}\n`);
  process.exit(2);
}
const failed = [
  ...(await run(referenced, 1, 'pipe')),
  ...(await run(readers, availableParallelism(), 'pipe')),
  ...(await run(tests, 1, 'inherit')),
];
if (failed.length > 0) {
  const names = failed.map(({ name, command, args }) =>
    args[0] === '--test' ? name : `${command} ${args.at(-1) ?? ''}`,
  );
  process.stdout.write(`failed: ${names.join(', ')}\n`);
  process.exit(1);
}

/**
 * Runs the requested checks, `atATime` at once, and returns the failed checks.
 * @param {readonly Check[]} checks
 * @param {number} atATime
 * @param {'pipe' | 'inherit'} output `pipe` shows a check's output when it has ended, in one piece
 * @returns {Promise<Check[]>}
 */
async function run(checks, atATime, output) {
  const waiting = checks.filter(({ name }) => (wanted.length === 0 ? EVERY_TIME : wanted).includes(name));
  /** @type {Check[]} */
  const failures = [];
  const work = async () => {
    for (let check = waiting.shift(); check; check = waiting.shift())
      if (!(await passes(check, output))) failures.push(check);
  };
  await Promise.all(Array.from({ length: atATime }, work));
  return failures;
}

/**
 * @param {Check} check
 * @param {'pipe' | 'inherit'} output
 * @returns {Promise<boolean>}
 */
async function passes({ name, command, args }, output) {
  const shown = args[0] === '--test' ? '--test …' : args.join(' ');
  const title = `\n== ${name}: ${command} ${shown}\n`;
  if (output === 'inherit') process.stdout.write(title);
  const started = Date.now();
  const child = spawn(isAbsolute(command) ? command : join(BIN, command), args, {
    cwd: ROOT,
    env: ENVIRONMENT,
    stdio: ['ignore', output, output],
  });
  /** @type {Buffer[]} */
  const text = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => text.push(chunk));
  const outcome = await new Promise((resolve) => {
    child.on('error', (error) => resolve(`failed (${error.message})`));
    child.on('close', (status, signal) =>
      resolve(status === 0 ? 'passed' : `failed (${signal ?? `status ${status}`})`),
    );
  });
  if (output === 'pipe') process.stdout.write(title + Buffer.concat(text).toString('utf8'));
  process.stdout.write(`== ${name}: ${outcome} in ${((Date.now() - started) / 1000).toFixed(1)} s\n`);
  return outcome === 'passed';
}
