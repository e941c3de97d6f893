import { readFileSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isBusy, isDiskFull } from '../sqlite/sqlite-faults.ts';

const LOCK_FILE = 'serve.lock';
const OWNER_FILE = 'serve.pid';

/** Held by the one `serve` process of a data folder. */
export interface DataFolderLock {
  release(): void;
}

/**
 * Makes this process the only one that serves the data folder; the commands of the CLI don't ask for it.
 * The lock is SQLite's exclusive lock on a file of its own: the kernel drops it when the process ends,
 * however it ends, so that none is ever stale. Throws with the owner's process id when another has it.
 */
export async function lockDataFolder(folder: string): Promise<DataFolderLock> {
  await mkdir(folder, { recursive: true });
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path.join(folder, LOCK_FILE), { timeout: 0 });
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    writeFileSync(path.join(folder, OWNER_FILE), `${process.pid}\n`);
  } catch (error) {
    database?.close();
    const fault = isBusy(error)
      ? `another winnow process${describeOwner(folder)} already serves the data folder ${folder}; ` +
        'stop it, or set WINNOW_DATA_DIR to another folder'
      : `the data folder ${folder} cannot be written (${error instanceof Error ? error.message : String(error)}); ` +
        (isDiskFull(error) ? 'make room on its disk' : 'set WINNOW_DATA_DIR to a folder that this user may write');
    throw new Error(fault, { cause: error });
  }
  const lock = database;
  return { release: () => lock.close() };
}

function describeOwner(folder: string): string {
  try {
    return ` (process ${readFileSync(path.join(folder, OWNER_FILE), 'utf8').trim()})`;
  } catch {
    return '';
  }
}
