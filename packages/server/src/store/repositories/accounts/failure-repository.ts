import { createHash } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { FailureRepository, Failures } from '../../../domain/accounts/ports.ts';
import type { Database } from '../../schema/schema.ts';

/** Largest value of the column. */
const NO_LIMIT = 2 ** 31 - 1;

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

  async add(key: string, at: Date, since: Date, limit: number = NO_LIMIT): Promise<boolean> {
    const last_at = at.getTime();
    const added = await this.#db
      .insertInto('sign_in_failures')
      .values({ key: hash(key), count: 1, last_at })
      .onConflict((conflict) =>
        conflict
          .column('key')
          .doUpdateSet((eb) => ({
            count: eb
              .case()
              .when('sign_in_failures.last_at', '<=', since.getTime())
              .then(1)
              .else(eb('sign_in_failures.count', '+', 1))
              .end(),
            last_at,
          }))
          .where((eb) =>
            eb.or([eb('sign_in_failures.last_at', '<=', since.getTime()), eb('sign_in_failures.count', '<', limit)]),
          ),
      )
      .returning('count')
      .executeTakeFirst();
    return added !== undefined;
  }

  async takeBack(key: string, at: Date, lastAt: Date): Promise<void> {
    await this.#db
      .updateTable('sign_in_failures')
      .set((eb) => ({
        count: eb('count', '-', 1),
        last_at: eb.case().when('last_at', '=', at.getTime()).then(lastAt.getTime()).else(eb.ref('last_at')).end(),
      }))
      .where('key', '=', hash(key))
      .where('count', '>', 0)
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
