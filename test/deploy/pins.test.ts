import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';

const ROOT = path.join(import.meta.dirname, '..', '..');
const FILES = ['.github/workflows', 'Dockerfile', 'compose.yaml', 'deploy/compose.yaml'];
const SHA = '0123456789abcdef0123456789abcdef01234567';
const DIGEST = `sha256:${'ab'.repeat(32)}`;

/** Programs that answer as git and docker do. */
const PROGRAMS = {
  git: `printf '%s\\t%s\\n' ${'f'.repeat(40)} "$3" ${SHA} "$4"`,
  docker: `echo ${DIGEST}`,
};

// Checks: threat-supply-chain
test('actions and images without SHA or digest are named, and pinned by one command', async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'winnow-pins-'));
  t.after(() => rm(folder, { recursive: true }));
  for (const name of FILES) await cp(path.join(ROOT, name), path.join(folder, name), { recursive: true });
  // Whatever this repository pins already.
  for (const [name, unpinned] of [
    [
      '.github/workflows/added.yml',
      'jobs:\n  a:\n    container: node:24\n    steps:\n      - uses: a/b/c@v4\n      - uses: ./own\n',
    ],
    ['Dockerfile', 'FROM node:24-bookworm-slim AS console\nFROM node:24-bookworm-slim\n'],
  ] as const)
    await writeFile(path.join(folder, name), unpinned);
  const bin = path.join(folder, 'bin');
  await mkdir(bin);
  for (const [name, script] of Object.entries(PROGRAMS))
    await writeFile(path.join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const run = (...args: readonly string[]) =>
    spawnSync(process.execPath, [path.join(ROOT, 'scripts/check-pins.mjs'), ...args, folder], {
      encoding: 'utf8',
      env: { PATH: `${bin}:/bin:/usr/bin` },
    });

  const before = run();
  assert.equal(before.status, 1);
  for (const line of ['added.yml:3: node:24', 'added.yml:5: a/b/c@v4', 'Dockerfile:1: node:24-bookworm-slim'])
    assert.ok(before.stderr.includes(line), before.stderr);
  assert.ok(!before.stderr.includes('./own'));

  assert.equal(run('--write').status, 0);
  const after = run();
  assert.deepEqual([after.status, after.stderr], [0, '']);
  assert.equal(
    await readFile(path.join(folder, 'Dockerfile'), 'utf8'),
    `FROM node:24-bookworm-slim@${DIGEST} AS console\nFROM node:24-bookworm-slim@${DIGEST}\n`,
  );
  // The commit of an annotated tag, not the tag's own object.
  assert.match(
    await readFile(path.join(folder, FILES[0] ?? '', 'added.yml'), 'utf8'),
    new RegExp(`uses: a/b/c@${SHA} # v4`),
  );
});

// Checks: threat-supply-chain
test('a release needs pinned actions and images, and publishes packages without a stored token', async () => {
  const text = await readFile(path.join(ROOT, '.github/workflows/release.yml'), 'utf8');
  const { jobs } = parse(text) as {
    jobs: Record<string, { needs?: string; permissions?: Record<string, string>; steps: { run?: string }[] }>;
  };
  assert.ok(jobs['pins']?.steps.some(({ run }) => run === 'node scripts/check-pins.mjs'));
  for (const [name, { needs }] of Object.entries(jobs))
    if (name !== 'pins') assert.equal(needs, name === 'test' ? 'pins' : 'test', name);
  assert.equal(jobs['packages']?.permissions?.['id-token'], 'write');
  assert.doesNotMatch(text, /NPM_TOKEN|NODE_AUTH_TOKEN/);
});
