import type { Kysely } from 'kysely';
import type { SettingRepository } from '../../domain/shared/ports.ts';
import type { Database } from '../schema/schema.ts';

export class SqlSettingRepository implements SettingRepository {
  readonly #db: Kysely<Database>;

  constructor(db: Kysely<Database>) {
    this.#db = db;
  }

  async get(name: string): Promise<string | undefined> {
    const row = await this.#db.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst();
    return row?.value;
  }

  async set(name: string, value: string): Promise<void> {
    await this.#db
      .insertInto('settings')
      .values({ name, value })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
      .execute();
  }

  async claim(name: string): Promise<boolean> {
    const result = await this.#db
      .insertInto('settings')
      .values({ name: `claimed:${name}`, value: new Date().toISOString() })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .executeTakeFirst();
    return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
  }
}
