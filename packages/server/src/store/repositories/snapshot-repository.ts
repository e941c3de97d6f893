import type { Kysely, Selectable } from 'kysely';
import type { Page, PageRequest } from '../../domain/shared/ports.ts';
import type { StoredAttachments, StoredScreenshot } from '../../domain/storage/attachments.ts';
import type {
  RemovedSnapshot,
  SnapshotFilter,
  SnapshotRepository,
  SnapshotRow,
} from '../../domain/storage/snapshot-ports.ts';
import { readListPage, decodeCursor, limitOf } from '../queries/read-list-page.ts';
import { InsertBatcher } from '../queries/insert-batcher.ts';
import { QueryCache } from '../queries/query-cache.ts';
import type { Database, SnapshotTable } from '../schema/schema.ts';
import { indexedConditions, isScan, SNAPSHOT_ORDER, SnapshotSearch } from './snapshot-search.ts';
import { changeStorage } from './storage-repository.ts';
import { mapRows } from '../schema/rows.ts';
import { SqlRepository } from '../queries/sql-repository.ts';

/** Rows in one statement: 21 values each, below the parameter limit of both databases. */
const MAX_BATCH = 100;

const QUERIES = new QueryCache();

/** Sizes are summed over 1/256 of the content hashes at a time, which limits blocking of the event loop. */
const HASH_SLICES = Array.from({ length: 256 }, (_, slice) => slice.toString(16).padStart(2, '0'));

export class SqlSnapshotRepository extends SqlRepository implements SnapshotRepository {
  readonly #inserts: InsertBatcher<SnapshotTable>;
  readonly #search: SnapshotSearch;

  constructor(db: Kysely<Database>) {
    super(db);
    this.#search = new SnapshotSearch(db);
    this.#inserts = new InsertBatcher((rows) => insertCounted(db, rows), MAX_BATCH);
  }

  insert(row: SnapshotRow): Promise<void> {
    return this.#inserts.add(toTable(row));
  }

  async find(projectId: string, domId: string): Promise<SnapshotRow | undefined> {
    const row = await this.db
      .selectFrom('snapshots')
      .selectAll()
      .where((eb) => eb.and({ dom_id: domId, project_id: projectId }))
      .executeTakeFirst();
    return row && toSnapshot(row);
  }

  async findReusable(projectId: string, reuseKey: string, fetchedFrom: Date): Promise<SnapshotRow | undefined> {
    const row = await this.db
      .selectFrom('snapshots')
      .selectAll()
      .where((eb) => eb.and({ project_id: projectId, reuse_key: reuseKey }))
      .where('fetched_at', '>=', fetchedFrom.getTime())
      .orderBy('fetched_at', 'desc')
      .limit(1)
      .executeTakeFirst();
    return row && toSnapshot(row);
  }

  async list(projectId: string, filter: SnapshotFilter = {}, page: PageRequest = {}): Promise<Page<SnapshotRow>> {
    if (isScan(filter)) {
      const after = page.cursor === undefined ? undefined : decodeCursor(page.cursor);
      return this.#search.run({ projectId, filter, limit: limitOf(page), after }, toSnapshot);
    }
    const snapshots = this.db
      .selectFrom('snapshots')
      .selectAll()
      .where('project_id', '=', projectId)
      .where((where) => where.and(indexedConditions(where, filter)));
    return readListPage(snapshots, SNAPSHOT_ORDER, page, toSnapshot);
  }

  async delete(projectId: string, domId: string): Promise<boolean> {
    return this.db.transaction().execute(async (transaction) => {
      const rows = await transaction
        .deleteFrom('snapshots')
        .where((eb) => eb.and({ dom_id: domId, project_id: projectId }))
        .returningAll()
        .execute();
      await countRemoved(transaction, rows);
      return rows.length > 0;
    });
  }

  async removeOldest(
    limit: number,
    { fetchedBefore, projectId }: { readonly fetchedBefore?: Date; readonly projectId?: string } = {},
  ): Promise<RemovedSnapshot[]> {
    return this.db.transaction().execute(async (transaction) => {
      let oldest = transaction
        .selectFrom('snapshots')
        .select('dom_id')
        .orderBy('fetched_at')
        .orderBy('dom_id')
        .limit(limit);
      if (fetchedBefore !== undefined) oldest = oldest.where('fetched_at', '<', fetchedBefore.getTime());
      if (projectId !== undefined) oldest = oldest.where('project_id', '=', projectId);
      const rows = await transaction.deleteFrom('snapshots').where('dom_id', 'in', oldest).returningAll().execute();
      await countRemoved(transaction, rows);
      return rows.map((row) => ({
        domId: row.dom_id,
        hash: row.hash,
        storedBytes: row.stored_bytes,
        rowBytes: rowBytesOf(row),
        attachmentHashes: [row.screenshot_hash, row.mhtml_hash].filter((hash) => hash !== null),
      }));
    });
  }

  async findLargestProject(): Promise<string | undefined> {
    const row = await this.db
      .selectFrom('project_storage')
      .select('project_id')
      .where('snapshots', '>', 0)
      .orderBy((eb) => eb('content_bytes', '+', eb.ref('row_bytes')), 'desc')
      .orderBy('project_id')
      .limit(1)
      .executeTakeFirst();
    return row?.project_id;
  }

  async findUnreferenced(hashes: readonly string[]): Promise<string[]> {
    if (hashes.length === 0) return [];
    const usedIn = (column: 'hash' | 'screenshot_hash' | 'mhtml_hash') =>
      this.db
        .selectFrom('snapshots')
        .select((eb) => eb.ref(column).$castTo<string>().as('hash'))
        .where(column, 'in', [...hashes]);
    const rows = await usedIn('hash').union(usedIn('screenshot_hash')).union(usedIn('mhtml_hash')).execute();
    const referenced = new Set(rows.map((row) => row.hash));
    return [...new Set(hashes)].filter((hash) => !referenced.has(hash));
  }

  async totalStoredBytes(): Promise<number> {
    const rows = await this.db
      .selectFrom('project_storage')
      .select(({ fn }) => fn.sum<number | null>('row_bytes').as('bytes'))
      .executeTakeFirst();
    let total = rows?.bytes ?? 0;
    for (const slice of HASH_SLICES) {
      const contents = this.db
        .selectFrom('snapshots')
        .select(({ fn }) => fn.max('stored_bytes').as('size'))
        .where('hash', '>=', slice)
        .where('hash', '<', `${slice}g`)
        .groupBy('hash')
        .as('contents');
      const size = await this.db
        .selectFrom(contents)
        .select(({ fn }) => fn.sum<number | null>('contents.size').as('bytes'))
        .executeTakeFirst();
      total += size?.bytes ?? 0;
      await new Promise((resolve) => setImmediate(resolve));
    }
    return total;
  }

  /** Settles when all added rows are written. */
  async drain(): Promise<void> {
    await this.#inserts.drain();
  }
}

/** Inserts snapshots with distinct ids and counts them for their projects. */
async function insertCounted(db: Kysely<Database>, rows: readonly SnapshotTable[]): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const projects = groupByProject(rows);
    // Locks the projects' counters first: content stored by a concurrent transaction is then visible.
    for (const [projectId, own] of projects) {
      const rowBytes = sum(own.map(rowBytesOf));
      await changeStorage(transaction, projectId, { snapshots: own.length, row_bytes: rowBytes });
    }
    const known = await findContents(transaction, rows);
    await QUERIES.run(transaction, {
      shape: `insert ${rows.length}`,
      parameters: rows.flatMap((row) => Object.values(row)),
      build: () => transaction.insertInto('snapshots').values([...rows]),
    });
    for (const [projectId, own] of projects) {
      const contentBytes = sumContents(own.filter((row) => !known.has(contentKey(row))));
      if (contentBytes > 0) await changeStorage(transaction, projectId, { content_bytes: contentBytes });
    }
  });
}

/** Subtracts deleted rows from the storage of their projects. */
async function countRemoved(transaction: Kysely<Database>, rows: readonly Selectable<SnapshotTable>[]): Promise<void> {
  if (rows.length === 0) return;
  const projects = groupByProject(rows);
  for (const [projectId, own] of projects) {
    const rowBytes = sum(own.map(rowBytesOf));
    await changeStorage(transaction, projectId, { snapshots: -own.length, row_bytes: -rowBytes });
  }
  const left = await findContents(transaction, rows);
  for (const [projectId, own] of projects) {
    const contentBytes = sumContents(own.filter((row) => !left.has(contentKey(row))));
    if (contentBytes > 0) await changeStorage(transaction, projectId, { content_bytes: -contentBytes });
  }
}

type ContentOfProject = Pick<SnapshotTable, 'project_id' | 'hash' | 'stored_bytes'>;

/** Sorted, so that two transactions lock the projects' counters in the same order. */
function groupByProject<Row extends ContentOfProject>(rows: readonly Row[]): [string, Row[]][] {
  return [...Map.groupBy(rows, (row) => row.project_id)].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/** Returns the contents that the rows' projects currently store. */
async function findContents(db: Kysely<Database>, rows: readonly ContentOfProject[]): Promise<Set<string>> {
  const hashes = [...new Set(rows.map(({ hash }) => hash))];
  const projects = [...new Set(rows.map((row) => row.project_id))];
  const found = await QUERIES.run(db, {
    shape: `contents ${hashes.length} ${projects.length}`,
    parameters: [...hashes, ...projects],
    build: () =>
      db
        .selectFrom('snapshots')
        .select(['project_id', 'hash'])
        .distinct()
        .where('hash', 'in', hashes)
        .where('project_id', 'in', projects),
  });
  return new Set(found.map(contentKey));
}

function contentKey(row: Pick<SnapshotTable, 'project_id' | 'hash'>): string {
  return `${row.project_id} ${row.hash}`;
}

/** Sums sizes, counting each content once. */
function sumContents(rows: readonly ContentOfProject[]): number {
  return sum([...new Map(rows.map((row) => [row.hash, row.stored_bytes])).values()]);
}

const ROW_BYTES = 512;

/**
 * Estimates the disk space of a row with its attachments: its texts plus a fixed share for other columns and indexes. It
 * prevents callers from filling the database with rows of small or shared content.
 */
function rowBytesOf(row: Selectable<SnapshotTable>): number {
  const texts = [row.url, row.final_url, row.content_type, row.content_language];
  const attached = (row.screenshot_bytes ?? 0) + (row.mhtml_stored_bytes ?? 0);
  return ROW_BYTES + attached + sum(texts.map((text) => Buffer.byteLength(text ?? '')));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

const SNAPSHOT = mapRows<Omit<SnapshotRow, keyof StoredAttachments>>()({
  plain: ['domId', 'projectId', 'hash', 'bytes', 'storedBytes', 'statusCode', 'engine', 'reuseKey'],
  foreign: ['url', 'finalUrl', 'contentType', 'contentLanguage', 'title'],
  time: ['fetchedAt'],
  flag: ['filtered'],
});

/** The cached insert needs a fixed column order. */
function toTable(row: SnapshotRow): SnapshotTable {
  const host = URL.parse(row.finalUrl)?.hostname ?? '';
  return { ...SNAPSHOT.toRow(row), host, ...toAttachmentColumns(row) };
}

function toSnapshot(row: Selectable<SnapshotTable>): SnapshotRow {
  const { reuseKey, ...facts } = SNAPSHOT.fromRow(row);
  return { ...facts, ...(reuseKey === null ? {} : { reuseKey }), ...readScreenshot(row), ...readMhtml(row) };
}

type ScreenshotColumns = Pick<Selectable<SnapshotTable>, 'screenshot_hash' | 'screenshot_bytes' | 'screenshot'>;
type MhtmlColumns = Pick<Selectable<SnapshotTable>, 'mhtml_hash' | 'mhtml_stored_bytes' | 'mhtml_bytes'>;
function toAttachmentColumns({ screenshot, mhtml }: StoredAttachments): ScreenshotColumns & MhtmlColumns {
  return {
    ...toScreenshotColumns(screenshot),
    mhtml_hash: mhtml?.hash ?? null,
    mhtml_stored_bytes: mhtml?.storedBytes ?? null,
    mhtml_bytes: mhtml?.bytes ?? null,
  };
}

function toScreenshotColumns(screenshot: StoredScreenshot | undefined): ScreenshotColumns {
  if (screenshot === undefined) return { screenshot_hash: null, screenshot_bytes: null, screenshot: null };
  const { hash, storedBytes, ...facts } = screenshot;
  return { screenshot_hash: hash, screenshot_bytes: storedBytes, screenshot: JSON.stringify(facts) };
}

function readScreenshot(row: ScreenshotColumns): Pick<StoredAttachments, 'screenshot'> {
  if (row.screenshot_hash === null || row.screenshot === null) return {};
  const facts = JSON.parse(row.screenshot) as Omit<StoredScreenshot, 'hash' | 'storedBytes'>;
  return { screenshot: { ...facts, hash: row.screenshot_hash, storedBytes: row.screenshot_bytes ?? 0 } };
}

function readMhtml({ mhtml_hash: hash, mhtml_stored_bytes: storedBytes, mhtml_bytes: bytes }: MhtmlColumns) {
  return hash === null ? {} : { mhtml: { hash, storedBytes: storedBytes ?? 0, bytes: bytes ?? 0 } };
}
