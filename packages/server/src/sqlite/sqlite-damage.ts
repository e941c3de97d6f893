import type { DatabaseSync } from 'node:sqlite';
import { openSqliteDatabase } from './open-sqlite.ts';
import { primaryCodeOf } from './sqlite-faults.ts';

/** Primary result codes of SQLite that mean a damaged file: SQLITE_CORRUPT and SQLITE_NOTADB. */
const DAMAGED: ReadonlySet<number | undefined> = new Set([11, 26]);

const damaged = new WeakSet<DatabaseSync>();

/** Whether a statement failed because the file is damaged. */
export function isDamage(error: unknown): boolean {
  return DAMAGED.has(primaryCodeOf(error));
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
  if (fault !== undefined) throw describeDamage(fault);
}

/**
 * Looks through the whole of a database file; undefined when nothing is wrong with it, else SQLite's words for what is.
 * @throws SQLite's error when it cannot be looked at, such as for a lock of another process
 */
export function findDamage(file: string): string | undefined {
  try {
    const database = openSqliteDatabase(file);
    try {
      const fault = findFault(database);
      if (fault instanceof Error) throw fault;
      return fault;
    } finally {
      database.close();
    }
  } catch (error) {
    if (isDamage(error)) return error instanceof Error ? error.message : String(error);
    throw error;
  }
}

/** @param fault SQLite's words for what is wrong, or its error */
export function describeDamage(fault: unknown): Error {
  const words = fault instanceof Error ? fault.message : String(fault);
  return new Error(`the database file is damaged, restore a backup (${words})`, { cause: fault });
}

/** SQLite's words, or its error. */
function findFault(database: DatabaseSync): string | Error | undefined {
  try {
    const row = database.prepare('PRAGMA quick_check(1)').get() as { quick_check: string };
    return row.quick_check === 'ok' ? undefined : row.quick_check.replaceAll('\n', ' ');
  } catch (error) {
    return error instanceof Error ? error : String(error);
  }
}
