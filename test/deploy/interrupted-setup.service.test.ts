/** The set-up beside another one and after an interrupted installation, with the real npm and local packages. */
import assert from 'node:assert/strict';
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';

const SCRIPTS = path.join(import.meta.dirname, '..', '..', 'scripts');
const WHOLE = "export const text = 'all of it';\n";

const root = mkdtempSync(path.join(tmpdir(), 'winnow-setup-'));
after(() => rmSync(root, { recursive: true }));

/** A repository with the set-up and one dependency, which replaces the pinned Node too. */
function makeRepository(): void {
  mkdirSync(path.join(root, 'scripts'));
  for (const name of ['setup.mjs', 'check-node-binary.mjs', 'node-binaries.json'])
    copyFileSync(path.join(SCRIPTS, name), path.join(root, 'scripts', name));
  const source = path.join(root, 'source');
  mkdirSync(path.join(source, 'bin'), { recursive: true });
  writeFileSync(
    path.join(source, 'package.json'),
    JSON.stringify({ name: 'node', version: '0.0.0', bin: { node: 'bin/node' } }),
  );
  writeFileSync(path.join(source, 'bin', 'node'), '#!/bin/sh\n');
  writeFileSync(path.join(source, 'index.js'), WHOLE);
  execFileSync('npm', ['pack', '--pack-destination', root, '--loglevel=error', source]);
  const manifest = { name: 'root', version: '0.0.0', dependencies: { node: 'file:node-0.0.0.tgz' } };
  writeFileSync(path.join(root, 'package.json'), JSON.stringify(manifest));
  execFileSync('npm', ['install', '--package-lock-only', '--no-audit', '--loglevel=error'], { cwd: root });
}

function setUp(): string {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/setup.mjs', '--only-dependencies'], {
    cwd: root,
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
  return stderr;
}

const modules = path.join(root, 'node_modules');
const file = path.join(modules, 'node', 'index.js');
const lock = path.join(root, '.set-up');

before(makeRepository);

test('of two set-ups at once only one installs', async () => {
  const both = ['first', 'second'].map(async () => {
    const options = ['scripts/setup.mjs', '--only-dependencies'];
    return (await promisify(execFile)(process.execPath, options, { cwd: root })).stderr;
  });
  const [installed = '', other = ''] = (await Promise.all(both)).toSorted();
  assert.match(installed, /^set-up: 1\/1 packages … 1, \d+ MB, \d+ s$/m);
  assert.doesNotMatch(other, /packages …/);
  assert.equal(readFileSync(file, 'utf8'), WHOLE);
  assert.ok(!existsSync(lock));
});

test('the set-up repeats an interrupted installation', () => {
  const mark = path.join(modules, '.installing');
  setUp();
  assert.ok(!existsSync(mark));
  writeFileSync(file, WHOLE.slice(0, 9));
  rmSync(path.join(modules, '.package-lock.json'), { force: true });
  writeFileSync(mark, '');
  writeFileSync(lock, String(spawnSync('true').pid));
  assert.match(setUp(), /^set-up: 1\/1 packages … 1, \d+ MB, again: an earlier installation was interrupted, \d+ s$/m);
  assert.equal(readFileSync(file, 'utf8'), WHOLE);
  assert.ok(!existsSync(mark) && !existsSync(lock));
});
