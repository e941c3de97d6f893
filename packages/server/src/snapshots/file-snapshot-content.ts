import fs, { constants } from 'node:fs';
import { access, mkdir, readdir, readFile, rename, rm, stat, statfs, utimes } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { SnapshotContent, StoredContent } from '../domain/ports.ts';
import { KeyedMutex } from './keyed-mutex.ts';
import { CONTENT_SUFFIX, hashBytes, isContentAddress, pack, pathOfContent, unpack } from './packed-html.ts';

const TEMPORARY_SUFFIX = '.tmp';

/** A put is refused while the disk has less than this free: a full disk must not take the database with it. */
const MIN_FREE_BYTES = 64 * 1024 * 1024;
const FREE_SPACE_REUSE_MS = 500;

// Plain descriptors: the file handles of `fs/promises` cost several times as much, at every put.
const openFile = promisify(fs.open);
const writeFile = promisify(fs.writeFile);
const syncFile = promisify(fs.fsync);
const closeFile = promisify(fs.close);

/**
 * Snapshots as files `ab/cd/<sha256>.html.zst` under one folder. A file is written under a temporary
 * name, synced and renamed, so that whatever stands under a final name is whole. The time of last
 * modification is the time of the last put; see {@link SnapshotContent.delete} for what hangs on it.
 */
export class FileSnapshotContent implements SnapshotContent {
  readonly #folder: string;
  /** Puts and deletes of one address come one after the other. */
  readonly #mutex = new KeyedMutex();
  #temporaryCount = 0;
  /** Reading of the clock until which there is known to be room on the disk. */
  #hasSpaceUntil = Number.NEGATIVE_INFINITY;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async put(html: string): Promise<StoredContent> {
    const bytes = Buffer.from(html, 'utf8');
    const hash = await hashBytes(bytes);
    const storedBytes = await this.#mutex.run(
      hash,
      async () => (await this.#touch(hash)) ?? (await this.#write(hash, await pack(bytes))),
    );
    return { hash, bytes: bytes.length, storedBytes };
  }

  async get(hash: string): Promise<string | undefined> {
    const file = this.#fileOf(hash);
    const packed = await readFile(file).catch(ignoreMissing);
    if (packed === undefined) return undefined;
    return unpack(packed, hash, `the snapshot file ${file}`);
  }

  async delete(hash: string, putBefore?: Date): Promise<void> {
    const file = this.#fileOf(hash);
    await this.#mutex.run(hash, async () => {
      if (putBefore !== undefined && !(await isOlder(file, putBefore))) return;
      await rm(file, { force: true });
    });
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
    await access(this.#folder, constants.W_OK);
    await this.#checkFreeSpace();
  }

  async #listOlder(folder: string, time: Date): Promise<string[]> {
    const hashes: string[] = [];
    for (const name of await listFolder(folder)) {
      const file = path.join(folder, name);
      if (!(await isOlder(file, time))) continue;
      if (name.endsWith(TEMPORARY_SUFFIX)) await rm(file, { force: true });
      else if (name.endsWith(CONTENT_SUFFIX)) hashes.push(name.slice(0, -CONTENT_SUFFIX.length));
    }
    return hashes.filter(isContentAddress);
  }

  /** Marks content that is there already as put now; undefined when it is not there. */
  async #touch(hash: string): Promise<number | undefined> {
    const file = this.#fileOf(hash);
    const now = new Date();
    const there = await utimes(file, now, now).then(() => true, ignoreMissing);
    if (there === undefined) return undefined;
    return (await stat(file).catch(ignoreMissing))?.size;
  }

  async #write(hash: string, packed: Buffer): Promise<number> {
    await this.#requireFreeSpace();
    const file = this.#fileOf(hash);
    const folder = path.dirname(file);
    this.#temporaryCount += 1;
    const temporary = path.join(folder, `${hash}.${process.pid}.${this.#temporaryCount}${TEMPORARY_SUFFIX}`);
    // Mostly the folder is there; asking first would cost every put a call.
    const descriptor =
      (await openFile(temporary, 'wx').catch(ignoreMissing)) ??
      (await this.#makeFolder(folder), await openFile(temporary, 'wx'));
    try {
      await writeSynced(descriptor, packed);
      await rename(temporary, file);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
    await syncFolder(folder);
    return packed.length;
  }

  /** A new folder's own entry is synced too, or the file in it could vanish with it. */
  async #makeFolder(folder: string): Promise<void> {
    const topmost = await mkdir(folder, { recursive: true });
    if (topmost === undefined) return;
    for (let parent = path.dirname(folder); ; parent = path.dirname(parent)) {
      await syncFolder(parent);
      if (parent === path.dirname(topmost) || parent === path.dirname(parent)) return;
    }
  }

  /** The disk is asked once for all puts of a short time. */
  async #requireFreeSpace(): Promise<void> {
    if (performance.now() < this.#hasSpaceUntil) return;
    await this.#checkFreeSpace();
    this.#hasSpaceUntil = performance.now() + FREE_SPACE_REUSE_MS;
  }

  async #checkFreeSpace(): Promise<void> {
    const { bavail, bsize } = await statfs(this.#folder).catch(() => statfs(path.dirname(this.#folder)));
    if (bavail * bsize < MIN_FREE_BYTES) {
      throw new Error(`the disk of ${this.#folder} is full: less than ${MIN_FREE_BYTES / 1024 / 1024} MiB are free`);
    }
  }

  #fileOf(hash: string): string {
    return path.join(this.#folder, pathOfContent(hash));
  }
}

async function writeSynced(descriptor: number, bytes: Buffer): Promise<void> {
  try {
    await writeFile(descriptor, bytes);
    await syncFile(descriptor);
  } finally {
    await closeFile(descriptor);
  }
}

async function syncFolder(folder: string): Promise<void> {
  const descriptor = await openFile(folder, 'r');
  try {
    await syncFile(descriptor);
  } finally {
    await closeFile(descriptor);
  }
}

async function isOlder(file: string, time: Date): Promise<boolean> {
  const found = await stat(file).catch(ignoreMissing);
  return found !== undefined && found.mtimeMs < time.getTime();
}

async function listFolder(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(ignoreMissing)) ?? [];
}

/** What is not there, or no folder (a stray file on the way), is nothing; every other failure stays one. */
function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
  throw error;
}
