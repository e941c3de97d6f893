import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';

/** Folders contain pages and hashes of keys and passwords. */
const PRIVATE = 0o700;

/**
 * Creates a private folder and its parents one by one. Node's recursive `mkdir` loops forever under `/proc`.
 * @throws the system's error, naming the folder
 */
export async function makeFolder(folder: string): Promise<void> {
  const missing: string[] = [];
  for (let one = path.resolve(folder); !(await exists(one)); one = path.dirname(one)) missing.push(one);
  for (const one of missing.toReversed()) {
    const mode = one === missing[0] ? PRIVATE : undefined;
    await mkdir(one, { mode }).catch((error: NodeJS.ErrnoException) => {
      // A concurrent process created it.
      if (error.code !== 'EEXIST') throw error;
    });
  }
}

async function exists(folder: string): Promise<boolean> {
  return stat(folder).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );
}
