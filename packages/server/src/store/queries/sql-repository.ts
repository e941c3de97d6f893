import { PostgresAdapter, type DeleteResult, type InsertResult, type Kysely, type UpdateResult } from 'kysely';
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

/** Runs a statement; returns whether it inserted, changed or deleted a row. */
export async function hasEffect(statement: {
  readonly executeTakeFirst: () => Promise<DeleteResult | InsertResult | UpdateResult>;
}): Promise<boolean> {
  const result: Partial<DeleteResult & InsertResult & UpdateResult> = await statement.executeTakeFirst();
  return (result.numUpdatedRows ?? result.numDeletedRows ?? result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}
