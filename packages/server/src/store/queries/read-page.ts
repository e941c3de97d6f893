import { sql } from 'kysely';
import type { SelectQueryBuilder, SqlBool } from 'kysely';
import type { Page, PageRequest } from '../../domain/shared/ports.ts';
import { cutPage, decodeCursor, limitOf } from './cursor.ts';

/** Columns of a table that order its rows: a time in milliseconds, and an id for rows of equal times. */
export interface PageOrder<Time extends string, Id extends string> {
  readonly time: Time;
  readonly id: Id;
}

/**
 * Reads one page of the rows of a query, newest first.
 * @throws {AppError} `invalid_request` for a cursor of another list
 */
export async function readPage<
  DB,
  Table extends keyof DB,
  Time extends string,
  Id extends string,
  Row extends Readonly<Record<Time, number> & Record<Id, string>>,
  Item,
>(
  query: SelectQueryBuilder<DB, Table, Row>,
  order: PageOrder<Time, Id>,
  page: PageRequest,
  toItem: (row: Row) => Item,
): Promise<Page<Item>> {
  const limit = limitOf(page);
  const [timeColumn, idColumn] = [sql.ref<number>(order.time), sql.ref<string>(order.id)];
  let rows = query
    .orderBy(timeColumn, 'desc')
    .orderBy(idColumn, 'desc')
    .limit(limit + 1);
  if (page.cursor !== undefined) {
    const { time, id } = decodeCursor(page.cursor);
    // The first condition lets the index find the place.
    rows = rows.where(sql<SqlBool>`${timeColumn} <= ${time} and (${timeColumn} < ${time} or ${idColumn} < ${id})`);
  }
  return cutPage((await rows.execute()) as Row[], limit, toItem, (row) => ({
    time: row[order.time],
    id: row[order.id],
  }));
}
