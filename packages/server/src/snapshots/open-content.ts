import fs from 'node:fs';
import path from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { openSqliteDatabase } from '../sqlite/open-sqlite.ts';
import { isDamage } from '../sqlite/sqlite-damage.ts';
import { isBusy } from '../sqlite/sqlite-faults.ts';

export const CONTENT_DATABASE = 'content.db';

/** Suits compressed HTML, and permits returning free pages to the disk. */
const LAYOUT = 'PRAGMA page_size = 8192; PRAGMA auto_vacuum = INCREMENTAL; ';

/** Wait for a lock; it saves attempts and bounds the wait of reads. */
const HOLD_MS = 100;

const SCHEMA = `CREATE TABLE IF NOT EXISTS contents (
  id INTEGER PRIMARY KEY,
  hash BLOB NOT NULL UNIQUE,
  put_at INTEGER NOT NULL,
  packed BLOB NOT NULL
)`;

interface Opened {
  readonly database: DatabaseSync;
  readonly file: string;
  readonly inode: number;
  readonly canWrite: boolean;
}

let opened: Opened | undefined;

export function openContent(folder: string, purpose: 'write'): DatabaseSync;
export function openContent(folder: string, purpose: 'read'): DatabaseSync | undefined;
export function openContent(folder: string, purpose: 'read' | 'write'): DatabaseSync | undefined {
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
  makeFolder(folder);
  const database = openSqliteDatabase(file, { layout: LAYOUT, holdMs: HOLD_MS });
  try {
    database.exec(SCHEMA);
    return { database, file, inode: fs.statSync(file).ino, canWrite: true };
  } catch (error) {
    database.close();
    throw error;
  }
}

/** On a read-only disk SQLite needs an existing log, or the promise that no other process writes. */
function openToRead(folder: string, file: string): Opened {
  try {
    return openToWrite(folder, file);
  } catch (error) {
    if (isDamage(error) || isBusy(error)) throw error;
    const address = pathToFileURL(file);
    if (!fs.existsSync(`${file}-wal`)) address.searchParams.set('immutable', '1');
    const database = new DatabaseSync(address, { readOnly: true });
    return { database, file, inode: fs.statSync(file).ino, canWrite: false };
  }
}

/** Syncs the directory entry, or a power cut could remove the folder. */
function makeFolder(folder: string): void {
  const topmost = fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (topmost === undefined) return;
  const above = fs.openSync(path.dirname(topmost), 'r');
  try {
    fs.fsyncSync(above);
  } finally {
    fs.closeSync(above);
  }
}

/** Makes the next put reopen the database. */
export function distrustContent(): void {
  if (opened !== undefined) opened = { ...opened, canWrite: false };
}

/** For a thread that continues without contents. */
export function closeContent(): void {
  opened?.database.close();
  opened = undefined;
}

/** A new statement per task would hold memory until garbage collection. */
const statements = new WeakMap<DatabaseSync, Map<string, StatementSync>>();

export function prepare(database: DatabaseSync, text: string): StatementSync {
  const known = statements.get(database) ?? new Map<string, StatementSync>();
  statements.set(database, known);
  const statement = known.get(text) ?? database.prepare(text);
  known.set(text, statement);
  return statement;
}
