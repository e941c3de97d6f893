import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { openCommands } from '../testing/commands.ts';

// Not in `before`: if a name pattern selects no test, `node --test` does not wait for it before `after`.
const { siteUrl, environment, file, run, close } = await openCommands();
after(close);

// Checks: threat-terminal
test('serve: without a terminal keys and link are in private files, whose command returns Markdown without internet', async () => {
  const service = spawn(process.execPath, [path.join(import.meta.dirname, '..', 'winnow.ts'), 'serve'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...environment,
      WINNOW_DATA_DIR: file('serve-first'),
      WINNOW_PORT: '0',
      WINNOW_LOG_LEVEL: 'error',
      WINNOW_SELF_TEST: 'false',
    },
  });
  const ended = once(service, 'exit');
  try {
    let printed = '';
    while (!printed.includes('administrator-link.txt'))
      printed += String(((await once(service.stdout, 'data')) as [Buffer])[0]);
    assert.doesNotMatch(printed, /wk_|welcome#/);
    const [, keyFile = '', linkFile = ''] = /keys: see (.+);[^]+administrator: see (.+);/.exec(printed) ?? [];
    for (const one of [keyFile, linkFile]) assert.equal((await stat(one)).mode & 0o777, 0o600);
    assert.match(await readFile(linkFile, 'utf8'), /^http:\/\/\S+\/console\/welcome#\S+$/m);
    const told = await readFile(keyFile, 'utf8');
    const lines = told.split('\n').filter((line) => !line.startsWith('http://'));
    assert.deepEqual(
      lines.filter((line) => line.length > 80),
      [],
      'fits in 80 columns',
    );
    const command = /^ {2}curl [^]+?\}'$/m.exec(told)?.[0];
    assert.ok(command, told);
    const [, url = ''] = /curl -sS (\S+)/.exec(command) ?? [];
    const headers = [...command.matchAll(/-H '([^']+): ([^']+)'/g)].map(([, name = '', value = '']) => [name, value]);
    const body = / -d '(.+)'$/.exec(command)?.[1] ?? '';
    const answer = await fetch(url, { method: 'POST', headers: headers as [string, string][], body });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('content-type'), 'text/markdown; charset=utf-8');
    const markdown = await answer.text();
    assert.match(markdown, /^# A harbour town keeps its market\n\n.*\*\*five in the morning\*\*/);
    assert.ok(markdown.split('\n').length < 12, markdown);
  } finally {
    service.kill('SIGTERM');
    await ended;
  }
});

interface Started {
  readonly url: string;
  readonly first: unknown;
  readonly code: unknown;
}

/** Starts the service as a process, and stops it once it listens. */
async function startAndStop(dataDir: string, settings: Record<string, string> = {}): Promise<Started> {
  const service = spawn(process.execPath, [path.join(import.meta.dirname, '..', 'winnow.ts'), 'serve', '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...environment,
      WINNOW_DATA_DIR: dataDir,
      WINNOW_PORT: '0',
      WINNOW_LOG_LEVEL: 'error',
      WINNOW_SELF_TEST: 'false',
      ...settings,
    },
  });
  const ended = once(service, 'exit');
  const [line] = (await once(service.stdout, 'data')) as [Buffer];
  const started = JSON.parse(line.toString()) as { url: string; first_start: unknown };
  assert.equal((await fetch(`${started.url}/healthz`)).status, 200);
  service.kill('SIGTERM');
  return { url: started.url, first: started.first_start, code: (await ended)[0] };
}

test('serve: listens, shows the keys once, ends on SIGTERM', async () => {
  const first = await startAndStop(file('serve'));
  assert.match(JSON.stringify(first.first), /"project_id":"prj_.*"project_key":"wk_.*"key_only_key":"wk_/);
  assert.equal(first.code, 0);
  const { first: again, code } = await startAndStop(file('serve'));
  assert.deepEqual({ again, code }, { again: null, code: 0 });
});

test('users: links contain the address of the running service', async () => {
  const dataDir = file('links');
  const settings = { WINNOW_DATA_DIR: dataDir, WINNOW_LOG_LEVEL: 'error', WINNOW_SELF_TEST: 'false' };
  const program = path.join(import.meta.dirname, '..', 'winnow.ts');
  const service = spawn(process.execPath, [program, 'serve', '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...environment, ...settings, WINNOW_PORT: '0' },
  });
  const ended = once(service, 'exit');
  const [line] = (await once(service.stdout, 'data')) as [Buffer];
  const { url } = JSON.parse(line.toString()) as { url: string };
  const invite = ['users', 'create', 'anna@example.com'];
  const { out } = await run(invite, '', undefined, settings);
  assert.ok(out.startsWith(`${url}/console/welcome#`), out);
  const publicUrl = { WINNOW_BASE_URL: 'https://example.com/winnow/' };
  const named = await run(invite, '', undefined, { ...settings, ...publicUrl });
  assert.ok(named.out.startsWith('https://example.com/winnow/console/welcome#'), named.out);
  service.kill('SIGTERM');
  await ended;
  const stopped = await run(invite, '', undefined, settings);
  assert.ok(stopped.out.startsWith('http://127.0.0.1:8080/console/welcome#'), stopped.out);
});

const hasIpv6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ family }) => family === 'IPv6'),
);

test(
  'serve: on IPv6 it prints a reachable address, also when listening on all addresses',
  { skip: !hasIpv6 },
  async () => {
    const { url: all } = await startAndStop(file('ipv6'), { WINNOW_HOST: '::' });
    assert.match(all, /^http:\/\/\[::1\]:\d+$/);
    const { url: one } = await startAndStop(file('ipv6'), { WINNOW_HOST: '[::1]' });
    assert.match(one, /^http:\/\/\[::1\]:\d+$/);
  },
);

test('serve: a failed start creates no keys', async () => {
  const dataDir = file('port-in-use');
  const busy = { WINNOW_DATA_DIR: dataDir, WINNOW_PORT: new URL(siteUrl).port, WINNOW_SELF_TEST: 'false' };
  const { code, err } = await run(['serve'], '', undefined, busy);
  assert.equal(code, 1);
  assert.match(err, /^winnow: cannot listen on 127\.0\.0\.1:\d+: another program listens there already/);
  const { first } = await startAndStop(dataDir);
  assert.match(JSON.stringify(first), /"project_key":"wk_/);
});
