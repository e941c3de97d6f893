import type { DatabaseSync } from 'node:sqlite';

/** Primary result codes of SQLite that mean a damaged file: SQLITE_CORRUPT and SQLITE_NOTADB. */
const DAMAGED = new Set([11, 26]);

const damaged = new WeakSet<DatabaseSync>();

/** Remembers a database whose statement failed because the file is damaged; other errors are passed over. */
export function noteDamage(database: DatabaseSync, error: unknown): void {
  const code = (error as { errcode?: number }).errcode;
  if (code !== undefined && DAMAGED.has(code & 0xff)) damaged.add(database);
}

/**
 * Rejects a database that was found damaged, until it is whole again. Looking through the whole file takes
 * time, so it is done only after damage was met.
 * @throws {Error} with SQLite's words for what is wrong
 */
export function requireUndamaged(database: DatabaseSync): void {
  if (!damaged.has(database)) return;
  const fault = findFault(database);
  if (fault !== undefined) throw new Error(`the database file is damaged, restore a backup (${fault})`);
  damaged.delete(database);
}

function findFault(database: DatabaseSync): string | undefined {
  try {
    const row = database.prepare('PRAGMA quick_check(1)').get() as { quick_check: string };
    return row.quick_check === 'ok' ? undefined : row.quick_check.replaceAll('\n', ' ');
  } catch (error) {
    return (error as Error).message;
  }
}
