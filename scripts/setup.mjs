/**
 * Prepares a clone for the service and the checks: packages, Chromium, the console's build. Each step does only what
 * is missing, so a second run is quick. Plain JavaScript on purpose: it runs on any installed Node (20 or later), before
 * the packages exist. Writes to standard error only.
 *
 * Installs the packages that the service runs with, and those that build the console only while they build it.
 * `--for-tests` installs all packages, and the servers that tests run against. `--only-dependencies` leaves Chromium and
 * the console out; `--quiet` reports only the steps.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkNodeBinary } from './check-node-binary.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const BIN = join(ROOT, 'node_modules', '.bin');
const CONSOLE = join(ROOT, 'packages', 'console');
/** Contains the hash of the sources of the built console. */
const CONSOLE_STAMP = join(CONSOLE, 'dist', '.sources');
const QUIET = process.argv.includes('--quiet');
const FOR_TESTS = process.argv.includes('--for-tests');
const LOG = join(ROOT, 'node_modules', '.set-up.log');
/** Exists while an installation has not succeeded yet. */
const INSTALLING = join(ROOT, 'node_modules', '.installing');
/** Contains the process id of the set-up that changes this clone. */
const LOCK = join(ROOT, '.set-up');
const LOCK_POLL_MS = 200;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** Debian packages that only tests need; one of the files, or programs on the PATH, exists if the package is installed. */
const TEST_PACKAGES = [
  ['nginx-light', '/usr/sbin/nginx'],
  ['postgresql', '/usr/bin/pg_ctlcluster', 'initdb'],
  ['curl', 'curl'],
  ['bsdutils', 'script'],
  ['iproute2', '/usr/sbin/ip', 'ip'],
  ['python3', 'python3'],
  ['python3-markdown', '/usr/lib/python3/dist-packages/markdown/__init__.py'],
  ['python3-markdown2', '/usr/lib/python3/dist-packages/markdown2.py'],
  ['python3-mistune', '/usr/lib/python3/dist-packages/mistune/__init__.py'],
];

// Not `npm ci`: it refuses a lock file that lacks a platform's optional package, and a registry that mirrors only some
// platforms writes such lock files. --no-save leaves the lock file as it is.
const NPM_OPTIONS = ['--no-save', '--no-audit', '--no-fund', '--loglevel=error'];

/** What is missing, in this order. */
const STEPS = [
  { name: 'packages', isNeeded: () => existsSync(INSTALLING) || !packagesMatchLock(), run: installPackages },
  ...(process.argv.includes('--only-dependencies')
    ? []
    : [
        { name: 'Chromium', isNeeded: isChromiumMissing, run: () => installDebian(['chromium-headless-shell']) },
        { name: 'servers', isNeeded: areServersMissing, run: () => installDebian(findMissingServers()) },
        { name: 'console', isNeeded: isConsoleOld, run: buildConsole },
      ]),
].filter(({ isNeeded }) => isNeeded());
for (const [index, step] of STEPS.entries()) {
  if (step.run !== installPackages) checkNode();
  alone(step, `${index + 1}/${STEPS.length} ${step.name}`);
}
checkNode();
if (!process.argv.includes('--only-dependencies')) reportMissing();

/** Does a step if it is still needed. Waits for another set-up of this clone, which may have done it then. */
function alone({ isNeeded, run: work }, title) {
  const hasLock = isWritable(ROOT);
  if (hasLock) takeLock();
  if (isNeeded()) {
    const started = Date.now();
    process.stderr.write(`set-up: ${title} … `);
    const outcome = work();
    const seconds = `${Math.round((Date.now() - started) / 1000)} s`;
    if (outcome !== undefined) process.stderr.write(`${[outcome, seconds].filter(Boolean).join(', ')}\n`);
  }
  if (hasLock) releaseLock();
}

function takeLock() {
  process.once('exit', releaseLock);
  for (let isTold = false; ; isTold = true) {
    try {
      return writeFileSync(LOCK, String(process.pid), { flag: 'wx' });
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    if (isAbandoned(readLock())) rmSync(LOCK, { force: true });
    else if (!isTold) say(`waiting for another set-up of this clone (if none is running, remove ${LOCK})`);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOCK_POLL_MS);
  }
}

function releaseLock() {
  if (readLock() === process.pid) rmSync(LOCK, { force: true });
}

/** Undefined if nobody holds it, or the holder has not written its id yet. */
function readLock() {
  try {
    return Number(readFileSync(LOCK, 'utf8')) || undefined;
  } catch {
    return undefined;
  }
}

function isAbandoned(holder) {
  if (holder === undefined) return false;
  try {
    // Signal 0 only asks whether the process exists.
    process.kill(holder, 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

/** Installs what the service needs, or all packages where tests want them or have had them. */
function installPackages() {
  const isInterrupted = existsSync(INSTALLING);
  if (!isWritable(ROOT)) end(`packages are missing and ${ROOT} is read-only: run npm start once where it is writable`);
  if (isInterrupted) removeDependencies();
  const isWhole = FOR_TESTS || hasPackage('oxlint');
  mkdirSync(dirname(INSTALLING), { recursive: true });
  writeFileSync(INSTALLING, '');
  run('npm', ['install', ...NPM_OPTIONS, ...(isWhole ? [] : ['--omit=dev'])], { fatal: 'npm install failed' });
  rmSync(INSTALLING, { force: true });
  // The program is in `bin`; what is here is a second one, with npm and headers.
  rmSync(join(ROOT, 'node_modules', 'node', 'node_modules'), { recursive: true, force: true });
  const again = isInterrupted ? ', again: an earlier installation was interrupted' : '';
  return `${countPackages()}${again}`;
}

function countPackages() {
  const { packages = {} } = readJson(join(ROOT, 'node_modules', '.package-lock.json')) ?? {};
  const count = Object.keys(packages).filter((path) => path.includes('node_modules/')).length;
  const { stdout } = spawnSync('du', ['-sk', join(ROOT, 'node_modules')], { encoding: 'utf8' });
  const size = Number.parseInt(stdout ?? '', 10);
  return Number.isNaN(size) ? String(count) : `${count}, ${Math.round(size / 1000)} MB`;
}

function hasPackage(name) {
  return existsSync(join(ROOT, 'node_modules', name, 'package.json'));
}

/** npm would keep incomplete packages. */
function removeDependencies() {
  const packages = join(ROOT, 'packages');
  const folders = existsSync(packages) ? readdirSync(packages).map((name) => join(packages, name)) : [];
  for (const folder of [ROOT, ...folders]) rmSync(join(folder, 'node_modules'), { recursive: true, force: true });
}

/**
 * Ends the set-up if the pinned Node has the wrong hash. Checks it once per installation: hashing takes a third of the
 * time of a short command.
 */
function checkNode() {
  const { version } = readJson(join(ROOT, 'node_modules', 'node', 'package.json')) ?? {};
  const platform = `${process.platform}-${process.arch}`;
  const program = join(ROOT, 'node_modules', 'node', 'bin', 'node');
  const { size, mtimeMs, ctimeMs } = statSync(program, { throwIfNoEntry: false }) ?? {};
  const stamp = join(ROOT, 'node_modules', '.checked-node');
  const identity = `${version} ${size} ${mtimeMs} ${ctimeMs}`;
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === identity) return;
  const outcome = checkNodeBinary({ program, version, platform });
  if (outcome === 'unknown') say(`no SHA-256 of Node ${version} for ${platform} is known: the program was not checked`);
  if (outcome !== 'foreign' && isWritable(dirname(stamp))) writeFileSync(stamp, identity);
  if (outcome !== 'foreign') return;
  end(`${program} is not Node ${version}: remove node_modules and run the set-up again`);
}

/** Whether npm's record of the installation has the packages of the lock file that are wanted, at the same versions. */
function packagesMatchLock() {
  const lock = readJson(join(ROOT, 'package-lock.json'));
  const installed = readJson(join(ROOT, 'node_modules', '.package-lock.json'));
  if (lock === undefined || installed === undefined || !existsSync(join(BIN, 'node'))) return false;
  return Object.entries(lock.packages).every(([path, wanted]) => {
    if (path === '' || wanted.link === true || !path.includes('node_modules/')) return true;
    const found = installed.packages[path];
    if (found !== undefined) return found.version === wanted.version;
    const isForTests = wanted.dev === true || wanted.devOptional === true;
    return wanted.optional === true || wanted.peer === true || (isForTests && !FOR_TESTS);
  });
}

function isChromiumMissing() {
  const isNamed = (process.env.WINNOW_CHROMIUM ?? '') !== '';
  return !isNamed && mayInstall() && !listBrowsers().some(isExecutable);
}

function listBrowsers() {
  return readJson(join(ROOT, 'packages/server/src/engines/chromium/browsers/browser-candidates.json'));
}

function areServersMissing() {
  return FOR_TESTS && mayInstall() && findMissingServers().length > 0;
}

function findMissingServers() {
  return TEST_PACKAGES.filter(([, ...files]) => !files.some((file) => existsSync(file) || onPath(file))).map(
    ([name]) => name,
  );
}

/** Whether this user can install Debian packages. */
function mayInstall() {
  return process.getuid?.() === 0 && onPath('apt-get') !== undefined;
}

/** Installs Debian packages without starting their servers. */
function installDebian(names) {
  const environment = { DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1', SYSTEMD_OFFLINE: '1' };
  run('apt-get', ['update', '-qq'], { environment });
  const isDone = run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...names], { environment });
  return isDone ? names.join(', ') : undefined;
}

/** Says what cannot work. */
function reportMissing() {
  const named = process.env.WINNOW_CHROMIUM;
  // Installing Chromium would not help: the service uses only the named executable.
  if (named && named !== 'none' && !isExecutable(named))
    say(`WINNOW_CHROMIUM: ${named} is no executable: only the http engine works`);
  if (!named && !listBrowsers().some(isExecutable))
    say(
      'Chromium is missing: only the http engine works; install chromium-headless-shell or set WINNOW_CHROMIUM (`none` if no browser is wanted)',
    );
  const absent = FOR_TESTS ? findMissingServers() : [];
  if (absent.length > 0) say(`${absent.join(', ')} missing: the tests that need it are skipped`);
}

function isConsoleOld() {
  if (!existsSync(join(CONSOLE, 'vite.config.ts'))) return false;
  return !existsSync(CONSOLE_STAMP) || readFileSync(CONSOLE_STAMP, 'utf8') !== hashConsole();
}

function buildConsole() {
  if (!isWritable(CONSOLE)) {
    const state = existsSync(CONSOLE_STAMP) ? 'out of date' : 'missing';
    process.stderr.write(`the built console is ${state}; it cannot be built since ${ROOT} is read-only\n`);
    return undefined;
  }
  const sources = hashConsole();
  const isBorrowed = !hasPackage('vite');
  if (isBorrowed)
    run('npm', ['install', ...NPM_OPTIONS, '-w', 'packages/console'], { fatal: 'npm install failed for the console' });
  run(join(BIN, 'vite'), ['build', '--logLevel', 'warn'], { cwd: CONSOLE, fatal: 'the console build failed' });
  if (isBorrowed) run('npm', ['prune', '--omit=dev', ...NPM_OPTIONS]);
  writeFileSync(CONSOLE_STAMP, sources);
  return '';
}

function hashConsole() {
  return hashFolders(['console', 'client', 'contract'].map((name) => join(ROOT, 'packages', name)));
}

/** Hashes names and contents of all files below the folders, except build results and dependencies. */
function hashFolders(folders) {
  const hash = createHash('sha256');
  const pending = [...folders, join(ROOT, 'package-lock.json')];
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    if (!statSync(path).isDirectory()) {
      hash.update(path.slice(ROOT.length)).update(readFileSync(path));
      continue;
    }
    const names = readdirSync(path).filter((name) => name !== 'node_modules' && name !== 'dist');
    pending.push(...names.toSorted().map((name) => join(path, name)));
  }
  return hash.digest('hex');
}

function onPath(name) {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function isWritable(path) {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function readJson(path) {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
}

/** Runs a command with the pinned Node first in PATH. Its output is for failures: it is mostly progress. */
function run(command, args, { cwd = ROOT, environment = {}, fatal } = {}) {
  const path = `${BIN}${delimiter}${process.env.PATH ?? ''}`;
  const env = { ...process.env, ...environment, PATH: path };
  const options = { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: MAX_OUTPUT_BYTES };
  const { status, error, stdout, stderr } = spawnSync(command, args, options);
  if (status === 0) return true;
  process.stderr.write('failed\n');
  const output = [stdout, stderr].map((text) => String(text ?? '')).join('');
  process.stderr.write(output);
  say(`${command} ${args[0]} ended with ${error?.message ?? `status ${status}`}${writeLog(output)}`);
  if (fatal !== undefined) end(`${fatal}, see above`);
  return false;
}

function writeLog(output) {
  try {
    writeFileSync(LOG, output);
    return `; its output is in ${LOG}`;
  } catch {
    return '';
  }
}

function end(text) {
  process.stderr.write(`set-up: ${text}\n`);
  process.exit(1);
}

function say(text) {
  if (!QUIET || /ended with|waiting/.test(text)) process.stderr.write(`set-up: ${text}\n`);
}
