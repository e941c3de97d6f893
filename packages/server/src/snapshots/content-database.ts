/**
 * What runs in the thread of `LocalSnapshotContent`: each export is a task. The thread waits for the disk at once,
 * so that nobody else has to, and what comes while it waits is written together.
 */
import fs from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import type { StoredContent } from '../domain/ports.ts';
import { openSqliteDatabase } from '../sqlite/open-sqlite.ts';
import { isDamage, requireWhole } from '../sqlite/sqlite-damage.ts';
import { hashAtOnce, packAtOnce, requireContentAddress, unpack } from './packed-html.ts';

export interface PutTask {
  readonly folder: string;
  readonly html: string;
}

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

/** The database in the folder of the snapshots. */
export const CONTENT_DATABASE = 'content.db';

/** A put is refused while the disk has less than this free: a full disk must not take the database with it. */
const MIN_FREE_BYTES = 64 * 1024 * 1024;
const FREE_SPACE_REUSE_MS = 500;

/** Addresses in one batch of a list. */
const LIST_BATCH = 1000;

/** Pages of the file that one removal gives back to the disk, once a quarter of all is free. */
const SHRINK_PAGES = 256;

/** Only on a new file: pages as packed HTML fills them, and free ones that can be given back. */
const LAYOUT = 'PRAGMA page_size = 8192; PRAGMA auto_vacuum = INCREMENTAL; ';

/** The id only orders the rows as they came: a new one goes to the end of the file. */
const SCHEMA = `CREATE TABLE IF NOT EXISTS contents (
  id INTEGER PRIMARY KEY,
  hash BLOB NOT NULL UNIQUE,
  put_at INTEGER NOT NULL,
  packed BLOB NOT NULL
)`;

/** Content on its way; who puts the same meanwhile waits for the same. */
interface Waiting {
  readonly folder: string;
  readonly hash: string;
  readonly bytes: Buffer;
  readonly stored: PromiseWithResolvers<number>;
}

/** By folder and address. */
const waiting = new Map<string, Waiting>();

/** Stores a text durably; what is there already is only marked as put now. */
export async function put({ folder, html }: PutTask): Promise<StoredContent> {
  const bytes = Buffer.from(html, 'utf8');
  const hash = hashAtOnce(bytes);
  const storedBytes = await join({ folder, hash, bytes, stored: Promise.withResolvers() });
  return { hash, bytes: bytes.length, storedBytes };
}

/** The text at an address; undefined when nothing lies there. */
export async function get({ folder, hash }: ContentTask): Promise<string | undefined> {
  const address = toKey(hash);
  const database = open(folder, 'read');
  if (database === undefined) return undefined;
  const row = prepare(database, 'SELECT packed FROM contents WHERE hash = ?').get(address);
  if (row === undefined) return undefined;
  return unpack(row['packed'] as Uint8Array, hash, `the snapshot ${hash}`);
}

/**
 * Removes content; nothing at the address is no error. The disk is not waited for: content that comes back
 * after a power cut belongs to no row, and the next sweep takes it.
 */
export function remove({ folder, hash, putBefore }: RemoveTask): void {
  const address = toKey(hash);
  const database = open(folder, 'read');
  if (database === undefined) return;
  const before = putBefore?.getTime() ?? Number.MAX_SAFE_INTEGER;
  database.exec('PRAGMA synchronous = NORMAL');
  try {
    prepare(database, 'DELETE FROM contents WHERE hash = ? AND put_at < ?').run(address, before);
    if (isMostlyFree(database)) database.exec(`PRAGMA incremental_vacuum(${SHRINK_PAGES})`);
  } finally {
    database.exec('PRAGMA synchronous = FULL');
  }
}

/** Addresses of content that was last put before the time, in the order in which it first came. */
export function list({ folder, putBefore, afterId }: ListTask): ListedContent {
  const database = open(folder, 'read');
  if (database === undefined) return { hashes: [], lastId: afterId };
  const query = 'SELECT id, lower(hex(hash)) AS hash FROM contents WHERE id > ? AND put_at < ? ORDER BY id LIMIT ?';
  const rows = prepare(database, query).all(afterId, putBefore.getTime(), LIST_BATCH);
  return { hashes: rows.map((row) => row['hash'] as string), lastId: (rows.at(-1)?.['id'] as number) ?? afterId };
}

/** @throws when the database is damaged; reads the whole of it */
export function examine(folder: string): void {
  const database = open(folder, 'read');
  if (database !== undefined) requireWhole(database);
}

/** The folder was found unfit for writing: the next put opens the database anew, as it finds it by then. */
export function distrust(): void {
  if (opened !== undefined) opened = { ...opened, canWrite: false };
}

/** @throws when there is hardly any room where the folder is, or will be */
export function checkFreeSpace(folder: string): void {
  const { bavail, bsize } = fs.statfsSync(fs.existsSync(folder) ? folder : path.dirname(folder));
  if (bavail * bsize < MIN_FREE_BYTES) {
    throw new Error(`the disk of ${folder} is full: less than ${MIN_FREE_BYTES / 1024 / 1024} MiB are free`);
  }
}

interface Opened {
  readonly database: DatabaseSync;
  readonly file: string;
  readonly inode: number;
  readonly canWrite: boolean;
}

let opened: Opened | undefined;
/** Reading of the clock until which there is known to be room on the disk. */
let hasSpaceUntil = Number.NEGATIVE_INFINITY;

function open(folder: string, purpose: 'write'): DatabaseSync;
function open(folder: string, purpose: 'read'): DatabaseSync | undefined;
/** The database that lies in the folder now; to write, one is made where there is none. */
function open(folder: string, purpose: 'read' | 'write'): DatabaseSync | undefined {
  const file = path.join(folder, CONTENT_DATABASE);
  const inode = fs.statSync(file, { throwIfNoEntry: false })?.ino;
  const isSame = opened?.file === file && opened.inode === inode;
  if (opened !== undefined && isSame && (opened.canWrite || purpose === 'read')) return opened.database;
  if (inode === undefined && purpose === 'read') return undefined;
  const next = purpose === 'write' ? openToWrite(folder, file) : openToRead(folder, file);
  opened?.database.close();
  opened = next;
  return next.database;
}

function openToWrite(folder: string, file: string): Opened {
  fs.mkdirSync(folder, { recursive: true });
  const database = openSqliteDatabase(file, LAYOUT);
  try {
    database.exec(SCHEMA);
    return { database, file, inode: fs.statSync(file).ino, canWrite: true };
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Where nothing may be written, SQLite reads a database beside the log that lies there; without a log, only when
 * told that nobody else writes.
 */
function openToRead(folder: string, file: string): Opened {
  try {
    return openToWrite(folder, file);
  } catch (error) {
    if (isDamage(error)) throw error;
    const address = pathToFileURL(file);
    if (!fs.existsSync(`${file}-wal`)) address.searchParams.set('immutable', '1');
    const database = new DatabaseSync(address, { readOnly: true });
    return { database, file, inode: fs.statSync(file).ino, canWrite: false };
  }
}

function join(one: Waiting): Promise<number> {
  const key = `${one.folder}/${one.hash}`;
  const known = waiting.get(key);
  if (known !== undefined) return known.stored.promise;
  // What comes in the same turn of this thread goes along.
  if (waiting.size === 0) setImmediate(storeWaiting);
  waiting.set(key, one);
  return one.stored.promise;
}

function storeWaiting(): void {
  const groups = Map.groupBy(waiting.values(), ({ folder }) => folder);
  waiting.clear();
  for (const [folder, group] of groups) storeGroup(folder, group);
}

/** Group commit: the disk is waited for once. Where a group fails, each is tried by itself. */
function storeGroup(folder: string, group: readonly Waiting[]): void {
  try {
    const sizes = storeTogether(folder, group);
    for (const [index, { stored }] of group.entries()) stored.resolve(sizes[index] ?? 0);
  } catch (error) {
    if (group.length === 1) group[0]?.stored.reject(error);
    else for (const one of group) storeGroup(folder, [one]);
  }
}

/** Returns the bytes as stored of each. */
function storeTogether(folder: string, group: readonly Waiting[]): number[] {
  const database = open(folder, 'write');
  requireFreeSpace(folder);
  const touch = prepare(database, 'UPDATE contents SET put_at = ? WHERE hash = ? RETURNING length(packed) AS size');
  const insert = prepare(database, 'INSERT INTO contents (hash, put_at, packed) VALUES (?, ?, ?)');
  database.exec('BEGIN IMMEDIATE');
  try {
    const sizes = group.map(({ hash, bytes }) => {
      const address = toKey(hash);
      const known = touch.get(Date.now(), address);
      if (known !== undefined) return known['size'] as number;
      const packed = packAtOnce(bytes);
      insert.run(address, Date.now(), packed);
      return packed.length;
    });
    database.exec('COMMIT');
    return sizes;
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/** Statements by their text: one that is made for each task stays until the collector comes, with SQLite's memory. */
const statements = new WeakMap<DatabaseSync, Map<string, StatementSync>>();

function prepare(database: DatabaseSync, text: string): StatementSync {
  const known = statements.get(database) ?? new Map<string, StatementSync>();
  statements.set(database, known);
  const statement = known.get(text) ?? database.prepare(text);
  known.set(text, statement);
  return statement;
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

/** The disk is asked once for all puts of a short time. */
function requireFreeSpace(folder: string): void {
  if (performance.now() < hasSpaceUntil) return;
  checkFreeSpace(folder);
  hasSpaceUntil = performance.now() + FREE_SPACE_REUSE_MS;
}
