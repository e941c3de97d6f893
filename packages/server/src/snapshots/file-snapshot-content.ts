import { mkdir, mkdtemp, readdir, readFile, rm, rmdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { Piscina } from 'piscina';
import type { SnapshotContent, StoredContent } from '../domain/ports.ts';
import { checkFreeSpace, TEMPORARY_SUFFIX } from './file-writer.ts';
import type { PutTask, RemoveTask } from './file-writer.ts';
import { CONTENT_SUFFIX, isContentAddress, pathOfContent, unpack } from './packed-html.ts';

/** Milliseconds after which the idle thread ends, with its memory; another starts in a twentieth of a second. */
const IDLE_TIMEOUT_MS = 5000;

/** Puts that the thread may have before it: those that wait in it together are written together. */
const MAX_TOGETHER = 64;

/**
 * Snapshots as files `ab/cd/<sha256>.html.zst` under one folder. A file is written under a temporary
 * name, synced and renamed, so that whatever stands under a final name is whole. The time of last
 * modification is the time of the last put; see {@link SnapshotContent.delete} for what hangs on it.
 *
 * All changes are made by one thread, one after the other: a put and a delete never meet.
 */
export class FileSnapshotContent implements SnapshotContent {
  readonly #folder: string;
  readonly #thread = new Piscina({
    filename: new URL('./file-writer.ts', import.meta.url).href,
    minThreads: 0,
    maxThreads: 1,
    concurrentTasksPerWorker: MAX_TOGETHER,
    idleTimeout: IDLE_TIMEOUT_MS,
  });

  constructor(folder: string) {
    this.#folder = folder;
  }

  async put(html: string): Promise<StoredContent> {
    const task: PutTask = { folder: this.#folder, html };
    return (await this.#thread.run(task, { name: 'put' })) as StoredContent;
  }

  async get(hash: string): Promise<string | undefined> {
    const file = path.join(this.#folder, pathOfContent(hash));
    const packed = await readFile(file).catch(ignoreMissing);
    if (packed === undefined) return undefined;
    return unpack(packed, hash, `the snapshot file ${file}`);
  }

  async delete(hash: string, putBefore?: Date): Promise<void> {
    const task: RemoveTask = { folder: this.#folder, hash, putBefore };
    await this.#thread.run(task, { name: 'remove' });
  }

  /** Temporary files of that age, left by a process that died, are removed on the way. */
  async *listPutBefore(time: Date): AsyncGenerator<readonly string[]> {
    for (const first of await listFolder(this.#folder)) {
      for (const second of await listFolder(path.join(this.#folder, first))) {
        const hashes = await this.#listOlder(path.join(this.#folder, first, second), time);
        if (hashes.length > 0) yield hashes;
      }
    }
  }

  async check(): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    // Rights say too little: a file system that the kernel has given up tells nobody before it is written to.
    await rmdir(await mkdtemp(path.join(this.#folder, '.check-')));
    checkFreeSpace(this.#folder);
  }

  /** Ends the thread; what was put is stored by then. */
  async close(): Promise<void> {
    await this.#thread.close();
  }

  async #listOlder(folder: string, time: Date): Promise<string[]> {
    const hashes: string[] = [];
    for (const name of await listFolder(folder)) {
      const file = path.join(folder, name);
      const found = await stat(file).catch(ignoreMissing);
      if (found === undefined || found.mtimeMs >= time.getTime()) continue;
      if (name.endsWith(TEMPORARY_SUFFIX)) await rm(file, { force: true });
      else if (name.endsWith(CONTENT_SUFFIX)) hashes.push(name.slice(0, -CONTENT_SUFFIX.length));
    }
    return hashes.filter(isContentAddress);
  }
}

async function listFolder(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(ignoreMissing)) ?? [];
}

/** What is not there, or no folder (a stray file on the way), is nothing; every other failure stays one. */
function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
  throw error;
}
