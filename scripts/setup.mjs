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
const QUIET = process.argv.includes('--quiet');
/** Contains the process id of an installation that has not succeeded yet. */
const INSTALLING = join(ROOT, 'node_modules', '.installing');

/** Debian packages that only tests need; one of the files, or programs on the PATH, exists if the package is installed. */
const TEST_PACKAGES = [
  ['nginx-light', '/usr/sbin/nginx'],
  ['postgresql', '/usr/bin/pg_ctlcluster', 'initdb'],
  ['curl', 'curl'],
  ['bsdutils', 'script'],
  ['iproute2', '/usr/sbin/ip', 'ip'],
  ['python3', 'python3'],
];

installDependencies();
checkNode();
if (!process.argv.includes('--only-dependencies')) {
  installChromium();
  if (process.argv.includes('--for-tests')) installTestServers();
  buildConsole();
}

function installDependencies() {
  const isInterrupted = wasInterrupted();
  if (!isInterrupted && dependenciesMatchLock()) return;
  if (!isWritable(ROOT)) {
    process.stderr.write(
      `set-up: dependencies are missing and ${ROOT} is read-only: run npm start once where it is writable\n`,
    );
    process.exit(1);
  }
  if (isInterrupted) removeDependencies();
  say(`installing dependencies (npm install)${isInterrupted ? ' again: an earlier installation was interrupted' : ''}`);
  mkdirSync(dirname(INSTALLING), { recursive: true });
  writeFileSync(INSTALLING, String(process.pid));
  // Not `npm ci`: it refuses a lock file that lacks a platform's optional package, and a registry that
  // mirrors only some platforms writes such lock files. --no-save leaves the lock file as it is.
  const options = ['--no-save', '--no-audit', '--no-fund', '--loglevel=error'];
  run('npm', ['install', ...options], { fatal: 'npm install failed, see above' });
  rmSync(INSTALLING, { force: true });
}

function wasInterrupted() {
  if (!existsSync(INSTALLING)) return false;
  try {
    // Signal 0 only asks whether the process exists.
    process.kill(Number(readFileSync(INSTALLING, 'utf8')), 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
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
  installPackages(['chromium-headless-shell']);
  if (!candidates.some(isExecutable)) say(hint);
}

function installTestServers() {
  const findMissing = () =>
    TEST_PACKAGES.filter(([, ...files]) => !files.some((file) => isExecutable(file) || onPath(file))).map(
      ([name]) => name,
    );
  const missing = findMissing();
  if (missing.length > 0) installPackages(missing);
  const absent = findMissing();
  if (absent.length > 0) say(`${absent.join(', ')} missing: the tests that need it are skipped`);
}

/** Installs Debian packages if this user is root, without starting their servers. */
function installPackages(names) {
  if (process.getuid?.() !== 0 || !onPath('apt-get')) return;
  say(`installing ${names.join(', ')} (apt-get)`);
  const environment = { DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1', SYSTEMD_OFFLINE: '1' };
  run('apt-get', ['update', '-qq'], { environment });
  run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...names], { environment });
}

function buildConsole() {
  const folder = join(ROOT, 'packages', 'console');
  if (!existsSync(join(folder, 'vite.config.ts'))) return;
  const stamp = join(folder, 'dist', '.sources');
  const sources = hashFolders(['console', 'client', 'contract'].map((name) => join(ROOT, 'packages', name)));
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === sources) return;
  if (!isWritable(folder)) {
    const state = existsSync(stamp) ? 'out of date' : 'missing';
    process.stderr.write(`set-up: the built console is ${state}; it cannot be built since ${ROOT} is read-only\n`);
    return;
  }
  say('building the console (vite build)');
  run(join(BIN, 'vite'), ['build', '--logLevel', 'warn'], {
    cwd: folder,
    fatal: 'the console build failed, see above',
  });
  writeFileSync(stamp, sources);
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

/** Runs a command with the pinned Node first in PATH; its output goes to standard error. */
function run(command, args, { cwd = ROOT, environment = {}, fatal } = {}) {
  const path = `${BIN}${delimiter}${process.env.PATH ?? ''}`;
  const env = { ...process.env, ...environment, PATH: path };
  const { status, error } = spawnSync(command, args, { cwd, env, stdio: ['ignore', 2, 2] });
  if (status === 0) return;
  say(`${command} ${args[0]} ended with ${error?.message ?? `status ${status}`}`);
  if (fatal === undefined) return;
  process.stderr.write(`set-up: ${fatal}\n`);
  process.exit(1);
}

function say(text) {
  if (!QUIET || text.startsWith('installing') || text.startsWith('building')) process.stderr.write(`set-up: ${text}\n`);
}
