import { sql } from 'kysely';
import type { Expression, ExpressionBuilder, Kysely, Selectable, SqlBool } from 'kysely';
import type {
  Page,
  PageRequest,
  RemovedSnapshot,
  SnapshotFilter,
  SnapshotRepository,
  SnapshotRow,
} from '../domain/ports.ts';
import { cutPage, decodeCursor, limitOf } from './cursor.ts';
import type { Cursor } from './cursor.ts';
import { InsertBatcher } from './insert-batcher.ts';
import type { Database, SnapshotTable } from './schema.ts';

/** Rows in one statement: 14 values each, far below what either database binds. */
const MAX_BATCH = 100;

/** Sizes are summed over one 256th of the addresses at a time, so that no statement holds the event loop for long. */
const HASH_SLICES = Array.from({ length: 256 }, (_, slice) => slice.toString(16).padStart(2, '0'));

type Where = ExpressionBuilder<Database, 'snapshots'>;

export class SqlSnapshotRepository implements SnapshotRepository {
  readonly #db: Kysely<Database>;
  readonly #inserts: InsertBatcher<SnapshotTable>;

  constructor(db: Kysely<Database>) {
    this.#db = db;
    this.#inserts = new InsertBatcher(async (rows) => {
      await db.insertInto('snapshots').values(rows).execute();
    }, MAX_BATCH);
  }

  insert(row: SnapshotRow): Promise<void> {
    return this.#inserts.add(toTable(row));
  }

  async find(projectId: string, domId: string): Promise<SnapshotRow | undefined> {
    const row = await this.#db
      .selectFrom('snapshots')
      .selectAll()
      .where('dom_id', '=', domId)
      .where('project_id', '=', projectId)
      .executeTakeFirst();
    return row === undefined ? undefined : toRow(row);
  }

  async list(projectId: string, filter: SnapshotFilter = {}, page: PageRequest = {}): Promise<Page<SnapshotRow>> {
    const limit = limitOf(page);
    const after = page.cursor === undefined ? undefined : decodeCursor(page.cursor);
    const rows = await this.#db
      .selectFrom('snapshots')
      .selectAll()
      .where('project_id', '=', projectId)
      .where((where) => where.and([...filterConditions(where, filter), ...cursorConditions(where, after)]))
      .orderBy('fetched_at', 'desc')
      .orderBy('dom_id', 'desc')
      .limit(limit + 1)
      .execute();
    return cutPage(rows, limit, toRow, (row) => ({ time: row.fetched_at, id: row.dom_id }));
  }

  async delete(projectId: string, domId: string): Promise<boolean> {
    const result = await this.#db
      .deleteFrom('snapshots')
      .where('dom_id', '=', domId)
      .where('project_id', '=', projectId)
      .executeTakeFirst();
    return result.numDeletedRows > 0n;
  }

  async removeOldest(limit: number, fetchedBefore?: Date): Promise<RemovedSnapshot[]> {
    let oldest = this.#db.selectFrom('snapshots').select('dom_id').orderBy('fetched_at').orderBy('dom_id').limit(limit);
    if (fetchedBefore !== undefined) oldest = oldest.where('fetched_at', '<', fetchedBefore.getTime());
    const rows = await this.#db
      .deleteFrom('snapshots')
      .where('dom_id', 'in', oldest)
      .returning(['dom_id', 'hash', 'stored_bytes'])
      .execute();
    return rows.map((row) => ({ domId: row.dom_id, hash: row.hash, storedBytes: row.stored_bytes }));
  }

  async findUnreferenced(hashes: readonly string[]): Promise<string[]> {
    if (hashes.length === 0) return [];
    const rows = await this.#db
      .selectFrom('snapshots')
      .select('hash')
      .distinct()
      .where('hash', 'in', [...hashes])
      .execute();
    const referenced = new Set(rows.map((row) => row.hash));
    return [...new Set(hashes)].filter((hash) => !referenced.has(hash));
  }

  async totalStoredBytes(): Promise<number> {
    let total = 0;
    for (const slice of HASH_SLICES) {
      const contents = this.#db
        .selectFrom('snapshots')
        .select(({ fn }) => fn.max('stored_bytes').as('size'))
        .where('hash', '>=', slice)
        .where('hash', '<', `${slice}g`)
        .groupBy('hash')
        .as('contents');
      const sum = await this.#db
        .selectFrom(contents)
        .select(({ fn }) => fn.sum<number | null>('contents.size').as('bytes'))
        .executeTakeFirst();
      total += sum?.bytes ?? 0;
      await new Promise((resolve) => setImmediate(resolve));
    }
    return total;
  }

  /** Settles when every row that was added is written. */
  async drain(): Promise<void> {
    await this.#inserts.drain();
  }
}

function filterConditions(where: Where, filter: SnapshotFilter): Expression<SqlBool>[] {
  const conditions: Expression<SqlBool>[] = [];
  if (filter.host !== undefined) conditions.push(where('host', '=', filter.host.toLowerCase()));
  if (filter.engine !== undefined) conditions.push(where('engine', '=', filter.engine));
  if (filter.statusCode !== undefined) conditions.push(where('status_code', '=', filter.statusCode));
  if (filter.fetchedFrom !== undefined) conditions.push(where('fetched_at', '>=', filter.fetchedFrom.getTime()));
  if (filter.fetchedTo !== undefined) conditions.push(where('fetched_at', '<', filter.fetchedTo.getTime()));
  if (filter.urlContains !== undefined) conditions.push(urlContains(where, filter.urlContains));
  return conditions;
}

/**
 * Letter case is left out by hand, since the two databases disagree about LIKE. They also disagree about letters beyond
 * ASCII: the same one has to make both sides lower case, or it would not find what it holds.
 */
function urlContains(where: Where, part: string): Expression<SqlBool> {
  const pattern = `%${part.replaceAll(/[\\%_]/g, (special) => `\\${special}`)}%`;
  const like = (column: 'url' | 'final_url') =>
    sql<SqlBool>`lower(${sql.ref(column)}) like lower(${pattern}) escape '\\'`;
  return where.or([like('url'), like('final_url')]);
}

function cursorConditions(where: Where, after: Cursor | undefined): Expression<SqlBool>[] {
  if (after === undefined) return [];
  return [
    where('fetched_at', '<=', after.time),
    where.or([where('fetched_at', '<', after.time), where('dom_id', '<', after.id)]),
  ];
}

function toTable(row: SnapshotRow): SnapshotTable {
  return {
    dom_id: row.domId,
    project_id: row.projectId,
    hash: row.hash,
    bytes: row.bytes,
    stored_bytes: row.storedBytes,
    url: row.url,
    final_url: row.finalUrl,
    host: URL.parse(row.finalUrl)?.hostname ?? '',
    status_code: row.statusCode,
    engine: row.engine,
    fetched_at: row.fetchedAt.getTime(),
    content_type: row.contentType,
    content_language: row.contentLanguage,
    filtered: row.filtered ? 1 : 0,
  };
}

function toRow(row: Selectable<SnapshotTable>): SnapshotRow {
  return {
    domId: row.dom_id,
    projectId: row.project_id,
    hash: row.hash,
    bytes: row.bytes,
    storedBytes: row.stored_bytes,
    url: row.url,
    finalUrl: row.final_url,
    statusCode: row.status_code,
    engine: row.engine,
    fetchedAt: new Date(row.fetched_at),
    contentType: row.content_type,
    contentLanguage: row.content_language,
    filtered: row.filtered === 1,
  };
}
