import path from 'node:path';
import { resolveDataDir } from '../config/config.ts';
import type { Config } from '../config/config.ts';
import { makeFolder } from './process/make-folder.ts';
import type { OnStorageError } from '../sqlite/sqlite-faults.ts';
import { adviseOnStorage, StartError } from './process/start-error.ts';
import { openStore } from '../store/open-store.ts';
import type { Store, StoreOptions } from '../store/open-store.ts';

/**
 * Opens PostgreSQL, or SQLite in the data folder.
 * @throws {StartError} naming the database and the fault
 */
export async function openConfiguredStore(
  config: Config,
  onError: (error: unknown) => void,
  onStorageError?: OnStorageError,
): Promise<Store> {
  if (config.databaseUrl !== null) return openNamedStore({ databaseUrl: config.databaseUrl }, onError);
  const dataDir = resolveDataDir(config);
  await makeDataFolder(dataDir);
  return openNamedStore({ sqliteFile: path.join(dataDir, 'winnow.db') }, onError, onStorageError);
}

/** @throws {StartError} for every failure */
export async function openNamedStore(
  location: StoreOptions['location'],
  onError: (error: unknown) => void,
  onStorageError?: OnStorageError,
): Promise<Store> {
  try {
    return await openStore({ location, onError, onStorageError });
  } catch (error) {
    // Omits the URL, which contains the password.
    const name = 'databaseUrl' in location ? 'the PostgreSQL database' : `the database ${location.sqliteFile}`;
    const advice = adviseOnStorage(error);
    const reasons = reasonsOf(error).join(': ');
    throw new StartError(`${name} cannot be opened: ${reasons}${advice === undefined ? '' : `; ${advice}`}`, {
      cause: error,
    });
  }
}

/** @throws {StartError} with the setting to change */
export async function makeDataFolder(dataDir: string): Promise<void> {
  await makeFolder(dataDir).catch((error: Error) => {
    const advice = 'set WINNOW_DATA_DIR to a folder that this user can write to';
    throw new StartError(`the data folder cannot be made (${error.message}); ${advice}`, { cause: error });
  });
}

/** Returns the messages of an error and its causes. */
function reasonsOf(error: unknown): string[] {
  return error instanceof Error ? [error.message, ...reasonsOf(error.cause)].filter((text) => text !== '') : [];
}
