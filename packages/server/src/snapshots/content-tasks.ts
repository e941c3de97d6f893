/**
 * What runs in the thread of `LocalSnapshotContent`: each export is a task. The thread waits for the disk at once,
 * so that nobody else has to.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { StoredContent } from '../domain/ports.ts';
import { describeDamage, isDamage, requireWhole } from '../sqlite/sqlite-damage.ts';
import { isBusy, keepCodes } from '../sqlite/sqlite-faults.ts';
import { type Box, box } from '../domain/box.ts';
import { requireFreeSpace } from './free-space.ts';
import { openContent, prepare } from './open-content.ts';
import { hashAtOnce, packAtOnce, requireContentAddress, unpack } from './packed-html.ts';

export { distrustContent } from './open-content.ts';

/** Its errors still tell what they are when they come to the thread that asked. */
export type Task<Given, Result> = (given: Given) => Promise<Result>;

export interface PutTask {
  readonly folder: string;
  readonly texts: readonly string[];
}

/** What came of one text of a {@link PutTask}. */
export type PutOutcome = { readonly stored: StoredContent } | { readonly stored?: undefined; readonly error: unknown };

export interface ContentTask {
  readonly folder: string;
  readonly hash: string;
}

export interface RemoveTask extends ContentTask {
  /** Content that was put since then stays. */
  readonly putBefore: Date | undefined;
}

export interface ListTask {
  readonly folder: string;
  readonly putBefore: Date;
  /** Where the last batch ended; 0 to begin with. */
  readonly afterId: number;
}

export interface ListedContent {
  readonly hashes: readonly string[];
  readonly lastId: number;
}

/** Addresses in one batch of a list. */
const LIST_BATCH = 1000;

/** Pages of the file that one removal gives back to the disk, once a quarter of all is free. */
const SHRINK_PAGES = 256;

/** A text on its way. */
interface Content {
  readonly hash: string;
  readonly bytes: Buffer;
}

/**
 * Stores texts durably, in one wait for the disk; what is there already is only marked as put now. Where they cannot be
 * stored together, each is tried by itself. Answers for each, in their order.
 */
export const put: Task<PutTask, PutOutcome[]> = telling(({ folder, texts }) => {
  const contents = texts.map((text) => {
    const bytes = Buffer.from(text, 'utf8');
    return { hash: hashAtOnce(bytes), bytes };
  });
  return storeGroup(folder, contents);
});

/** The text at an address; undefined when nothing lies there. */
export const get: Task<ContentTask, Box<string | undefined>> = telling(async ({ folder, hash }) => {
  const address = toKey(hash);
  const database = openContent(folder, 'read');
  if (database === undefined) return box(undefined);
  const row = prepare(database, 'SELECT packed FROM contents WHERE hash = ?').get(address);
  if (row === undefined) return box(undefined);
  return box(await unpack(row['packed'] as Uint8Array, hash, `the snapshot ${hash}`));
});

/**
 * Removes content; nothing at the address is no error. The disk is not waited for: content that comes back
 * after a power cut belongs to no row, and the next sweep takes it.
 */
export const remove: Task<RemoveTask, void> = telling(({ folder, hash, putBefore }) => {
  const address = toKey(hash);
  const database = openContent(folder, 'read');
  if (database === undefined) return;
  const before = putBefore?.getTime() ?? Number.MAX_SAFE_INTEGER;
  database.exec('PRAGMA synchronous = NORMAL');
  try {
    prepare(database, 'DELETE FROM contents WHERE hash = ? AND put_at < ?').run(address, before);
    if (isMostlyFree(database)) database.exec(`PRAGMA incremental_vacuum(${SHRINK_PAGES})`);
  } finally {
    database.exec('PRAGMA synchronous = FULL');
  }
});

/** Addresses of content that was last put before the time, in the order in which it first came. */
export const list: Task<ListTask, ListedContent> = telling(({ folder, putBefore, afterId }) => {
  const database = openContent(folder, 'read');
  if (database === undefined) return { hashes: [], lastId: afterId };
  const query = 'SELECT id, lower(hex(hash)) AS hash FROM contents WHERE id > ? AND put_at < ? ORDER BY id LIMIT ?';
  const rows = prepare(database, query).all(afterId, putBefore.getTime(), LIST_BATCH);
  return { hashes: rows.map((row) => row['hash'] as string), lastId: (rows.at(-1)?.['id'] as number) ?? afterId };
});

/** @throws when the database is damaged; reads the whole of it */
export const examine: Task<string, void> = telling((folder) => {
  const database = openToExamine(folder);
  if (database !== undefined) requireWhole(database);
});

/** A file may be so damaged that it cannot be opened. */
function openToExamine(folder: string): DatabaseSync | undefined {
  try {
    return openContent(folder, 'read');
  } catch (error) {
    throw isDamage(error) ? describeDamage(error) : error;
  }
}

function telling<Given, Result>(work: (given: Given) => Result | Promise<Result>): Task<Given, Result> {
  return async (given) => {
    try {
      return await work(given);
    } catch (error) {
      throw keepCodes(error);
    }
  };
}

function storeGroup(folder: string, group: readonly Content[]): PutOutcome[] {
  try {
    const sizes = storeTogether(folder, group);
    return group.map(({ hash, bytes }, index) => ({
      stored: { hash, bytes: bytes.length, storedBytes: sizes[index] ?? 0 },
    }));
  } catch (error) {
    // The lock is not one text's matter: whoever asked comes again with all of them.
    if (isBusy(error)) throw error;
    if (group.length === 1) return [{ error: keepCodes(error) }];
    return group.flatMap((one) => storeGroup(folder, [one]));
  }
}

/** Returns the bytes as stored of each. */
function storeTogether(folder: string, group: readonly Content[]): number[] {
  const database = openContent(folder, 'write');
  requireFreeSpace(folder);
  const touch = prepare(database, 'UPDATE contents SET put_at = ? WHERE hash = ? RETURNING length(packed) AS size');
  const insert = prepare(database, 'INSERT INTO contents (hash, put_at, packed) VALUES (?, ?, ?)');
  prepare(database, 'BEGIN IMMEDIATE').run();
  try {
    const sizes = group.map(({ hash, bytes }) => {
      const address = toKey(hash);
      const known = touch.get(Date.now(), address);
      if (known !== undefined) return known['size'] as number;
      const packed = packAtOnce(bytes);
      insert.run(address, Date.now(), packed);
      return packed.length;
    });
    prepare(database, 'COMMIT').run();
    return sizes;
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

function toKey(hash: string): Buffer {
  requireContentAddress(hash);
  return Buffer.from(hash, 'hex');
}

function isMostlyFree(database: DatabaseSync): boolean {
  const { freelist_count: free } = prepare(database, 'PRAGMA freelist_count').get() as { freelist_count: number };
  const { page_count: all } = prepare(database, 'PRAGMA page_count').get() as { page_count: number };
  return free > SHRINK_PAGES && free * 4 > all;
}
