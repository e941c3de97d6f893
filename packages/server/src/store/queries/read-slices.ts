import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql, type SelectQueryBuilder, type SqlBool } from 'kysely';

interface Slices<Column extends string> {
  /** Columns that order the rows, unique together. */
  readonly key: readonly Column[];
  /** Least value of the first of them. */
  readonly from?: number;
  readonly size: number;
}

/** Yields the rows of a query in the order of a key, in slices: no statement blocks the event loop for long. */
export async function* readSlices<DB, Table extends keyof DB, Row extends object>(
  query: SelectQueryBuilder<DB, Table, Row>,
  { key, from, size }: Slices<keyof Row & string>,
): AsyncGenerator<readonly Row[]> {
  const columns = key.map((column) => sql.ref(column));
  const ordered = columns.reduce((rows, column) => rows.orderBy(column), query.limit(size));
  // A bound on the first column alone makes the database use the index.
  const startAt = (least: unknown) => ordered.where(sql<SqlBool>`${columns[0]} >= ${least}`);
  for (let slice = from === undefined ? ordered : startAt(from); ;) {
    const rows = (await slice.execute()) as Row[];
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < size) return;
    const values = key.map((column) => sql`${last[column]}`);
    slice = startAt(values[0]).where(sql<SqlBool>`(${sql.join(columns)}) > (${sql.join(values)})`);
    await nextTurn();
  }
}
