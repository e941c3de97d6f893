import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createPrivately } from '../sqlite/open-sqlite.ts';
import { isBusy, isDiskFull } from '../sqlite/sqlite-faults.ts';
import { messageOf } from '../domain/shared/errors.ts';

/** Operations that only one process may perform on a data folder, with the advice for a second process. */
const PURPOSES = {
  serve: { does: 'serves', advice: 'stop it, or set WINNOW_DATA_DIR to another folder' },
  backup: { does: 'backs up or restores', advice: 'try again when it is done' },
} as const;

const ADDRESS_FILE = 'serve.url';

/** Writes the address of this service to the folder, for commands that print links. */
export function noteAddress(folder: string, url: string): void {
  writeFileSync(path.join(folder, ADDRESS_FILE), `${process.pid} ${url}\n`, { mode: 0o600 });
}

/** Returns the address of the running service; undefined when none runs on this machine. */
export function readAddress(folder: string): string | undefined {
  try {
    const [pid = '', url] = readFileSync(path.join(folder, ADDRESS_FILE), 'utf8').trim().split(' ');
    return isAlive(Number(pid)) ? url : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * Locks the data folder for serving, or for backup and restore, by SQLite's exclusive lock on a separate file, which the
 * kernel releases when the process ends. Throws with the owner's process id when the lock is taken.
 */
export async function lockDataFolder(
  folder: string,
  purpose: keyof typeof PURPOSES = 'serve',
): Promise<{ release(): void }> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  let database: DatabaseSync | undefined;
  try {
    const file = path.join(folder, `${purpose}.lock`);
    createPrivately(file);
    database = new DatabaseSync(file, { timeout: 0 });
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    writeFileSync(path.join(folder, `${purpose}.pid`), `${process.pid}\n`, { mode: 0o600 });
  } catch (error) {
    database?.close();
    const { does, advice } = PURPOSES[purpose];
    const fault = isBusy(error)
      ? `another winnow process${describeOwner(folder, purpose)} already ${does} the data folder ${folder}; ${advice}`
      : `cannot write to the data folder ${folder} (${messageOf(error)}); ` +
        (isDiskFull(error) ? 'free space on its disk' : 'set WINNOW_DATA_DIR to a folder that this user can write to');
    throw new Error(fault, { cause: error });
  }
  const lock = database;
  return {
    release: () => {
      if (purpose === 'serve') rmSync(path.join(folder, ADDRESS_FILE), { force: true });
      lock.close();
    },
  };
}

function describeOwner(folder: string, purpose: keyof typeof PURPOSES): string {
  try {
    return ` (process ${readFileSync(path.join(folder, `${purpose}.pid`), 'utf8').trim()})`;
  } catch {
    return '';
  }
}
