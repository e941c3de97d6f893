import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isDamage } from '../../sqlite/sqlite-damage.ts';
import { copyDatabase } from '../../store/copy/copy-database.ts';
import { lockDataFolder } from '../../store/data-folder-lock.ts';
import { CommandError } from '../support/cli-io.ts';
import { putAsideDamaged } from './put-aside.ts';

/**
 * Puts a database in the place of that of the data folder. A running service works on with it, which it would not if the
 * file were another one: a damaged file is put aside where nobody serves it, and else written over.
 *
 * @returns the new name of a file that was put aside
 * @throws {CommandError} when the file is too damaged to be written over
 */
export async function replaceRows(database: string, dataDir: string): Promise<string | undefined> {
  const file = path.join(dataDir, 'winnow.db');
  const stopped = await lockDataFolder(dataDir).catch(() => undefined);
  try {
    const aside = stopped && (await putAsideDamaged(file));
    // The owner's alone, where there is none yet.
    await writeFile(file, '', { flag: 'wx', mode: 0o600 }).catch(() => undefined);
    await copyDatabase(database, file);
    return aside;
  } catch (error) {
    if (!isDamage(error)) throw error;
    const fault = 'the present database is too damaged to be written over under the service: stop it and restore again';
    throw new CommandError(fault, { cause: error });
  } finally {
    stopped?.release();
  }
}
