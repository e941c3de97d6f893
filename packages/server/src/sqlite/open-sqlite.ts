import { DatabaseSync } from 'node:sqlite';

export interface SqliteOptions {
  /** Statements that only affect a new file. */
  readonly layout?: string;
  /**
   * Time a statement blocks its thread while another process holds the lock, in milliseconds. Default 0: see
   * `retryWhileBusy`.
   */
  readonly holdMs?: number;
}

/**
 * Opens a database file. WAL lets the service and CLI commands read while one writes; `synchronous=FULL` makes
 * acknowledged data survive a power cut.
 * @throws SQLite's error, also when another process has locked the file
 */
export function openSqliteDatabase(file: string, { layout = '', holdMs = 0 }: SqliteOptions = {}): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: holdMs, enableForeignKeyConstraints: true });
  try {
    database.exec(`${layout}PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY;`);
  } catch (error) {
    database.close();
    throw error;
  }
  return database;
}
