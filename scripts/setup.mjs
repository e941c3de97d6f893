/**
 * Prepares a clone for the service and the checks: dependencies, Chromium, the console's build. Each step does only what
 * is missing, so a second run is quick. Plain JavaScript on purpose: it runs on any installed Node (20 or later), before
 * the dependencies exist. Writes to standard error only.
 *
 * `--only-dependencies` leaves Chromium and the console out, `--for-tests` adds the servers that tests run against;
 * `--quiet` reports only slow steps.
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

alone(() => existsSync(INSTALLING) || !dependenciesMatchLock(), installDependencies);
checkNode();
if (!process.argv.includes('--only-dependencies')) {
  installChromium();
  if (process.argv.includes('--for-tests')) installTestServers();
  alone(isConsoleOld, buildConsole);
}

/** Does a step if it is needed. Waits for another set-up of this clone, which may have done it then. */
function alone(isNeeded, step) {
  if (!isNeeded()) return;
  const hasLock = isWritable(ROOT);
  if (hasLock) takeLock();
  if (isNeeded()) step();
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

function installDependencies() {
  const isInterrupted = existsSync(INSTALLING);
  if (!isWritable(ROOT)) {
    process.stderr.write(
      `set-up: dependencies are missing and ${ROOT} is read-only: run npm start once where it is writable\n`,
    );
    process.exit(1);
  }
  if (isInterrupted) removeDependencies();
  say(`installing dependencies (npm install)${isInterrupted ? ' again: an earlier installation was interrupted' : ''}`);
  mkdirSync(dirname(INSTALLING), { recursive: true });
  writeFileSync(INSTALLING, '');
  // Not `npm ci`: it refuses a lock file that lacks a platform's optional package, and a registry that
  // mirrors only some platforms writes such lock files. --no-save leaves the lock file as it is.
  const options = ['--no-save', '--no-audit', '--no-fund', '--loglevel=error'];
  run('npm', ['install', ...options], { fatal: 'npm install failed, see above' });
  rmSync(INSTALLING, { force: true });
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
  if (outcome === 'sound' && isWritable(dirname(stamp))) writeFileSync(stamp, identity);
  if (outcome !== 'foreign') return;
  process.stderr.write(`set-up: ${program} is not Node ${version}: remove node_modules and run the set-up again\n`);
  process.exit(1);
}

/** Whether npm's record of the installation has every package of the lock file at the same version. */
function dependenciesMatchLock() {
  const lock = readJson(join(ROOT, 'package-lock.json'));
  const installed = readJson(join(ROOT, 'node_modules', '.package-lock.json'));
  if (lock === undefined || installed === undefined || !existsSync(join(BIN, 'node'))) return false;
  return Object.entries(lock.packages).every(([path, wanted]) => {
    if (path === '' || wanted.link === true || !path.includes('node_modules/')) return true;
    const found = installed.packages[path];
    return found === undefined ? wanted.optional === true || wanted.peer === true : found.version === wanted.version;
  });
}

function installChromium() {
  const named = process.env.WINNOW_CHROMIUM;
  if (named === 'none') return;
  if (named) {
    // Installing Chromium would not help: the service uses only the named executable.
    if (!isExecutable(named)) say(`WINNOW_CHROMIUM: ${named} is no executable: only the http engine works`);
    return;
  }
  const candidates = readJson(join(ROOT, 'packages/server/src/engines/chromium/browsers/browser-candidates.json'));
  if (candidates.some(isExecutable)) return;
  const hint =
    'Chromium is missing: only the http engine works; install chromium-headless-shell or set WINNOW_CHROMIUM (`none` if no browser is wanted)';
  installPackages(() => (candidates.some(isExecutable) ? [] : ['chromium-headless-shell']));
  if (!candidates.some(isExecutable)) say(hint);
}

function installTestServers() {
  const findMissing = () =>
    TEST_PACKAGES.filter(([, ...files]) => !files.some((file) => existsSync(file) || onPath(file))).map(
      ([name]) => name,
    );
  installPackages(findMissing);
  const absent = findMissing();
  if (absent.length > 0) say(`${absent.join(', ')} missing: the tests that need it are skipped`);
}

/** Installs missing Debian packages if this user is root, without starting their servers. */
function installPackages(findMissing) {
  if (process.getuid?.() !== 0 || !onPath('apt-get')) return;
  alone(
    () => findMissing().length > 0,
    () => {
      const names = findMissing();
      say(`installing ${names.join(', ')} (apt-get)`);
      const environment = { DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1', SYSTEMD_OFFLINE: '1' };
      run('apt-get', ['update', '-qq'], { environment });
      run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...names], { environment });
    },
  );
}

function isConsoleOld() {
  if (!existsSync(join(CONSOLE, 'vite.config.ts'))) return false;
  return !existsSync(CONSOLE_STAMP) || readFileSync(CONSOLE_STAMP, 'utf8') !== hashConsole();
}

function buildConsole() {
  if (!isWritable(CONSOLE)) {
    const state = existsSync(CONSOLE_STAMP) ? 'out of date' : 'missing';
    process.stderr.write(`set-up: the built console is ${state}; it cannot be built since ${ROOT} is read-only\n`);
    return;
  }
  say('building the console (vite build)');
  const sources = hashConsole();
  run(join(BIN, 'vite'), ['build', '--logLevel', 'warn'], {
    cwd: CONSOLE,
    fatal: 'the console build failed, see above',
  });
  writeFileSync(CONSOLE_STAMP, sources);
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
  const started = Date.now();
  const options = { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: MAX_OUTPUT_BYTES };
  const { status, error, stdout, stderr } = spawnSync(command, args, options);
  if (status === 0)
    return say(`${command.split('/').at(-1)} ${args[0]} took ${Math.round((Date.now() - started) / 1000)} s`);
  for (const output of [stdout, stderr]) if (output) process.stderr.write(output);
  say(`${command} ${args[0]} ended with ${error?.message ?? `status ${status}`}`);
  if (fatal === undefined) return;
  process.stderr.write(`set-up: ${fatal}\n`);
  process.exit(1);
}

function say(text) {
  if (!QUIET || /^(?:installing|building|waiting)/.test(text)) process.stderr.write(`set-up: ${text}\n`);
}
