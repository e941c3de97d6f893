import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

export interface SqliteOptions {
  /** Only affects a new file. */
  readonly layout?: string;
  /** Time a statement blocks its thread for a lock. Default 0: see `retryWhileBusy`. */
  readonly holdMs?: number;
}

/**
 * WAL lets the service and CLI commands read while one writes; `synchronous=FULL` makes acknowledged data survive a
 * power cut.
 * @throws SQLite's error, also for a lock
 */
export function openSqliteDatabase(file: string, { layout = '', holdMs = 0 }: SqliteOptions = {}): DatabaseSync {
  createPrivately(file);
  const database = new DatabaseSync(file, { timeout: holdMs, enableForeignKeyConstraints: true });
  try {
    database.exec(`${layout}PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY;`);
  } catch (error) {
    database.close();
    throw error;
  }
  return database;
}

/** Creates a missing file for its owner alone; SQLite gives its logs the same permissions. Opening reports failures. */
export function createPrivately(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch {
    // It exists, or SQLite says why it cannot.
  }
}
