import { DatabaseSync } from 'node:sqlite';

/** Milliseconds that a write waits for another process (a command of the CLI) to finish its own. */
const BUSY_TIMEOUT_MS = 5000;

/**
 * Opens a database file: WAL, so that the service and the commands of the CLI are never in each other's
 * way; `synchronous=FULL`, so that what was acknowledged outlives a power cut.
 *
 * @param layout statements that only take effect on a new file
 */
export function openSqliteDatabase(file: string, layout = ''): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true });
  try {
    database.exec(`${layout}PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY;`);
  } catch (error) {
    database.close();
    throw error;
  }
  return database;
}
