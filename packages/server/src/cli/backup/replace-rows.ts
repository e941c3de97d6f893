import path from 'node:path';
import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { isDamage, findDamage } from '../../sqlite/sqlite-damage.ts';
import { copyDatabase } from '../../store/copy/migrate-store.ts';
import { lockDataFolder } from '../../store/data-folder-lock.ts';
import { CommandError } from '../support/cli-io.ts';
import { retryWhileBusy } from '../../sqlite/sqlite-faults.ts';

/**
 * Overwrites the data folder's database in place, for a running service. Without one a damaged file is renamed.
 * @returns the new name of a renamed file
 * @throws {CommandError} when the file is too damaged to be overwritten
 */
export async function replaceRows(database: string, dataDir: string): Promise<string | undefined> {
  const file = path.join(dataDir, 'winnow.db');
  const stopped = await lockDataFolder(dataDir).catch(() => undefined);
  try {
    const aside = stopped && (await putAsideDamaged(file));
    await copyDatabase(database, file);
    return aside;
  } catch (error) {
    if (!isDamage(error)) throw error;
    const fault =
      'the current database is too damaged to be overwritten while the service runs: stop it and restore again';
    throw new CommandError(fault, { cause: error });
  } finally {
    stopped?.release();
  }
}

/** Database files in order of renaming: a new database must not find an old log. */
const PARTS = ['-wal', '-shm', ''] as const;

/**
 * Renames a damaged database file, replacing an earlier renamed one. Open connections keep using it.
 * @returns the new name; undefined for an absent or undamaged file
 */
export async function putAsideDamaged(file: string): Promise<string | undefined> {
  if (!existsSync(file) || (await retryWhileBusy(() => findDamage(file))) === undefined) return undefined;
  const aside = `${file}.damaged`;
  for (const part of PARTS) {
    await rm(aside + part, { force: true });
    await rename(file + part, aside + part).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
  }
  return aside;
}
