import { sql, type RawBuilder, type SelectQueryBuilder, type SqlBool } from 'kysely';
import type { Page, PageRequest } from '../../domain/shared/ports.ts';
import { AppError } from '../../domain/shared/errors.ts';

/** Columns of a table that order its rows: a time in milliseconds, and an id for rows of equal times. */
interface PageOrder<Time extends string, Id extends string> {
  readonly time: Time;
  readonly id: Id;
}

/**
 * Reads one page of the rows of a query, newest first.
 * @throws {AppError} `invalid_request` for a cursor of another list
 */
export async function readListPage<
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

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;

export interface Cursor {
  readonly time: number;
  readonly id: string;
}

export function encodeCursor(cursor: Cursor): string {
  return Buffer.from(`${cursor.time}:${cursor.id}`).toString('base64url');
}

/** Throws AppError `invalid_request` for text that {@link encodeCursor} did not create. */
export function decodeCursor(text: string): Cursor {
  const match = /^(\d{1,15}):([\w.:-]{1,128})$/.exec(Buffer.from(text, 'base64url').toString('latin1'));
  const [, time, id] = match ?? [];
  if (time === undefined || id === undefined)
    throw new AppError('invalid_request', 'cursor: not a cursor of this list');
  return { time: Number(time), id };
}

export function limitOf({ limit = DEFAULT_LIMIT }: PageRequest): number {
  return Math.min(Math.max(limit, 1), MAX_LIMIT);
}

/**
 * Builds a page from rows.
 * @param rows one more than the limit if there are more, which sets the next cursor
 */
export function cutPage<Row, Item>(
  rows: readonly Row[],
  limit: number,
  toItem: (row: Row) => Item,
  toCursor: (row: Row) => Cursor,
): Page<Item> {
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return { items: shown.map(toItem), nextCursor: last === undefined ? null : encodeCursor(toCursor(last)) };
}
