import type { Kysely } from 'kysely';
import type { Database } from '../schema/schema.ts';

export abstract class SqlRepository {
  protected readonly db: Kysely<Database>;

  constructor(db: Kysely<Database>) {
    this.db = db;
  }
}
