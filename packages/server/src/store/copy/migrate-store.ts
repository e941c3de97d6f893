import { createHash } from 'node:crypto';
import { backup } from 'node:sqlite';
import { Kysely, sql } from 'kysely';
import { migrateToLatest } from '../migrations/migrations.ts';
import { createPostgresDialect } from '../postgres/postgres-dialect.ts';
import { readSlices } from '../queries/read-slices.ts';
import type { Database } from '../schema/schema.ts';
import { openSqliteDatabase, createPrivately } from '../../sqlite/open-sqlite.ts';
import { retryWhileBusy } from '../../sqlite/sqlite-faults.ts';
import { NodeSqliteDialect } from '../sqlite/sqlite-dialect.ts';

export interface MigrateStoreOptions {
  /** Source database; no process may write to it. */
  readonly sqliteFile: string;
  /** Target PostgreSQL database: empty, or partly filled by an interrupted run. */
  readonly databaseUrl: string;
  readonly signal: AbortSignal;
  readonly onProgress: (table: string, copied: number, total: number) => void;
}

export interface MovedTable {
  readonly table: string;
  readonly rows: number;
  /** True if source and target have the same rows and hash. */
  readonly same: boolean;
  /** Rows in which U+0000, which PostgreSQL text cannot hold, became U+FFFD. */
  readonly replaced: number;
}

/** Values in one statement, below PostgreSQL's limit of 65,535 parameters. */
const MAX_VALUES = 8000;
const READ_ROWS = 500;

type Row = Record<string, unknown>;
type AnyDatabase = Kysely<Record<string, Row>>;

interface TableShape {
  readonly name: string;
  readonly key: readonly string[];
  readonly columns: readonly string[];
  readonly refersTo: readonly string[];
}

/**
 * Copies a SQLite store to PostgreSQL and compares both by row count and hash. Existing rows are kept, so that a run can
 * be repeated. Rows that PostgreSQL cannot store are repaired and counted.
 */
export async function migrateStore(options: MigrateStoreOptions): Promise<MovedTable[]> {
  const sqlite = await retryWhileBusy(() => openSqliteDatabase(options.sqliteFile));
  await using source = new Kysely<Database>({ dialect: new NodeSqliteDialect(sqlite) });
  const rethrow = (error: Error): void => {
    throw error;
  };
  await using target = new Kysely<Database>({ dialect: createPostgresDialect(options.databaseUrl, rethrow) });
  await migrateToLatest(source);
  await migrateToLatest(target);
  const [from, to] = [source, target] as unknown as readonly [AnyDatabase, AnyDatabase];
  const tables = sortByReference(await readShapes(from));
  for (const table of tables) await copyTable(from, to, table, options);
  const moved: MovedTable[] = [];
  for (const table of tables) {
    const [before, after] = [await digest(from, table), await digest(to, table)];
    const { rows, replaced } = before;
    moved.push({ table: table.name, rows, same: before.hash === after.hash, replaced });
  }
  return moved;
}

/** Reads the tables from the database itself, so that new tables are included automatically. */
async function readShapes(db: AnyDatabase): Promise<TableShape[]> {
  const names = (await db.introspection.getTables()).map(({ name }) => name);
  return Promise.all(
    names.map(async (name) => {
      const columns = await sql<{ name: string; pk: number }>`pragma table_info(${sql.table(name)})`.execute(db);
      const references = await sql<{ table: string }>`pragma foreign_key_list(${sql.table(name)})`.execute(db);
      return {
        name,
        columns: columns.rows.map((column) => column.name),
        key: columns.rows
          .filter(({ pk }) => pk > 0)
          .toSorted((a, b) => a.pk - b.pk)
          .map((column) => column.name),
        refersTo: references.rows.map(({ table }) => table),
      };
    }),
  );
}

function sortByReference(tables: readonly TableShape[]): TableShape[] {
  const sorted: TableShape[] = [];
  const add = (table: TableShape): void => {
    if (sorted.includes(table)) return;
    for (const name of table.refersTo) {
      const referred = tables.find((other) => other.name === name);
      if (referred && referred !== table) add(referred);
    }
    sorted.push(table);
  };
  for (const table of tables) add(table);
  return sorted;
}

async function copyTable(
  from: AnyDatabase,
  to: AnyDatabase,
  table: TableShape,
  { signal, onProgress }: MigrateStoreOptions,
): Promise<void> {
  const total = await countRows(from, table);
  let copied = 0;
  const size = Math.max(1, Math.min(READ_ROWS, Math.floor(MAX_VALUES / table.columns.length)));
  for await (const rows of readSlices(from.selectFrom(table.name).selectAll(), { key: table.key, size })) {
    signal.throwIfAborted();
    await to
      .insertInto(table.name)
      .values(fitRows(rows).rows)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    copied += rows.length;
    onProgress(table.name, copied, total);
  }
}

/** Adapts rows to PostgreSQL; fitting rows stay unchanged. */
function fitRows(rows: readonly Row[]) {
  const holdsNul = (value: unknown): value is string => typeof value === 'string' && value.includes('\0');
  let replaced = 0;
  const fitting = rows.map((row) => {
    if (!Object.values(row).some(holdsNul)) return row;
    replaced += 1;
    const values = Object.entries(row).map(([column, value]) => [
      column,
      holdsNul(value) ? value.replaceAll('\0', '\uFFFD') : value,
    ]);
    return Object.fromEntries(values) as Row;
  });
  return { rows: fitting, replaced };
}

async function countRows(db: AnyDatabase, table: TableShape): Promise<number> {
  const { count } = await db
    .selectFrom(table.name)
    .select((build) => build.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/** Returns the number of fitting rows and an order-independent hash: the sum of the rows' SHA-256. */
async function digest(db: AnyDatabase, table: TableShape) {
  let [rows, replaced] = [0, 0];
  let sum = 0n;
  for await (const page of readSlices(db.selectFrom(table.name).selectAll(), { key: table.key, size: READ_ROWS })) {
    const fitting = fitRows(page);
    for (const row of fitting.rows) {
      const hash = createHash('sha256');
      for (const column of table.columns) hash.update(canonical(row[column])).update('\0');
      sum = BigInt.asUintN(256, sum + BigInt(`0x${hash.digest('hex')}`));
    }
    rows += fitting.rows.length;
    replaced += fitting.replaced;
  }
  return { rows, hash: `${rows}:${sum.toString(16)}`, replaced };
}

/** Returns the same text for a value from either driver. */
function canonical(value: unknown): string {
  if (value instanceof Uint8Array) return `bytes ${Buffer.from(value).toString('base64')}`;
  return JSON.stringify(value) ?? 'null';
}

/**
 * Overwrites a SQLite database with the content of another in one transaction, by SQLite's online backup. Open
 * connections to the target see the old content, then the complete new content.
 */
export async function copyDatabase(fromFile: string, toFile: string): Promise<void> {
  using source = await retryWhileBusy(() => openSqliteDatabase(fromFile));
  createPrivately(toFile);
  // All pages in one step: readers never see a partial copy.
  await retryWhileBusy(() => backup(source, toFile, { rate: 2 ** 30 }));
}
