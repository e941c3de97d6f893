/** Real databases for the contract tests. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { StoreOptions } from '../open-store.ts';
import { findPostgresPrograms, startTestPostgres } from './test-postgres.ts';

export interface TestDatabases {
  readonly name: string;
  /** Why this kind is unavailable; undefined when it is available. */
  readonly skip: string | undefined;
  /** Starts the server, if the kind needs one. */
  start(): Promise<TestServer>;
}

export interface TestServer {
  /** Creates an empty database. */
  create(): Promise<StoreOptions['location']>;
  stop(): Promise<void>;
}

const programs = findPostgresPrograms();

export const TEST_DATABASES: readonly TestDatabases[] = [
  { name: 'SQLite', skip: undefined, start: startSqlite },
  {
    name: 'PostgreSQL',
    skip: programs === undefined ? 'PostgreSQL is not installed (Debian: apt install postgresql)' : undefined,
    start: () => startPostgres(programs ?? ''),
  },
];

async function startSqlite(): Promise<TestServer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'winnow-store-'));
  let count = 0;
  return {
    create: async () => {
      count += 1;
      return { sqliteFile: path.join(folder, `data-${count}`, 'winnow.db') };
    },
    stop: () => rm(folder, { recursive: true }),
  };
}

async function startPostgres(folder: string): Promise<TestServer> {
  const server = await startTestPostgres(folder);
  return {
    create: async () => ({ databaseUrl: await server.createDatabase() }),
    stop: () => server.stop(),
  };
}
