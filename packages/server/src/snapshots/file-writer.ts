/**
 * What runs in the thread of `FileSnapshotContent`: each export is a task. System calls are made at once, which
 * costs a fraction of a round trip through libuv's pool, and a disk that stalls makes only this thread wait.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { StoredContent } from '../domain/ports.ts';
import { hashAtOnce, packAtOnce, pathOfContent } from './packed-html.ts';

export interface PutTask {
  readonly folder: string;
  readonly html: string;
}

export interface RemoveTask {
  readonly folder: string;
  readonly hash: string;
  /** Content that was put since then stays. */
  readonly putBefore: Date | undefined;
}

/** A put is refused while the disk has less than this free: a full disk must not take the database with it. */
const MIN_FREE_BYTES = 64 * 1024 * 1024;
const FREE_SPACE_REUSE_MS = 500;

export const TEMPORARY_SUFFIX = '.tmp';

/** A file on its way; who puts the same content meanwhile waits for the same. */
interface Writing {
  readonly root: string;
  readonly file: string;
  readonly temporary: string;
  readonly packed: Buffer;
  readonly written: PromiseWithResolvers<number>;
  descriptor: number | undefined;
}

/** By path of the file. */
const waiting = new Map<string, Writing>();
let temporaryCount = 0;
/** Reading of the clock until which there is known to be room on the disk. */
let hasSpaceUntil = Number.NEGATIVE_INFINITY;

/** Stores a text durably; what is there already is only marked as put now. */
export async function put({ folder, html }: PutTask): Promise<StoredContent> {
  const bytes = Buffer.from(html, 'utf8');
  const hash = hashAtOnce(bytes);
  const file = path.join(folder, pathOfContent(hash));
  const storedBytes = touch(file) ?? (await write(folder, file, bytes));
  return { hash, bytes: bytes.length, storedBytes };
}

/** Removes content; nothing at the address is no error. */
export function remove({ folder, hash, putBefore }: RemoveTask): void {
  const file = path.join(folder, pathOfContent(hash));
  const found = fs.statSync(file, { throwIfNoEntry: false });
  if (found === undefined || (putBefore !== undefined && found.mtimeMs >= putBefore.getTime())) return;
  fs.rmSync(file, { force: true });
}

/** @throws when there is hardly any room where the folder is, or will be */
export function checkFreeSpace(folder: string): void {
  const { bavail, bsize } = fs.statfsSync(fs.existsSync(folder) ? folder : path.dirname(folder));
  if (bavail * bsize < MIN_FREE_BYTES) {
    throw new Error(`the disk of ${folder} is full: less than ${MIN_FREE_BYTES / 1024 / 1024} MiB are free`);
  }
}

/** The size of content that is there; undefined when it is not. */
function touch(file: string): number | undefined {
  const found = fs.statSync(file, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  const now = new Date();
  fs.utimesSync(file, now, now);
  return found.size;
}

function write(root: string, file: string, bytes: Buffer): Promise<number> {
  const known = waiting.get(file);
  if (known !== undefined) return known.written.promise;
  temporaryCount += 1;
  const writing: Writing = {
    root,
    file,
    temporary: `${file.slice(0, -path.extname(file).length)}.${process.pid}.${temporaryCount}${TEMPORARY_SUFFIX}`,
    packed: packAtOnce(bytes),
    written: Promise.withResolvers(),
    descriptor: undefined,
  };
  // What comes in the same turn of this thread goes along.
  if (waiting.size === 0) setImmediate(writeWaiting);
  waiting.set(file, writing);
  return writing.written.promise;
}

/**
 * Group commit, each step for all files of the group: a journalling file system then commits twice for a group
 * and not twice a file. A file is whole and synced before it gets its name.
 */
function writeWaiting(): void {
  const folders = new Set<string>();
  const steps = [writeTemporary, syncTemporary, giveName, (writing: Writing) => syncFolderOf(writing, folders)];
  let group = [...waiting.values()];
  waiting.clear();
  for (const step of steps) group = group.filter((writing) => attempt(writing, step));
  for (const { written, packed } of group) written.resolve(packed.length);
}

/** Whether the step could be done; a file that fails is given up, the others go on. */
function attempt(writing: Writing, step: (writing: Writing) => void): boolean {
  try {
    step(writing);
    return true;
  } catch (error) {
    if (writing.descriptor !== undefined) fs.closeSync(writing.descriptor);
    fs.rmSync(writing.temporary, { force: true });
    writing.written.reject(error);
    return false;
  }
}

function writeTemporary(writing: Writing): void {
  requireFreeSpace(writing.root);
  writing.descriptor = openNew(writing);
  for (let at = 0; at < writing.packed.length;) at += fs.writeSync(writing.descriptor, writing.packed, at);
}

function openNew({ root, temporary }: Writing): number {
  try {
    return fs.openSync(temporary, 'wx');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    makeFolder(root, path.dirname(temporary));
    return fs.openSync(temporary, 'wx');
  }
}

function syncTemporary(writing: Writing): void {
  if (writing.descriptor === undefined) return;
  fs.fsyncSync(writing.descriptor);
  fs.closeSync(writing.descriptor);
  writing.descriptor = undefined;
}

function giveName({ temporary, file }: Writing): void {
  fs.renameSync(temporary, file);
}

function syncFolderOf({ file }: Writing, synced: Set<string>): void {
  const folder = path.dirname(file);
  if (synced.has(folder)) return;
  syncFolder(folder);
  synced.add(folder);
}

/** A new folder's own entry is synced too, or the file in it could vanish with it. */
function makeFolder(root: string, folder: string): void {
  const topmost = fs.mkdirSync(folder, { recursive: true });
  if (topmost === undefined) return;
  for (let parent = path.dirname(folder); ; parent = path.dirname(parent)) {
    syncFolder(parent);
    if (parent === path.dirname(topmost) || parent === path.dirname(root)) return;
  }
}

function syncFolder(folder: string): void {
  const descriptor = fs.openSync(folder, 'r');
  try {
    fs.fsyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}

/** The disk is asked once for all puts of a short time. */
function requireFreeSpace(folder: string): void {
  if (performance.now() < hasSpaceUntil) return;
  checkFreeSpace(folder);
  hasSpaceUntil = performance.now() + FREE_SPACE_REUSE_MS;
}
