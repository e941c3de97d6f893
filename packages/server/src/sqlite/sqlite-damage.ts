import type { DatabaseSync } from 'node:sqlite';
import { openSqliteDatabase } from './open-sqlite.ts';
import { primaryCodeOf } from './sqlite-faults.ts';
import { messageOf } from '../domain/shared/errors.ts';

/** SQLITE_CORRUPT and SQLITE_NOTADB. */
const DAMAGED: ReadonlySet<number | undefined> = new Set([11, 26]);

const damaged = new WeakSet<DatabaseSync>();

export function isDamage(error: unknown): boolean {
  return DAMAGED.has(primaryCodeOf(error));
}

export function noteDamage(database: DatabaseSync, error: unknown): void {
  if (isDamage(error)) damaged.add(database);
}

/**
 * Rejects a database marked as damaged until a full check passes.
 * @throws {Error} with SQLite's description
 */
export function requireUndamaged(database: DatabaseSync): void {
  if (!damaged.has(database)) return;
  requireWhole(database);
  damaged.delete(database);
}

/** @throws {Error} with SQLite's description of damage */
export function requireWhole(database: DatabaseSync): void {
  const fault = findFault(database);
  if (fault !== undefined) throw describeDamage(fault);
}

/**
 * Returns SQLite's description of the damage, or undefined.
 * @throws SQLite's error for a lock
 */
export function findDamage(file: string): string | undefined {
  try {
    using database = openSqliteDatabase(file);
    const fault = findFault(database);
    if (fault instanceof Error) throw fault;
    return fault;
  } catch (error) {
    if (isDamage(error)) return messageOf(error);
    throw error;
  }
}

export function describeDamage(fault: unknown): Error {
  const words = messageOf(fault);
  return new Error(`the database file is damaged, restore a backup (${words})`, { cause: fault });
}

function findFault(database: DatabaseSync): string | Error | undefined {
  try {
    const row = database.prepare('PRAGMA quick_check(1)').get() as { quick_check: string };
    return row.quick_check === 'ok' ? undefined : row.quick_check.replaceAll('\n', ' ');
  } catch (error) {
    return error instanceof Error ? error : String(error);
  }
}
