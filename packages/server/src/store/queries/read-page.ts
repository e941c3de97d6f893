import { sql } from 'kysely';
import type { RawBuilder, SelectQueryBuilder, SqlBool } from 'kysely';
import type { Page, PageRequest } from '../../domain/shared/ports.ts';
import { cutPage, decodeCursor, limitOf } from './cursor.ts';
import type { Cursor } from './cursor.ts';

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
  let rows = query
    .orderBy(sql.ref(order.time), 'desc')
    .orderBy(sql.ref(order.id), 'desc')
    .limit(limit + 1);
  if (page.cursor !== undefined) rows = rows.where(isAfter(order, decodeCursor(page.cursor)));
  return cutPage((await rows.execute()) as Row[], limit, toItem, (row) => ({
    time: row[order.time],
    id: row[order.id],
  }));
}

/** Tests for rows after a cursor, newest first. */
export function isAfter(order: PageOrder<string, string>, { time, id }: Cursor): RawBuilder<SqlBool> {
  const [timeColumn, idColumn] = [sql.ref(order.time), sql.ref(order.id)];
  // The first condition makes the database use the index.
  return sql<SqlBool>`(${timeColumn} <= ${time} and (${timeColumn} < ${time} or ${idColumn} < ${id}))`;
}
