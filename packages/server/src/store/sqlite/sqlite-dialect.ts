/**
 * Kysely's SQLite dialect over `node:sqlite`. Kysely expects the interface of better-sqlite3, which this file provides;
 * published dialects for `node:sqlite` require older versions of Kysely.
 */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { CompiledQuery, sql, SqliteAdapter, SqliteDialect, SqliteDriver } from 'kysely';
import type { DatabaseConnection, Kysely, SqliteDatabase, SqliteStatement, QueryResult } from 'kysely';
import { currentTenant } from '../../domain/admission/current-tenant.ts';
import { noteDamage } from '../../sqlite/sqlite-damage.ts';
import { explainFault, retryWhileBusy, type OnStorageError } from '../../sqlite/sqlite-faults.ts';
import { Mutex } from '../../sqlite/mutex.ts';
import { WalSync } from './wal-sync.ts';

/** Cached prepared statements, one per SQL text; the repositories have about forty. */
const MAX_PREPARED = 200;

/** Log pages (16 MB) before a checkpoint: with SQLite's default of 1,000, commits take 1.5 times as long. */
const CHECKPOINT_PAGES = 4000;

interface SqliteDialectOptions {
  /** Syncs the log of this database; replaceable in tests. */
  readonly log?: Pick<WalSync, 'sync' | 'close'>;
  /** Receives statements that failed on a lock or a full disk. */
  readonly onStorageError?: OnStorageError | undefined;
}

/** Dialect for an open database; `Kysely.destroy` closes the database. */
export class NodeSqliteDialect extends SqliteDialect {
  readonly #driver: SqliteDriver;

  constructor(database: DatabaseSync, { log = openLog(database), onStorageError }: SqliteDialectOptions = {}) {
    const preparing = new PreparingDatabase(database);
    super({ database: preparing });
    this.#driver = new SyncingDriver(preparing, log, onStorageError);
  }

  override createDriver(): SqliteDriver {
    return this.#driver;
  }

  override createAdapter(): SqliteAdapter {
    return new OwnSqliteAdapter();
  }
}

/** Turns off synchronous commits, which block the event loop; writers wait for the log's sync instead. */
function openLog(database: DatabaseSync): Pick<WalSync, 'sync' | 'close'> {
  const mode = database.prepare('PRAGMA journal_mode').get() as { journal_mode: string };
  const file = database.location();
  // Without a log (a file system without shared memory) each commit is synced.
  if (mode.journal_mode !== 'wal' || file === null)
    return { sync: async () => undefined, close: async () => undefined };
  database.exec(`PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  return new WalSync(file);
}

/**
 * Serialises access to the single connection. A write is confirmed after the log is synced; the connection is free
 * meanwhile, and while another process holds a lock.
 */
class SyncingDriver extends SqliteDriver {
  readonly #database: PreparingDatabase;
  readonly #log: Pick<WalSync, 'sync' | 'close'>;
  readonly #onStorageError: OnStorageError | undefined;
  readonly #mutex = new Mutex();
  #connection: RetryingConnection | undefined;

  constructor(
    database: PreparingDatabase,
    log: Pick<WalSync, 'sync' | 'close'>,
    onStorageError: OnStorageError | undefined,
  ) {
    super({ database });
    this.#database = database;
    this.#log = log;
    this.#onStorageError = onStorageError;
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    await this.#mutex.acquire();
    this.#connection ??= new RetryingConnection(await super.acquireConnection(), {
      pause: (ms) => this.#pause(ms),
      explain: (error) => this.#explain(error),
    });
    return this.#connection;
  }

  /**
   * Takes the write lock immediately: after a read, SQLite grants it only if no other connection has written.
   */
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }

  /** Some failures, for example a full disk, end the transaction themselves. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#database.isTransaction) await super.rollbackTransaction(connection);
  }

  override async releaseConnection(): Promise<void> {
    const wrote = this.#database.forgetWrites();
    this.#mutex.release();
    if (!wrote) return;
    await this.#log.sync(currentTenant().key).catch((error: unknown) => {
      throw this.#explain(error);
    });
  }

  override async destroy(): Promise<void> {
    await this.#log.close();
    await super.destroy();
  }

  /** Outside a transaction other statements run during the pause. */
  async #pause(ms: number): Promise<void> {
    if (this.#database.isTransaction) {
      await sleep(ms);
      return;
    }
    const wrote = this.#database.forgetWrites();
    this.#mutex.release();
    await sleep(ms);
    await this.#mutex.acquire();
    if (wrote) this.#database.noteWrite();
  }

  #explain(error: unknown): unknown {
    return explainFault(error, 'request', this.#onStorageError);
  }
}

/** Runs a migration atomically, and never in two processes at the same time. */
class OwnSqliteAdapter extends SqliteAdapter {
  /** The driver itself serialises access. */
  override get supportsMultipleConnections(): boolean {
    return true;
  }

  override get supportsTransactionalDdl(): boolean {
    return true;
  }

  /** Takes SQLite's write lock for the migration transaction, by a write that changes nothing. */
  override async acquireMigrationLock(db: Kysely<unknown>): Promise<void> {
    await sql`update kysely_migration_lock set is_locked = is_locked`.execute(db);
  }
}

/** Statements that need no sync. */
const READS = /^\s*(?:select|begin|rollback|pragma)\b/i;

class PreparingDatabase implements SqliteDatabase {
  readonly #database: DatabaseSync;
  readonly #statements = new LRUCache<string, NodeSqliteStatement>({ max: MAX_PREPARED });
  #wrote = false;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  prepare(text: string): SqliteStatement {
    const statement = this.#statements.get(text) ?? this.#prepare(text);
    if (statement.writes) this.#wrote = true;
    return statement;
  }

  get isTransaction(): boolean {
    return this.#database.isTransaction;
  }

  noteWrite(): void {
    this.#wrote = true;
  }

  /** Returns whether a write may have happened since the last call. */
  forgetWrites(): boolean {
    const wrote = this.#wrote;
    this.#wrote = false;
    return wrote;
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }

  #prepare(text: string): NodeSqliteStatement {
    const statement = new NodeSqliteStatement(this.#database, this.#database.prepare(text), !READS.test(text));
    this.#statements.set(text, statement);
    return statement;
  }
}

class NodeSqliteStatement implements SqliteStatement {
  readonly reader: boolean;
  readonly writes: boolean;
  readonly #database: DatabaseSync;
  readonly #statement: StatementSync;

  constructor(database: DatabaseSync, statement: StatementSync, writes: boolean) {
    this.#database = database;
    this.#statement = statement;
    this.writes = writes;
    this.reader = statement.columns().length > 0;
  }

  all(parameters: readonly unknown[]): unknown[] {
    return this.#noting(() => this.#statement.all(...(parameters as SQLInputValue[])));
  }

  run(parameters: readonly unknown[]): { changes: number | bigint; lastInsertRowid: number | bigint } {
    return this.#noting(() => this.#statement.run(...(parameters as SQLInputValue[])));
  }

  iterate(parameters: readonly unknown[]): IterableIterator<unknown> {
    return this.#statement.iterate(...(parameters as SQLInputValue[]));
  }

  #noting<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      noteDamage(this.#database, error);
      throw error;
    }
  }
}

interface RetryOptions {
  /** Waits the given milliseconds before a locked statement is retried. */
  readonly pause: (ms: number) => Promise<void>;
  /** Converts an error before it is thrown. */
  readonly explain: (error: unknown) => unknown;
}

/** A connection that retries statements blocked by locks of other processes. */
class RetryingConnection implements DatabaseConnection {
  readonly #connection: DatabaseConnection;
  readonly #retry: RetryOptions;

  constructor(connection: DatabaseConnection, retry: RetryOptions) {
    this.#connection = connection;
    this.#retry = retry;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const { pause, explain } = this.#retry;
    try {
      return await retryWhileBusy(() => this.#connection.executeQuery<Row>(query), pause);
    } catch (error) {
      throw explain(error);
    }
  }

  streamQuery<Row>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<Row>> {
    return this.#connection.streamQuery(query, chunkSize);
  }
}
