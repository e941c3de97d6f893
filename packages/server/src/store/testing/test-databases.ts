/** Real databases for the contract suite. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { StoreOptions } from '../open-store.ts';

export interface TestDatabase {
  readonly location: StoreOptions['location'];
  stop(): Promise<void>;
}

/** Name → starts an empty database of that kind. */
export const TEST_DATABASES: Readonly<Record<string, () => Promise<TestDatabase>>> = {
  SQLite: startSqlite,
};

async function startSqlite(): Promise<TestDatabase> {
  const folder = await mkdtemp(path.join(tmpdir(), 'winnow-store-'));
  return {
    location: { sqliteFile: path.join(folder, 'data', 'winnow.db') },
    stop: () => rm(folder, { recursive: true }),
  };
}
