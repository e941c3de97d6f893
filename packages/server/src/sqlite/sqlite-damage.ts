import type { DatabaseSync } from 'node:sqlite';

/** Primary result codes of SQLite that mean a damaged file: SQLITE_CORRUPT and SQLITE_NOTADB. */
const DAMAGED = new Set([11, 26]);

/** SQLite's words for them: an error that comes from another thread has lost its code. */
const DAMAGE_WORDS = /database disk image is malformed|file is not a database/;

const damaged = new WeakSet<DatabaseSync>();

/** Whether a statement failed because the file is damaged. */
export function isDamage(error: unknown): boolean {
  const { errcode, message } = error as { errcode?: number; message?: string };
  return errcode === undefined ? DAMAGE_WORDS.test(message ?? '') : DAMAGED.has(errcode & 0xff);
}

/** Remembers a database whose statement failed because the file is damaged; other errors are passed over. */
export function noteDamage(database: DatabaseSync, error: unknown): void {
  if (isDamage(error)) damaged.add(database);
}

/**
 * Rejects a database that was found damaged, until it is whole again. Looking through the whole file takes
 * time, so it is done only after damage was met.
 * @throws {Error} with SQLite's words for what is wrong
 */
export function requireUndamaged(database: DatabaseSync): void {
  if (!damaged.has(database)) return;
  requireWhole(database);
  damaged.delete(database);
}

/** Looks through the whole file. @throws {Error} with SQLite's words for what is wrong */
export function requireWhole(database: DatabaseSync): void {
  const fault = findFault(database);
  if (fault !== undefined) throw new Error(`the database file is damaged, restore a backup (${fault})`);
}

function findFault(database: DatabaseSync): string | undefined {
  try {
    const row = database.prepare('PRAGMA quick_check(1)').get() as { quick_check: string };
    return row.quick_check === 'ok' ? undefined : row.quick_check.replaceAll('\n', ' ');
  } catch (error) {
    return (error as Error).message;
  }
}
