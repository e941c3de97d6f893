import { PostgresAdapter, type Kysely } from 'kysely';
import type { Database } from '../schema/schema.ts';

export abstract class SqlRepository {
  protected readonly db: Kysely<Database>;
  /** Whether other transactions write concurrently: on PostgreSQL, not on SQLite. */
  protected readonly locksRows: boolean;

  constructor(db: Kysely<Database>) {
    this.db = db;
    this.locksRows = db.getExecutor().adapter instanceof PostgresAdapter;
  }
}
