import { DatabaseSync } from 'node:sqlite';

export interface SqliteOptions {
  /** Statements that only take effect on a new file. */
  readonly layout?: string;
  /** Milliseconds for which a statement holds its thread while another process has the lock. Default 0: see `outwaitLock`. */
  readonly holdMs?: number;
}

/**
 * Opens a database file: WAL, so that the service and the commands of the CLI are never in each other's
 * way; `synchronous=FULL`, so that what was acknowledged outlives a power cut.
 *
 * @throws SQLite's error, also where another process has the file locked at the moment
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
