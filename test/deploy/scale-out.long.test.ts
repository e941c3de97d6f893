/** Runs the commands of the section "Try it on one machine" of docs/scaling.md as an unprivileged user. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findPostgresPrograms } from '../../packages/server/src/store/testing/test-postgres.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');
const BALANCER = 'http://127.0.0.1:18080';

/** PostgreSQL refuses to run as root, so root runs the commands as `nobody`. */
const NOBODY = 65_534;
const IDENTITY = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

/** Longest duration of a block, in milliseconds. */
const PATIENCE_MS = 110_000;

const absent = [
  ...(findPostgresPrograms() === undefined ? ['postgresql'] : []),
  ...[
    ['/usr/sbin/nginx', 'nginx-light'],
    ['/usr/lib/chromium/chromium-headless-shell', 'chromium-headless-shell'],
    ['/usr/bin/curl', 'curl'],
  ].flatMap(([file = '', name = '']) => (existsSync(file) ? [] : [name])),
];

/** The ports that the section names. Another run on this machine may use them for a while. */
const PORTS = [14_566, 15_432, 18_080, 18_081, 18_082, 18_083, 19_222];

async function waitForPorts(): Promise<void> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  for (const port of PORTS) {
    while (await isTaken(port)) {
      assert.ok(!signal.aborted, `port ${port} of the section is taken on this machine`);
      await sleep(500);
    }
  }
}

async function isTaken(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** The shell commands of the section, block by block. */
async function readBlocks(): Promise<readonly string[]> {
  const page = await readFile(path.join(ROOT, 'docs/scaling.md'), 'utf8');
  const [, section = ''] = /\n## Try it on one machine\n(.*?)\n## /s.exec(page) ?? [];
  return [...section.matchAll(/\n```sh\n(.*?\n)```\n/gs)].map(([, block = '']) => block);
}

/** A shell into which a reader pastes one block after another. */
class Reader {
  readonly #shell: ChildProcessWithoutNullStreams;
  printed = '';

  constructor(home: string, environment: Readonly<Record<string, string>>) {
    this.#shell = spawn('bash', ['--noprofile', '--norc'], {
      cwd: ROOT,
      env: { PATH: process.env['PATH'] ?? '', HOME: home, ...environment },
      // A separate process group, so that a failed run leaves no processes behind.
      detached: true,
      ...IDENTITY,
    });
    for (const stream of [this.#shell.stdout, this.#shell.stderr])
      stream.on('data', (chunk) => (this.printed += String(chunk)));
  }

  /** Runs a block and returns its last exit code and its output. */
  async paste(block: string): Promise<{ readonly code: string; readonly printed: string }> {
    const from = this.printed.length;
    this.#shell.stdin.write(`${block}\nprintf '\\nblock ended: %s\\n' $?\n`);
    const end = /\nblock ended: (\d+)\n/;
    const signal = AbortSignal.timeout(PATIENCE_MS);
    while (!end.test(this.printed.slice(from))) {
      assert.equal(this.#shell.exitCode, null, `the shell ended:\n${this.printed}`);
      await once(this.#shell.stdout, 'data', { signal }).catch(() =>
        assert.fail(`the block did not end:\n${this.printed}`),
      );
    }
    const printed = this.printed.slice(from);
    return { code: end.exec(printed)?.[1] ?? '', printed };
  }

  close(): void {
    try {
      process.kill(-(this.#shell.pid ?? 0), 'SIGKILL');
    } catch {
      // It has already ended.
    }
  }
}

test(
  'the commands of docs/scaling.md start three nodes, which extract a page through the load balancer',
  { skip: absent.length > 0 ? `needs Debian's ${absent.join(', ')}` : false, timeout: 220_000 },
  async () => {
    const [install = '', setUp = '', request = '', tearDown = '', ...more] = await readBlocks();
    assert.match(install, /^sudo apt-get install postgresql nginx-light chromium-headless-shell curl\n$/);
    assert.deepEqual(more, []);

    // Set up first: `nobody` cannot write to another user's clone.
    await promisify(execFile)(process.execPath, [path.join(ROOT, 'scripts', 'setup.mjs'), '--quiet']);
    await waitForPorts();
    const home = await mkdtemp(path.join(tmpdir(), 'winnow-reader-'));
    if (IDENTITY.uid !== undefined) await chown(home, IDENTITY.uid, IDENTITY.gid);
    after(() => rm(home, { recursive: true, force: true }));
    const site = createServer((_, response) => {
      response.setHeader('Content-Type', 'text/html');
      response.end('<!doctype html><title>Near</title><body><script>document.body.append("rendered here")</script>');
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    after(() => new Promise((resolve) => site.close(resolve)));
    const { port } = site.address() as AddressInfo;

    // Allows a page on loopback, and skips the self-test at the start.
    const reader = new Reader(home, { WINNOW_EGRESS_ALLOW: `127.0.0.1:${port}`, WINNOW_SELF_TEST: 'false' });
    try {
      const started = await reader.paste(setUp);
      assert.equal(started.code, '0', started.printed);
      const answer = await reader.paste(request);
      assert.equal(answer.code, '0', answer.printed);
      assert.match(answer.printed, /^# A harbour town keeps its market$/m, answer.printed);

      const [, key = ''] = /Standalone key +(wk_\w+)/.exec(answer.printed) ?? [];
      const dumped = await fetch(`${BALANCER}/v1/dom/dump`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-API-Key': key },
        body: JSON.stringify({ url: `http://127.0.0.1:${port}/`, options: { engine_preference: 'chrome_cdp' } }),
      });
      const page = (await dumped.json()) as { readonly html?: string };
      assert.match(page.html ?? '', /<\/script>rendered here/, JSON.stringify(page));
    } finally {
      await reader
        .paste(tearDown)
        .then(({ code, printed }) => assert.equal(code, '0', printed))
        .finally(() => reader.close());
    }
    await assert.rejects(fetch(`${BALANCER}/healthz`));
  },
);
