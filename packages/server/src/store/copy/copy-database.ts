import { backup } from 'node:sqlite';
import { createPrivately, openSqliteDatabase } from '../../sqlite/open-sqlite.ts';
import { retryWhileBusy } from '../../sqlite/retry-while-busy.ts';

/**
 * Overwrites a SQLite database with the content of another in one transaction, by SQLite's online backup. Open
 * connections to the target see the old content, then the complete new content.
 */
export async function copyDatabase(fromFile: string, toFile: string): Promise<void> {
  const source = await retryWhileBusy(() => openSqliteDatabase(fromFile));
  try {
    createPrivately(toFile);
    // All pages in one step: readers never see a partial copy.
    await retryWhileBusy(() => backup(source, toFile, { rate: 2 ** 30 }));
  } finally {
    source.close();
  }
}
