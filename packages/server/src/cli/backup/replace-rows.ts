import path from 'node:path';
import { isDamage } from '../../sqlite/sqlite-damage.ts';
import { copyDatabase } from '../../store/copy/copy-database.ts';
import { lockDataFolder } from '../../store/data-folder-lock.ts';
import { CommandError } from '../support/cli-io.ts';
import { putAsideDamaged } from './put-aside.ts';

/**
 * Overwrites the data folder's database in place, for a running service. Without one a damaged file is renamed.
 * @returns the new name of a renamed file
 * @throws {CommandError} when the file is too damaged to be overwritten
 */
export async function replaceRows(database: string, dataDir: string): Promise<string | undefined> {
  const file = path.join(dataDir, 'winnow.db');
  const stopped = await lockDataFolder(dataDir).catch(() => undefined);
  try {
    const aside = stopped && (await putAsideDamaged(file));
    await copyDatabase(database, file);
    return aside;
  } catch (error) {
    if (!isDamage(error)) throw error;
    const fault =
      'the current database is too damaged to be overwritten while the service runs: stop it and restore again';
    throw new CommandError(fault, { cause: error });
  } finally {
    stopped?.release();
  }
}
