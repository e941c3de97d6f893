import { createHash } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { FailureRepository, Failures } from '../domain/accounts/ports.ts';
import type { Database } from './schema.ts';

export class SqlFailureRepository implements FailureRepository {
  readonly #db: Kysely<Database>;

  constructor(db: Kysely<Database>) {
    this.#db = db;
  }

  async find(key: string): Promise<Failures | undefined> {
    const row = await this.#db
      .selectFrom('sign_in_failures')
      .selectAll()
      .where('key', '=', hash(key))
      .executeTakeFirst();
    return row === undefined ? undefined : { count: row.count, lastAt: new Date(row.last_at) };
  }

  async add(key: string, at: Date, since: Date): Promise<void> {
    const last_at = at.getTime();
    await this.#db
      .insertInto('sign_in_failures')
      .values({ key: hash(key), count: 1, last_at })
      .onConflict((conflict) =>
        conflict.column('key').doUpdateSet((eb) => ({
          count: eb
            .case()
            .when('sign_in_failures.last_at', '<', since.getTime())
            .then(1)
            .else(eb('sign_in_failures.count', '+', 1))
            .end(),
          last_at,
        })),
      )
      .execute();
  }

  async clear(key: string): Promise<void> {
    await this.#db.deleteFrom('sign_in_failures').where('key', '=', hash(key)).execute();
  }

  async deleteBefore(time: Date): Promise<void> {
    await this.#db.deleteFrom('sign_in_failures').where('last_at', '<', time.getTime()).execute();
  }
}

function hash(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}
