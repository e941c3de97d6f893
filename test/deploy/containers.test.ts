import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { DCLinter } from 'dclint';
import { validate } from 'dockerfile-utils';
import { parse } from 'yaml';

const ROOT = path.join(import.meta.dirname, '..', '..');

describe('container files', () => {
  test('the Dockerfile passes the linter', async () => {
    const dockerfile = await readFile(path.join(ROOT, 'Dockerfile'), 'utf8');
    assert.deepEqual(validate(dockerfile), []);
    assert.equal(validate(`${dockerfile}\nEXPOSE many\n`).length, 1, 'the linter detects an error');
  });

  test('the compose file passes the linter', () => {
    const linter = new DCLinter({ rules: {}, quiet: false, debug: false, exclude: [] });
    const results = linter.lintFiles([path.join(ROOT, 'compose.yaml')], false);
    assert.deepEqual(
      results.flatMap(({ messages }: { messages: unknown[] }) => messages),
      [],
    );
  });

  test('the image runs the service without root, and contains no tests, development tools or second Node', async () => {
    const [dockerfile = '', ignored = ''] = await Promise.all(
      ['Dockerfile', '.dockerignore'].map((name) => readFile(path.join(ROOT, name), 'utf8')),
    );
    const image = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));
    const argumentsOf = (text: string, name: string): string[] =>
      [...text.matchAll(new RegExp(`^\\s*${name}\\s+(.+)$`, 'gim'))].map((match) => match[1] ?? '');
    assert.match(
      argumentsOf(image, 'CMD').at(-1) ?? '',
      /^\["node", .*"packages\/server\/src\/cli\/winnow\.ts", "serve"\]$/,
    );
    assert.equal(argumentsOf(image, 'USER').at(-1), 'node');
    assert.deepEqual(argumentsOf(dockerfile, 'ADD'), []);
    assert.deepEqual(argumentsOf(image, 'ENTRYPOINT'), []);
    const bases = new Set(argumentsOf(dockerfile, 'FROM').map((base) => base.split(' ')[0]));
    assert.deepEqual(
      [...bases].map((base) => base?.replace(/@sha256:[0-9a-f]{64}$/, '')),
      ['node:24-bookworm-slim'],
    );
    assert.deepEqual(argumentsOf(image, 'COPY'), [
      '--from=dependencies /srv/winnow/node_modules node_modules',
      '--from=console /srv/winnow/packages/console/dist packages/console/dist',
      'package.json LICENSE ./',
      'packages/contract packages/contract',
      'packages/extract packages/extract',
      'packages/server packages/server',
    ]);
    assert.match(
      dockerfile,
      // Exactly the lock file, with its hashes.
      /npm ci --omit=dev .*\\\n\s+-w packages\/contract -w packages\/extract -w packages\/server$/m,
    );
    for (const pattern of ['packages/*/test', '**/*.test.ts', '**/testing', 'test', 'training', 'bench'])
      assert.ok(ignored.split('\n').includes(pattern), pattern);
  });

  test('the compose service has only the rights that the quick start states', async () => {
    const [compose = '', quickStart = ''] = await Promise.all(
      ['compose.yaml', 'docs/quick-start.md'].map((name) => readFile(path.join(ROOT, name), 'utf8')),
    );
    const { services } = parse(compose) as { services: Record<string, Record<string, unknown>> };
    assert.deepEqual(Object.keys(services), ['winnow']);
    const { winnow = {} } = services;
    assert.match(
      quickStart,
      /`docker compose up --build` builds the image \(non-root, read-only root, an init process\)/,
    );
    assert.equal(winnow['user'], 'node');
    assert.equal(winnow['read_only'], true);
    assert.equal(winnow['init'], true);
    assert.deepEqual(winnow['cap_drop'], ['ALL']);
    assert.ok((winnow['security_opt'] as readonly string[]).includes('no-new-privileges:true'));
    for (const right of ['privileged', 'cap_add', 'devices', 'network_mode', 'pid', 'ipc', 'entrypoint', 'command'])
      assert.equal(winnow[right], undefined, right);
    // The Dockerfile that the previous test checks.
    assert.deepEqual(winnow['build'], { context: '.' });
    assert.deepEqual(winnow['ports'], ['127.0.0.1:8080:8080']);
  });

  test('docker commands in the documentation name existing services', async () => {
    const folders = { 'docs/quick-start.md': '.', 'docs/scaling.md': 'deploy' };
    for (const [document, folder] of Object.entries(folders)) {
      const text = await readFile(path.join(ROOT, document), 'utf8');
      const commands = text.match(/docker[ -][^`\n|]*/g) ?? [];
      assert.ok(commands.length > 0, document);
      const { services } = parse(await readFile(path.join(ROOT, folder, 'compose.yaml'), 'utf8')) as {
        services: object;
      };
      for (const command of commands) {
        const parts =
          /^docker compose (?:up --build(?: --detach)?|exec (?<service>[\w-]+) (?:winnow [a-z ]+|cat(?: \/var\/lib\/winnow\/[\w.-]+)+)|logs(?<named>(?: [\w-]+)+))\s*$/.exec(
            command,
          );
        assert.ok(parts, command);
        const { named = '', service = '' } = parts.groups ?? {};
        for (const name of `${named} ${service}`.split(' ').filter(Boolean)) assert.ok(name in services, name);
      }
    }
  });
});
