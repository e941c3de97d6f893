import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { findDamage } from '../../sqlite/sqlite-damage.ts';
import { retryWhileBusy } from '../../sqlite/retry-while-busy.ts';

/** A database, its log and the memory that those share who have it open: the log goes first, no new database may find it. */
const PARTS = ['-wal', '-shm', ''] as const;

/**
 * Renames a database file that is damaged, so that a new one can be made in its place; nothing happens to one that is
 * whole. Whoever has it open goes on with it under its new name. What was put aside before is removed.
 *
 * @returns the new name; undefined when the file is whole, or not there
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
