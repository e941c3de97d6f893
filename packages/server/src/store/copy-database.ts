import { backup } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { openSqliteDatabase } from '../sqlite/open-sqlite.ts';

const TRIES = 20;
const PAUSE_MS = 250;

/** SQLITE_BUSY and SQLITE_LOCKED: https://www.sqlite.org/rescode.html */
const BUSY_CODES: ReadonlySet<unknown> = new Set([5, 6]);

/**
 * Puts the content of one SQLite file in the place of another's, as one transaction, by SQLite's online
 * backup: whoever has the target open sees the old content until the copy is whole, and the new one then.
 */
export async function copyDatabase(fromFile: string, toFile: string): Promise<void> {
  const source = openSqliteDatabase(fromFile);
  try {
    for (let tries = 1; ; tries += 1) {
      try {
        // All pages in one step: the target is never seen half copied.
        await backup(source, toFile, { rate: 2 ** 30 });
        return;
      } catch (error) {
        const isBusy = error instanceof Error && 'errcode' in error && BUSY_CODES.has(error.errcode);
        if (!isBusy || tries === TRIES) throw error;
        await sleep(PAUSE_MS);
      }
    }
  } finally {
    source.close();
  }
}
