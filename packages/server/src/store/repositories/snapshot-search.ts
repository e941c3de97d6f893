import { setTimeout as sleep } from 'node:timers/promises';
import { sql, type Expression, type ExpressionBuilder, type Selectable, type SqlBool } from 'kysely';
import { FairQueue } from '../../domain/admission/fair-queue.ts';
import type { Page } from '../../domain/shared/ports.ts';
import type { SnapshotFilter } from '../../domain/storage/snapshot-ports.ts';
import { hostCondition } from '../queries/host-condition.ts';
import { isAfter, cutPage, encodeCursor, type Cursor } from '../queries/read-list-page.ts';
import { SqlRepository } from '../queries/sql-repository.ts';
import type { Database, SnapshotTable } from '../schema/schema.ts';

/** Newest first. */
export const SNAPSHOT_ORDER = { time: 'fetched_at', id: 'dom_id' } as const;

type Where = ExpressionBuilder<Database, 'snapshots'>;

export interface SearchedPage {
  readonly projectId: string;
  readonly filter: SnapshotFilter;
  readonly limit: number;
  readonly after: Cursor | undefined;
}

/** Size of the first slice, and the bounds of later slices. */
const FIRST_ROWS = 50;
const MIN_ROWS = 50;
const MAX_ROWS = 2000;

/** Target duration of a slice in milliseconds: SQLite runs it on the event loop. */
const SLICE_MS = 10;

/** Maximum duration of a search in milliseconds; the cursor continues from the last row. */
const SEARCH_MS = 10_000;

/** Searches of all projects that wait, and the time that one waits at most, in milliseconds. */
const MAX_WAITING = 100;
const WAIT_MS = 60_000;

/**
 * Searches rows by conditions without an index, in slices and one search at a time, of the projects in turn. After each
 * slice other work gets the event loop and the connection for the same time.
 */
export class SnapshotSearch extends SqlRepository {
  readonly #queue = new FairQueue({ slots: 1, maxWaiting: MAX_WAITING, name: 'the search of snapshots' });

  /**
   * Returns a page; after a time-out it is shorter and has a cursor.
   * @throws {AppError} `overloaded`
   */
  async run<Item>(page: SearchedPage, toItem: (row: Selectable<SnapshotTable>) => Item): Promise<Page<Item>> {
    const { projectId } = page;
    const { signal } = new AbortController();
    const permit = await this.#queue.acquire({ key: projectId, group: projectId, budgetMs: WAIT_MS, signal });
    try {
      return await this.#run(page, toItem);
    } finally {
      permit.release();
    }
  }

  async #run<Item>(page: SearchedPage, toItem: (row: Selectable<SnapshotTable>) => Item): Promise<Page<Item>> {
    const startedAt = performance.now();
    const found: Selectable<SnapshotTable>[] = [];
    let { after } = page;
    for (let rows = FIRST_ROWS; ;) {
      const sliceAt = performance.now();
      const slice = await this.#readSlice({ ...page, after }, rows);
      const wanted = page.limit + 1 - found.length;
      const hits = slice.filter(({ hit }) => hit === 1).slice(0, wanted);
      found.push(
        ...(await this.#read(
          page.projectId,
          hits.map(({ dom_id }) => dom_id),
        )),
      );
      const last = slice.at(-1);
      if (last === undefined || slice.length < rows || found.length > page.limit) {
        return cutPage(found, page.limit, toItem, (row) => ({ time: row.fetched_at, id: row.dom_id }));
      }
      after = { time: last.fetched_at, id: last.dom_id };
      if (performance.now() - startedAt > SEARCH_MS)
        return { items: found.map(toItem), nextCursor: encodeCursor(after) };
      const tookMs = performance.now() - sliceAt;
      rows = Math.round(Math.min(MAX_ROWS, Math.max(MIN_ROWS, (rows * SLICE_MS) / Math.max(1, tookMs))));
      await sleep(tookMs);
    }
  }

  /** Reads the next rows and whether each matches. */
  async #readSlice({ projectId, filter, after }: SearchedPage, rows: number) {
    return this.db
      .selectFrom('snapshots')
      .select((where) => [
        'dom_id',
        'fetched_at',
        where
          .case()
          .when(where.and(scannedConditions(where, filter)))
          .then(sql.lit(1))
          .else(sql.lit(0))
          .end()
          .as('hit'),
      ])
      .where('project_id', '=', projectId)
      .where((where) =>
        where.and([
          ...indexedConditions(where, filter),
          ...(after === undefined ? [] : [isAfter(SNAPSHOT_ORDER, after)]),
        ]),
      )
      .orderBy('fetched_at', 'desc')
      .orderBy('dom_id', 'desc')
      .limit(rows)
      .execute();
  }

  async #read(projectId: string, domIds: readonly string[]): Promise<Selectable<SnapshotTable>[]> {
    if (domIds.length === 0) return [];
    return this.db
      .selectFrom('snapshots')
      .selectAll()
      .where('project_id', '=', projectId)
      .where('dom_id', 'in', [...domIds])
      .orderBy('fetched_at', 'desc')
      .orderBy('dom_id', 'desc')
      .execute();
  }
}

/** Tests whether a filter needs a scan. */
export function isScan({ host, engine, statusCode, urlContains }: SnapshotFilter): boolean {
  return [host, engine, statusCode, urlContains].some((condition) => condition !== undefined);
}

/** Conditions that the index of the list supports. */
export function indexedConditions(where: Where, filter: SnapshotFilter): Expression<SqlBool>[] {
  const conditions: Expression<SqlBool>[] = [];
  if (filter.fetchedFrom !== undefined) conditions.push(where('fetched_at', '>=', filter.fetchedFrom.getTime()));
  if (filter.fetchedTo !== undefined) conditions.push(where('fetched_at', '<', filter.fetchedTo.getTime()));
  return conditions;
}

function scannedConditions(where: Where, filter: SnapshotFilter): Expression<SqlBool>[] {
  const conditions: Expression<SqlBool>[] = [];
  if (filter.host !== undefined) conditions.push(hostCondition(filter.host, 'final_url'));
  if (filter.engine !== undefined) conditions.push(where('engine', '=', filter.engine));
  if (filter.statusCode !== undefined) conditions.push(where('status_code', '=', filter.statusCode));
  if (filter.urlContains !== undefined) conditions.push(containsPart(where, filter.urlContains));
  return conditions;
}

/** Tests for a substring. LIKE takes SQLite quadratic time, so the expression removes the part and compares lengths. */
function containsPart(where: Where, part: string): Expression<SqlBool> {
  if (part === '') return sql<SqlBool>`1 = 1`;
  const contains = (column: 'url' | 'final_url') =>
    sql<SqlBool>`replace(lower(${sql.ref(column)}), lower(${part}), '') <> lower(${sql.ref(column)})`;
  return where.or([contains('url'), contains('final_url')]);
}
