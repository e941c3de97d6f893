/**
 * Kysely's own SQLite dialect over Node's own `node:sqlite`. Kysely asks for the shape of better-sqlite3,
 * which this file gives; the published dialects for `node:sqlite` bind older versions of Kysely.
 */
import { DatabaseSync } from 'node:sqlite';
import type { SQLInputValue, StatementSync } from 'node:sqlite';
import { sql, SqliteAdapter, SqliteDialect } from 'kysely';
import type { Kysely, SqliteDatabase, SqliteStatement } from 'kysely';

/** Milliseconds that a write waits for another process (a command of the CLI) to finish its own. */
const BUSY_TIMEOUT_MS = 5000;

/** Prepared statements kept, one for each text of SQL; the repositories have about forty. */
const MAX_PREPARED = 200;

/**
 * Opens a database file for the service: WAL, so that readers and the commands of the CLI are never in
 * the way; `synchronous=FULL`, so that what was acknowledged outlives a power cut.
 */
export function openSqliteDatabase(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true });
  try {
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY;');
  } catch (error) {
    database.close();
    throw error;
  }
  return database;
}

/** The dialect for a database that is open already; `Kysely.destroy` closes it. */
export class NodeSqliteDialect extends SqliteDialect {
  constructor(database: DatabaseSync) {
    super({ database: new PreparingDatabase(database) });
  }

  override createAdapter(): SqliteAdapter {
    return new TransactionalSqliteAdapter();
  }
}

/** Runs a migration as a whole or not at all, and never in two processes at the same time. */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }

  /** A write that changes nothing takes SQLite's write lock until the transaction of the migrations ends. */
  override async acquireMigrationLock(db: Kysely<unknown>): Promise<void> {
    await sql`update kysely_migration_lock set is_locked = is_locked`.execute(db);
  }
}

class PreparingDatabase implements SqliteDatabase {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, NodeSqliteStatement>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  prepare(text: string): SqliteStatement {
    const known = this.#statements.get(text);
    if (known !== undefined) return known;
    const statement = new NodeSqliteStatement(this.#database.prepare(text));
    if (this.#statements.size >= MAX_PREPARED) this.#statements.clear();
    this.#statements.set(text, statement);
    return statement;
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }
}

class NodeSqliteStatement implements SqliteStatement {
  readonly reader: boolean;
  readonly #statement: StatementSync;

  constructor(statement: StatementSync) {
    this.#statement = statement;
    this.reader = statement.columns().length > 0;
  }

  all(parameters: readonly unknown[]): unknown[] {
    return this.#statement.all(...(parameters as SQLInputValue[]));
  }

  run(parameters: readonly unknown[]): { changes: number | bigint; lastInsertRowid: number | bigint } {
    return this.#statement.run(...(parameters as SQLInputValue[]));
  }

  iterate(parameters: readonly unknown[]): IterableIterator<unknown> {
    return this.#statement.iterate(...(parameters as SQLInputValue[]));
  }
}
