import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isBusy, isDiskFull } from '../sqlite/sqlite-faults.ts';

/** What only one process at a time does with a data folder, and what whoever comes second is told. */
const PURPOSES = {
  serve: { does: 'serves', advice: 'stop it, or set WINNOW_DATA_DIR to another folder' },
  backup: { does: 'backs up or restores', advice: 'try again when it is done' },
} as const;

/** Held by the one process that does so with a data folder. */
export interface DataFolderLock {
  release(): void;
}

/** File with the address of the service that serves the folder. */
const ADDRESS_FILE = 'serve.url';

/** Notes the address of this process, which serves the folder, for commands that print links. */
export function noteAddress(folder: string, url: string): void {
  writeFileSync(path.join(folder, ADDRESS_FILE), `${process.pid} ${url}\n`);
}

/** Returns the address of the service that serves the folder; undefined when none runs on this machine. */
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
 * Makes this process the only one that serves the data folder, or that backs it up or restores it; other commands of the
 * CLI don't ask for it.
 * The lock is SQLite's exclusive lock on a file of its own: the kernel drops it when the process ends,
 * however it ends, so that none is ever stale. Throws with the owner's process id when another has it.
 */
export async function lockDataFolder(
  folder: string,
  purpose: keyof typeof PURPOSES = 'serve',
): Promise<DataFolderLock> {
  await mkdir(folder, { recursive: true });
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path.join(folder, `${purpose}.lock`), { timeout: 0 });
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    writeFileSync(path.join(folder, `${purpose}.pid`), `${process.pid}\n`);
  } catch (error) {
    database?.close();
    const { does, advice } = PURPOSES[purpose];
    const fault = isBusy(error)
      ? `another winnow process${describeOwner(folder, purpose)} already ${does} the data folder ${folder}; ${advice}`
      : `the data folder ${folder} cannot be written (${error instanceof Error ? error.message : String(error)}); ` +
        (isDiskFull(error) ? 'make room on its disk' : 'set WINNOW_DATA_DIR to a folder that this user may write');
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
