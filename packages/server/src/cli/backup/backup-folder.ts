import { existsSync, lstatSync } from 'node:fs';
import { chmod, copyFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { listContents } from '../../domain/storage/attachments.ts';
import type { SnapshotContent } from '../../domain/storage/snapshot-ports.ts';
import { describeKind, readRegularFile } from '../../config/regular-file.ts';
import { closing } from '../../domain/shared/closing.ts';
import { openNamedStore, makeFolder } from '../../composition/open-configured-store.ts';
import { checkFreeSpace } from '../../snapshots/free-space.ts';
import { CONTENT_DATABASE } from '../../snapshots/open-content.ts';
import { LocalSnapshotContent } from '../../snapshots/local-snapshot-content.ts';
import { isDamagedContent } from '../../snapshots/packed-html.ts';
import { ROW_GRACE_MS } from '../../domain/storage/delete-snapshot.ts';
import { openSqliteDatabase } from '../../sqlite/open-sqlite.ts';
import { findDamage, isDamage } from '../../sqlite/sqlite-damage.ts';
import { isDiskFull } from '../../sqlite/sqlite-faults.ts';
import type { Store } from '../../store/open-store.ts';
import { CommandError } from '../support/cli-io.ts';

/** A backup is a folder with the database, the snapshots' content and this file. */
const MANIFEST = 'winnow-backup.json';
const DATABASE = 'winnow.db';
const FORMAT = 1;
const SNAPSHOTS = 'snapshots';
const MAX_MANIFEST_BYTES = 64 * 1024;

/** Files that a restore opens, with the logs that SQLite opens beside them. */
const FILES: readonly string[] = [
  MANIFEST,
  ...[DATABASE, path.join(SNAPSHOTS, CONTENT_DATABASE)].flatMap((name) =>
    ['', '-journal', '-shm', '-wal'].map((end) => name + end),
  ),
];

/**
 * Time until restored content is put again, in milliseconds. The sweeper's grace period is three times as long, because
 * it may have started earlier.
 */
const PUT_AGAIN_MS = ROW_GRACE_MS / 3;

/** Contents copied concurrently; they share a sync. */
const TOGETHER = 8;

export interface BackupReport {
  readonly projects: number;
  readonly snapshots: number;
  /** Rows omitted because their page is missing or damaged. */
  readonly leftOut: number;
  /** Pictures and MHTML files of the snapshots. */
  readonly attachments: number;
}

interface BackupSource {
  readonly store: Store;
  readonly content: SnapshotContent;
  /** Aborts without leaving anything behind. */
  readonly signal?: AbortSignal;
}

async function openRows(folder: string): Promise<Store & AsyncDisposable> {
  return closing(await openNamedStore({ sqliteFile: path.join(folder, DATABASE) }));
}

function openContents(folder: string): LocalSnapshotContent & AsyncDisposable {
  return closing(new LocalSnapshotContent(path.join(folder, SNAPSHOTS)));
}

/**
 * Writes a backup, also while the service runs: rows first, then their content. Rows whose content disappeared are removed.
 * The folder gets its final name when complete; a failed one is removed.
 */
export async function writeBackup(source: BackupSource, folder: string): Promise<BackupReport> {
  const partial = `${folder}.partial`;
  await rm(partial, { recursive: true, force: true });
  await makeFolder(partial);
  try {
    const report = await fillBackup(source, partial);
    await rename(partial, folder);
    return report;
  } catch (error) {
    // The source disk may be full instead.
    const isFull = isDiskFull(error) && !hasRoom(partial);
    await rm(partial, { recursive: true, force: true });
    if (!isFull) throw error;
    throw new CommandError(`the disk of ${path.dirname(folder)} has no room for the backup`, { cause: error });
  }
}

function hasRoom(folder: string): boolean {
  try {
    checkFreeSpace(folder);
    return true;
  } catch (error) {
    if (isDiskFull(error)) return false;
    throw error;
  }
}

async function fillBackup(source: BackupSource, partial: string): Promise<BackupReport> {
  await source.store.backup(path.join(partial, DATABASE));
  // Damage would be copied and found only at the restore.
  const damage = findDamage(path.join(partial, DATABASE));
  if (damage !== undefined) throw new CommandError(`the database is damaged, restore an earlier backup (${damage})`);
  const report = await fillContents(source, partial);
  const manifest = { format: FORMAT, created_at: new Date().toISOString(), ...report };
  await writeFile(path.join(partial, MANIFEST), `${JSON.stringify(manifest, undefined, 2)}\n`, { mode: 0o600 });
  return report;
}

async function fillContents({ content, signal }: BackupSource, partial: string): Promise<BackupReport> {
  await using rows = await openRows(partial);
  await using contents = openContents(partial);
  return await copyContents(
    rows,
    (hash) => copyContent(content, contents, hash),
    (projectId, domId) => rows.snapshots.delete(projectId, domId),
    signal,
  );
}

export interface RestoreTarget {
  readonly content: SnapshotContent;
  /** Temporary folder, created and removed. */
  readonly scratch: string;
  /** Called when the rows are valid, before any content is put. */
  readonly onSound?: () => Promise<void>;
  putRows(databaseFile: string): Promise<void>;
  /** Aborts without changes until the rows are replaced. */
  readonly signal?: AbortSignal;
  /** Milliseconds. Default: the clock. */
  readonly now?: () => number;
}

/**
 * Restores a backup: content first, then rows. Content that a sweep may have removed meanwhile is put again, before and
 * after the rows. Rows of an earlier version are migrated in a copy.
 */
export async function readBackup(folder: string, target: RestoreTarget): Promise<BackupReport> {
  const listed = readManifest(folder);
  await rm(target.scratch, { recursive: true, force: true });
  await makeFolder(target.scratch);
  try {
    const rows = path.join(target.scratch, DATABASE);
    await copyFile(path.join(folder, DATABASE), rows);
    // A copy inherits the permissions.
    await chmod(rows, 0o600);
    // Damage in unread tables would replace a good state.
    const damage = findDamage(rows);
    if (damage !== undefined) throw new CommandError(`the backup is damaged: its ${DATABASE} is (${damage})`);
    dropPrograms(rows);
    await target.onSound?.();
    return await readRows(folder, listed, target);
  } finally {
    await rm(target.scratch, { recursive: true, force: true });
  }
}

/** A backup may come from elsewhere: its triggers would run with every later write, and a view may never end. */
function dropPrograms(file: string): void {
  const database = openSqliteDatabase(file);
  try {
    const programs = database.prepare(`select type, name from sqlite_schema where type in ('trigger', 'view')`).all();
    for (const { type, name } of programs)
      database.exec(`drop ${String(type)} "${String(name).replaceAll('"', '""')}"`);
  } finally {
    database.close();
  }
}

async function readRows(folder: string, listed: Manifest, target: RestoreTarget): Promise<BackupReport> {
  await using from = openContents(folder);
  const bytes = new RestoredBytes(from, target);
  const report = await readContents(target, bytes);
  // Missing rows would empty the current state.
  if (report.projects !== listed.projects || report.snapshots !== listed.snapshots) {
    const found = `${report.projects} projects and ${report.snapshots} snapshots`;
    throw new CommandError(`the backup is damaged: it has ${found}, not ${listed.projects} and ${listed.snapshots}`);
  }
  if (report.attachments < (listed.attachments ?? 0)) {
    const found = `${report.attachments} of ${listed.attachments} pictures and MHTML files`;
    throw new CommandError(`the backup is damaged: it has ${found}`);
  }
  await bytes.putAgain();
  requireGoing(target.signal);
  await target.putRows(path.join(target.scratch, DATABASE));
  await bytes.putAgain();
  return report;
}

async function readContents({ scratch, signal }: RestoreTarget, bytes: RestoredBytes): Promise<BackupReport> {
  await using rows = await openRows(scratch);
  return await copyContents(
    rows,
    (hash) => bytes.put(hash),
    async (_projectId, domId) => {
      throw new CommandError(`the backup is damaged: the bytes of ${domId} cannot be read`);
    },
    signal,
  );
}

class RestoredBytes {
  readonly #from: SnapshotContent;
  readonly #to: SnapshotContent;
  readonly #now: () => number;
  /** Milliseconds by address. */
  readonly #putAt = new Map<string, number>();

  constructor(from: SnapshotContent, { content, now = Date.now }: RestoreTarget) {
    this.#from = from;
    this.#to = content;
    this.#now = now;
  }

  async put(hash: string): Promise<boolean> {
    const at = this.#now();
    // A put of existing content only renews it, so damage would remain.
    if (await isDamagedAt(this.#to, hash)) await this.#to.delete(hash);
    const isThere = await copyContent(this.#from, this.#to, hash);
    if (isThere) this.#putAt.set(hash, at);
    return isThere;
  }

  /** Puts content again whose last put is too long ago. */
  async putAgain(): Promise<void> {
    const before = this.#now() - PUT_AGAIN_MS;
    const old = [...this.#putAt].filter(([, at]) => at < before);
    await doTogether(old, async ([hash]) => {
      if (!(await this.put(hash)))
        throw new CommandError(`the backup is damaged: the bytes at ${hash} cannot be read any more`);
    });
  }
}

type Manifest = Partial<BackupReport & { readonly format: number }>;

function readManifest(folder: string): Manifest {
  if (!existsSync(path.join(folder, MANIFEST)))
    throw new CommandError(`${folder} is not a backup: it has no ${MANIFEST}`);
  requireStoredFiles(folder);
  const manifest = parseManifest(readRegularFile(path.join(folder, MANIFEST), MAX_MANIFEST_BYTES).toString('utf8'));
  if (manifest.format !== FORMAT)
    throw new CommandError(`${folder} has the format ${String(manifest.format)}; this program reads ${FORMAT}`);
  // Opening would create a missing database.
  if (!existsSync(path.join(folder, DATABASE)))
    throw new CommandError(`the backup is damaged: ${folder} has no ${DATABASE}`);
  return manifest;
}

/** A backup may come from elsewhere: links would lead out of it, and pipes and devices may wait forever. */
function requireStoredFiles(folder: string): void {
  for (const name of FILES) {
    const found = lstatSync(path.join(folder, name), { throwIfNoEntry: false });
    const kind = found && describeKind(found);
    if (kind !== undefined) throw new CommandError(`the backup is damaged: ${path.join(folder, name)} is ${kind}`);
  }
  if (lstatSync(path.join(folder, SNAPSHOTS), { throwIfNoEntry: false })?.isDirectory() === false)
    throw new CommandError(`the backup is damaged: ${path.join(folder, SNAPSHOTS)} is not a folder`);
}

function parseManifest(text: string): Manifest {
  try {
    return { ...(JSON.parse(text) as Manifest) };
  } catch (error) {
    throw new CommandError(`the backup is damaged: its ${MANIFEST} cannot be read`, { cause: error });
  }
}

/** Copies each referenced content once. A snapshot without its page is reported, one without an attachment stays. */
async function copyContents(
  rows: Store,
  copy: (hash: string) => Promise<boolean>,
  onMissing: (projectId: string, domId: string) => Promise<unknown>,
  signal: AbortSignal | undefined,
): Promise<BackupReport> {
  const done = new Map<string, boolean>();
  const counts = { projects: 0, snapshots: 0, leftOut: 0, attachments: 0 };
  for (const project of await rows.projects.list()) {
    counts.projects += 1;
    for (let cursor: string | null | undefined; cursor !== null;) {
      requireGoing(signal);
      const page = await rows.snapshots.list(project.id, {}, { limit: TOGETHER, cursor });
      const hashes = new Set(page.items.flatMap(listContents).filter((hash) => !done.has(hash)));
      await doTogether([...hashes], async (hash) => done.set(hash, await copy(hash)));
      for (const row of page.items) {
        const [isThere, ...attachments] = listContents(row).map((hash) => done.get(hash) === true);
        counts[isThere === true ? 'snapshots' : 'leftOut'] += 1;
        if (isThere === true) counts.attachments += attachments.filter(Boolean).length;
        else await onMissing(project.id, row.domId);
      }
      cursor = page.nextCursor;
    }
  }
  return counts;
}

/** Works on a few items at a time. Waits for all of them, then throws the first failure. */
async function doTogether<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  for (let start = 0; start < items.length; start += TOGETHER) {
    const outcomes = await Promise.allSettled(items.slice(start, start + TOGETHER).map(work));
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  }
}

function requireGoing(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new CommandError('stopped');
}

async function isDamagedAt(content: SnapshotContent, hash: string): Promise<boolean> {
  return content.get(hash).then(
    () => false,
    (error: unknown) => {
      if (isDamagedContent(error)) return true;
      throw error;
    },
  );
}

/** Returns false for missing or damaged content; other errors of the store are thrown. */
async function copyContent(from: SnapshotContent, to: SnapshotContent, hash: string): Promise<boolean> {
  const html = await from.get(hash).catch((error: unknown) => {
    if (isDamagedContent(error) || isDamage(error)) return undefined;
    throw error;
  });
  if (html === undefined) return false;
  await to.put(html);
  return true;
}
