/** A real PostgreSQL server for tests, from the machine's package, on a socket in a temporary folder. */
import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';

const run = promisify(execFile);

/** Folder of the programs on Debian and others. */
const DEBIAN_FOLDER = '/usr/lib/postgresql';
const USER = 'winnow';

/** PostgreSQL refuses to run as root, so it then runs as `nobody`. */
const NOBODY = 65_534;
const IDENTITY = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

export interface TestPostgres {
  /** Creates an empty database and returns its URL. */
  createDatabase(): Promise<string>;
  /** Shuts down the server, waits `downMs` and starts it on the same data. */
  restart(downMs: number): Promise<void>;
  /** Kills the server, waits `downMs` and starts it on the same data. */
  crash(downMs: number): Promise<void>;
  stop(): Promise<void>;
}

/** Returns the folder of `initdb` and `postgres`; undefined when not installed. */
export function findPostgresPrograms(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  if (existsSync(DEBIAN_FOLDER)) {
    folders.push(...readdirSync(DEBIAN_FOLDER).map((version) => path.join(DEBIAN_FOLDER, version, 'bin')));
  }
  return folders.find((folder) => ['initdb', 'postgres'].every((program) => existsSync(path.join(folder, program))));
}

export async function startTestPostgres(programs: string): Promise<TestPostgres> {
  const folder = await mkdtemp(path.join(tmpdir(), 'winnow-pg-'));
  if (IDENTITY.uid !== undefined) await chown(folder, IDENTITY.uid, IDENTITY.gid);
  const data = path.join(folder, 'data');
  const initdb = ['-D', data, '-U', USER, '--auth=trust', '--no-sync', '--encoding=UTF8', '--locale=C.UTF-8'];
  await run(path.join(programs, 'initdb'), initdb, { cwd: folder, ...IDENTITY });
  // No TCP port, so there are no conflicts; these tests do not need durability.
  const settings = ['listen_addresses=', `unix_socket_directories=${folder}`, 'fsync=off', 'shared_buffers=16MB'];
  const launch = (): ChildProcess =>
    spawn(path.join(programs, 'postgres'), ['-D', data, ...settings.flatMap((one) => ['-c', one])], {
      cwd: folder,
      stdio: 'ignore',
      ...IDENTITY,
    });
  let server = launch();
  const urlOf = (database: string): string =>
    `postgresql://${USER}@localhost/${database}?host=${encodeURIComponent(folder)}`;
  await waitUntilReady(server, urlOf('postgres'));
  let count = 0;
  return {
    createDatabase: async () => {
      count += 1;
      await query(urlOf('postgres'), `create database winnow_${count}`);
      return urlOf(`winnow_${count}`);
    },
    restart: async (downMs) => {
      await end(server);
      await sleep(downMs);
      server = launch();
      await waitUntilReady(server, urlOf('postgres'));
    },
    crash: async (downMs) => {
      const ended = once(server, 'exit');
      server.kill('SIGKILL');
      await ended;
      await sleep(downMs);
      // No new server can start until all processes of the killed one have ended.
      for (;;) {
        server = launch();
        const started = await waitUntilReady(server, urlOf('postgres')).then(
          () => true,
          () => false,
        );
        if (started) return;
        await sleep(100);
      }
    },
    stop: async () => {
      await end(server);
      await rm(folder, { recursive: true });
    },
  };
}

/** SIGINT is PostgreSQL's fast shutdown, which disconnects clients. */
async function end(server: ChildProcess): Promise<void> {
  const ended = once(server, 'exit');
  server.kill('SIGINT');
  await ended;
}

async function waitUntilReady(server: ChildProcess, url: string): Promise<void> {
  for (;;) {
    try {
      await query(url, 'select 1');
      return;
    } catch (error) {
      if (server.exitCode !== null) throw error;
      await sleep(50);
    }
  }
}

async function query(url: string, text: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}
