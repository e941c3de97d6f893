import { backup } from 'node:sqlite';
import { openSqliteDatabase } from '../sqlite/open-sqlite.ts';
import { outwaitLock } from '../sqlite/outwait-lock.ts';

/**
 * Puts the content of one SQLite file in the place of another's, as one transaction, by SQLite's online
 * backup: whoever has the target open sees the old content until the copy is whole, and the new one then.
 */
export async function copyDatabase(fromFile: string, toFile: string): Promise<void> {
  const source = await outwaitLock(() => openSqliteDatabase(fromFile));
  try {
    // All pages in one step: the target is never seen half copied.
    await outwaitLock(() => backup(source, toFile, { rate: 2 ** 30 }));
  } finally {
    source.close();
  }
}
