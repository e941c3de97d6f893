import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { findDamage } from '../../sqlite/sqlite-damage.ts';
import { retryWhileBusy } from '../../sqlite/retry-while-busy.ts';

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
