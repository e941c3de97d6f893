import path from 'node:path';
import { mkdir, stat } from 'node:fs/promises';
import { resolveDataDir, type Config } from '../config/config.ts';
import type { OnStorageError } from '../sqlite/sqlite-faults.ts';
import { adviseOnStorage, StartError } from './process/start-error.ts';
import { openStore, type Store, type StoreOptions } from '../store/open-store.ts';

function rethrow(error: unknown): never {
  throw error;
}

/**
 * Opens PostgreSQL, or SQLite in the data folder.
 * @throws {StartError} naming the database and the fault
 */
export async function openConfiguredStore(
  config: Config,
  onError?: (error: unknown) => void,
  onStorageError?: OnStorageError,
): Promise<Store> {
  if (config.databaseUrl !== null) return openNamedStore({ databaseUrl: config.databaseUrl }, onError);
  const dataDir = resolveDataDir(config);
  await makeDataFolder(dataDir);
  return openNamedStore({ sqliteFile: path.join(dataDir, 'winnow.db') }, onError, onStorageError);
}

/** A start that lasts longer says what it waits for. */
const SILENCE_MS = 700;

/** @throws {StartError} for every failure */
export async function openNamedStore(
  location: StoreOptions['location'],
  onError: (error: unknown) => void = rethrow,
  onStorageError?: OnStorageError,
): Promise<Store> {
  const notice = setTimeout(() => {
    if (!('databaseUrl' in location)) return;
    // Without it the database is reached by a socket.
    const host = URL.parse(location.databaseUrl)?.host;
    process.stderr.write(`winnow: waiting for the PostgreSQL database${host ? ` at ${host}` : ''}\n`);
  }, SILENCE_MS);
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
  } finally {
    clearTimeout(notice);
  }
}

/** @throws {StartError} with the setting to change */
export async function makeDataFolder(dataDir: string): Promise<void> {
  await makeFolder(dataDir).catch((error: Error) => {
    const advice = 'set WINNOW_DATA_DIR to a folder that this user can write to';
    throw new StartError(`the data folder cannot be made (${error.message}); ${advice}`, { cause: error });
  });
}

function reasonsOf(error: unknown): string[] {
  return error instanceof Error ? [error.message, ...reasonsOf(error.cause)].filter((text) => text !== '') : [];
}

/** Folders contain pages and hashes of keys and passwords. */
const PRIVATE = 0o700;

/**
 * Creates a private folder and its parents one by one. Node's recursive `mkdir` loops forever under `/proc`.
 * @throws the system's error, naming the folder
 */
export async function makeFolder(folder: string): Promise<void> {
  const missing: string[] = [];
  for (let one = path.resolve(folder); !(await exists(one)); one = path.dirname(one)) missing.push(one);
  for (const one of missing.toReversed()) {
    const mode = one === missing[0] ? PRIVATE : undefined;
    await mkdir(one, { mode }).catch((error: NodeJS.ErrnoException) => {
      // A concurrent process created it.
      if (error.code !== 'EEXIST') throw error;
    });
  }
}

async function exists(folder: string): Promise<boolean> {
  return stat(folder).then(
    (found) => {
      if (!found.isDirectory()) throw new Error(`${folder} is not a folder`);
      return true;
    },
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );
}
