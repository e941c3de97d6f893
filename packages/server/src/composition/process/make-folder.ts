import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';

/** The owner's alone: pages, and the hashes of keys and passwords, lie in what is made here. */
const PRIVATE = 0o700;

/**
 * Makes a folder, private, with those above it, one by one from the first that exists. Node's own recursive `mkdir` tries for
 * ever where the system answers that the folder's parent is not there although it is, as it does under `/proc`.
 * @throws the system's error, naming the folder that cannot be made
 */
export async function makeFolder(folder: string): Promise<void> {
  const missing: string[] = [];
  for (let one = path.resolve(folder); !(await exists(one)); one = path.dirname(one)) missing.push(one);
  for (const one of missing.toReversed()) {
    const mode = one === missing[0] ? PRIVATE : undefined;
    await mkdir(one, { mode }).catch((error: NodeJS.ErrnoException) => {
      // Another process was faster.
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
