/** Tasks of `LocalSnapshotContent`'s worker thread, which their synchronous I/O blocks. */
import type { DatabaseSync } from 'node:sqlite';
import type { StoredContent } from '../domain/storage/attachments.ts';
import { describeDamage, isDamage, requireWhole } from '../sqlite/sqlite-damage.ts';
import { isBusy, keepCodes } from '../sqlite/sqlite-faults.ts';
import { type TransferCell, toCell } from '../domain/shared/transfer-cell.ts';
import { requireFreeSpace } from './free-space.ts';
import { openContent, prepare } from './open-content.ts';
import { hashBytes, pack, packAtOnce, requireContentAddress, SMALL_BYTES, unpack } from './packed-html.ts';

export { closeContent, distrustContent } from './open-content.ts';

/** Errors keep their codes when they cross to the calling thread. */
export type Task<Given, Result> = (given: Given) => Promise<Result>;

export interface PutTask {
  readonly folder: string;
  readonly texts: readonly string[];
}

export type PutOutcome = { readonly stored: StoredContent } | { readonly stored?: undefined; readonly error: unknown };

export interface ContentTask {
  readonly folder: string;
  readonly hash: string;
}

export interface RemoveTask extends ContentTask {
  readonly putBefore: Date | undefined;
}

export interface ListTask {
  readonly folder: string;
  readonly putBefore: Date;
  readonly afterId: number;
}

export interface ListedContent {
  readonly hashes: readonly string[];
  readonly lastId: number;
}

const LIST_BATCH = 1000;

/** Pages returned to the disk at once, when a quarter is free. */
const SHRINK_PAGES = 256;

interface Content {
  readonly hash: string;
  readonly bytes: Buffer;
  /** Of a large new text. */
  readonly packed?: Buffer;
}

/** Stores texts with a single sync, or one by one if that fails; existing texts only get a new put time. */
export const put: Task<PutTask, PutOutcome[]> = telling(async ({ folder, texts }) =>
  storeGroup(folder, await Promise.all(texts.map((text) => toContent(folder, text)))),
);

export const get: Task<ContentTask, TransferCell<string | undefined>> = telling(async ({ folder, hash }) => {
  const address = toKey(hash);
  const database = openContent(folder, 'read');
  if (database === undefined) return toCell(undefined);
  const row = prepare(database, 'SELECT packed FROM contents WHERE hash = ?').get(address);
  if (row === undefined) return toCell(undefined);
  return toCell(await unpack(row['packed'] as Uint8Array, hash, `the snapshot ${hash}`));
});

/** Does not sync: content that reappears after a power cut has no row, and the next sweep removes it. */
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

/** In order of insertion. */
export const list: Task<ListTask, ListedContent> = telling(({ folder, putBefore, afterId }) => {
  const database = openContent(folder, 'read');
  if (database === undefined) return { hashes: [], lastId: afterId };
  const query = 'SELECT id, lower(hex(hash)) AS hash FROM contents WHERE id > ? AND put_at < ? ORDER BY id LIMIT ?';
  const rows = prepare(database, query).all(afterId, putBefore.getTime(), LIST_BATCH);
  return { hashes: rows.map((row) => row['hash'] as string), lastId: (rows.at(-1)?.['id'] as number) ?? afterId };
});

/**
 * Checks the whole database.
 * @throws when it is damaged
 */
export const examine: Task<string, void> = telling((folder) => {
  const database = openToExamine(folder);
  if (database !== undefined) requireWhole(database);
});

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

/** Hashes and packs a large text in libuv's threads, so that reads need not wait for it. */
async function toContent(folder: string, text: string): Promise<Content> {
  const bytes = Buffer.from(text, 'utf8');
  const hash = await hashBytes(bytes);
  if (bytes.length <= SMALL_BYTES || isStored(folder, hash)) return { hash, bytes };
  return { hash, bytes, packed: await pack(bytes) };
}

function isStored(folder: string, hash: string): boolean {
  try {
    const database = openContent(folder, 'read');
    return (
      database !== undefined &&
      prepare(database, 'SELECT 1 FROM contents WHERE hash = ?').get(toKey(hash)) !== undefined
    );
  } catch {
    // The put reports it.
    return false;
  }
}

function storeGroup(folder: string, group: readonly Content[]): PutOutcome[] {
  try {
    const sizes = storeTogether(folder, group);
    return group.map(({ hash, bytes }, index) => ({
      stored: { hash, bytes: bytes.length, storedBytes: sizes[index] ?? 0 },
    }));
  } catch (error) {
    // A lock affects the whole group.
    if (isBusy(error)) throw error;
    if (group.length === 1) return [{ error: keepCodes(error) }];
    return group.flatMap((one) => storeGroup(folder, [one]));
  }
}

function storeTogether(folder: string, group: readonly Content[]): number[] {
  const database = openContent(folder, 'write');
  requireFreeSpace(folder);
  const touch = prepare(database, 'UPDATE contents SET put_at = ? WHERE hash = ? RETURNING length(packed) AS size');
  const insert = prepare(database, 'INSERT INTO contents (hash, put_at, packed) VALUES (?, ?, ?)');
  prepare(database, 'BEGIN IMMEDIATE').run();
  try {
    const sizes = group.map(({ hash, bytes, packed }) => {
      const address = toKey(hash);
      const known = touch.get(Date.now(), address);
      if (known !== undefined) return known['size'] as number;
      const blob = packed ?? packAtOnce(bytes);
      insert.run(address, Date.now(), blob);
      return blob.length;
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
