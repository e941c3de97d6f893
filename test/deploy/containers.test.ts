import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { DCLinter } from 'dclint';
import { validate } from 'dockerfile-utils';

const ROOT = path.join(import.meta.dirname, '..', '..');

describe('container files', () => {
  test('the Dockerfile passes the linter', async () => {
    const dockerfile = await readFile(path.join(ROOT, 'Dockerfile'), 'utf8');
    assert.deepEqual(validate(dockerfile), []);
    assert.equal(validate(`${dockerfile}\nEXPOSE many\n`).length, 1, 'the linter sees a fault');
  });

  test('the compose file passes the linter', () => {
    const linter = new DCLinter({ rules: {}, quiet: false, debug: false, exclude: [] });
    const results = linter.lintFiles([path.join(ROOT, 'compose.yaml')], false);
    assert.deepEqual(
      results.flatMap(({ messages }: { messages: unknown[] }) => messages),
      [],
    );
  });

  test('the image runs the command of the README, without root', async () => {
    const [dockerfile, readme] = await Promise.all(
      ['Dockerfile', 'README.md'].map((name) => readFile(path.join(ROOT, name), 'utf8')),
    );
    assert.match(dockerfile ?? '', /^CMD \["npm", "start"\]$/m);
    assert.match(dockerfile ?? '', /^USER node$/m);
    assert.match(readme ?? '', /npm start/);
  });
});
