import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { checkNodeBinary } from '../../scripts/check-node-binary.mjs';
import { BROWSER_CANDIDATES } from '../../packages/server/src/engines/chromium/browsers/browser-flags.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');

/** Returns the output of a set-up whose PATH has almost nothing, not even a package manager. */
function setUp(environment: Record<string, string>, ...options: readonly string[]): string {
  const { status, stderr } = spawnSync(process.execPath, [path.join(ROOT, 'scripts', 'setup.mjs'), ...options], {
    env: { PATH: path.join(ROOT, 'node_modules', '.bin'), ...environment },
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
  return stderr;
}

test('the set-up reports Chromium as missing exactly when the service would not find it', () => {
  const isThere = BROWSER_CANDIDATES.some((file) => existsSync(file));
  assert.equal(/Chromium is missing/.test(setUp({})), !isThere);
});

test('the set-up installs no browser for a deployment without one', () => {
  assert.doesNotMatch(setUp({ WINNOW_CHROMIUM: 'none' }), /Chromium|installing/);
});

test('the set-up names a WINNOW_CHROMIUM that cannot be run, and installs none in its place', () => {
  const output = setUp({ WINNOW_CHROMIUM: '/nowhere/chromium' });
  assert.match(output, /^set-up: WINNOW_CHROMIUM: \/nowhere\/chromium is no executable: only the http engine works$/m);
  assert.doesNotMatch(output, /Chromium is missing|installing/);
});

test('the set-up names missing requirements of the tests, and only before tests', () => {
  // curl is looked up only on the PATH.
  assert.match(
    setUp({}, '--for-tests'),
    /^set-up: (?:[a-z0-9-]+, )*curl\b.* missing: the tests that need it are skipped$/m,
  );
  assert.doesNotMatch(setUp({}), /curl/);
});

// Checks: threat-supply-chain
test('the pinned Node must have its known SHA-256', (t) => {
  const folder = path.join(ROOT, 'node_modules', 'node');
  const { version } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as { version: string };
  const known = JSON.parse(readFileSync(path.join(ROOT, 'scripts', 'node-binaries.json'), 'utf8')) as object;
  assert(version in known, 'a new version needs its hashes in scripts/node-binaries.json');
  const platform = `${process.platform}-${process.arch}`;
  assert.notEqual(checkNodeBinary({ program: path.join(folder, 'bin', 'node'), version, platform }), 'foreign');
  const other = path.join(mkdtempSync(path.join(tmpdir(), 'winnow-node-')), 'node');
  t.after(() => rmSync(path.dirname(other), { recursive: true }));
  writeFileSync(other, 'another program');
  assert.equal(checkNodeBinary({ program: other, version, platform: 'linux-x64' }), 'foreign');
  assert.equal(checkNodeBinary({ program: other, version, platform: 'none' }), 'unknown');
});

test('what the service depends on is in the lock file no development package, which npm start leaves out', () => {
  const lock = JSON.parse(readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean; dependencies?: object }>;
  };
  for (const folder of ['', 'packages/contract', 'packages/extract', 'packages/server']) {
    const names = Object.keys(lock.packages[folder]?.dependencies ?? {});
    assert.ok(names.length > 0, folder);
    for (const name of names) {
      const found = lock.packages[`${folder}/node_modules/${name}`] ?? lock.packages[`node_modules/${name}`];
      assert.ok(found !== undefined && found.dev !== true, `${folder}: ${name}`);
    }
  }
});
