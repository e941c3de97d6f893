import path from 'node:path';
import { resolveDataDir } from '../config.ts';
import type { Config } from '../config.ts';
import { makeFolder } from '../make-folder.ts';
import type { Store, StoreOptions } from '../store/open-store.ts';

/** Where the rows are: a PostgreSQL database, or SQLite in the data folder. */
function locateStore(config: Config): StoreOptions['location'] {
  if (config.databaseUrl !== null) return { databaseUrl: config.databaseUrl };
  return { sqliteFile: path.join(resolveDataDir(config), 'winnow.db') };
}

/** Runs a command on the store, which a running service may have open too. */
export async function withStore<T>(config: Config, work: (store: Store) => Promise<T>): Promise<T> {
  const { openStore } = await import('../store/open-store.ts');
  if (config.databaseUrl === null) await makeFolder(resolveDataDir(config));
  const store = await openStore({
    location: locateStore(config),
    onError: (error) => {
      throw error;
    },
  });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
