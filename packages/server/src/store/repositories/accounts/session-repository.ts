import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import type { Session, SessionRepository } from '../../../domain/accounts/ports.ts';
import type { Database } from '../../schema/schema.ts';

export class SqlSessionRepository implements SessionRepository {
  readonly #db: Kysely<Database>;
  readonly #locksRows: boolean;

  constructor(db: Kysely<Database>, options: { readonly locksRows: boolean }) {
    this.#db = db;
    this.#locksRows = options.locksRows;
  }

  async insert(session: Session, passwordHash: string): Promise<boolean> {
    const user = this.#db
      .selectFrom('users')
      .select((build) => [
        build.val(session.hash).as('hash'),
        'id as user_id',
        toTime(session.createdAt).as('created_at'),
        toTime(session.expiresAt).as('expires_at'),
        toTime(session.lastSeenAt).as('last_seen_at'),
      ])
      .where('id', '=', session.userId)
      .where('password_hash', '=', passwordHash)
      .where('disabled_at', 'is', null);
    const result = await this.#db
      .insertInto('sessions')
      .columns(['hash', 'user_id', 'created_at', 'expires_at', 'last_seen_at'])
      // Share lock: a concurrent password change waits, then ends this session too.
      .expression(this.#locksRows ? user.forShare() : user)
      .executeTakeFirst();
    return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
  }

  async find(hash: string): Promise<Session | undefined> {
    const row = await this.#db.selectFrom('sessions').selectAll().where('hash', '=', hash).executeTakeFirst();
    if (row === undefined) return undefined;
    return {
      hash: row.hash,
      userId: row.user_id,
      createdAt: new Date(row.created_at),
      expiresAt: new Date(row.expires_at),
      lastSeenAt: new Date(row.last_seen_at),
    };
  }

  async touch(hash: string, at: Date): Promise<void> {
    await this.#db.updateTable('sessions').set({ last_seen_at: at.getTime() }).where('hash', '=', hash).execute();
  }

  async delete(hash: string): Promise<number> {
    const result = await this.#db.deleteFrom('sessions').where('hash', '=', hash).executeTakeFirst();
    return Number(result.numDeletedRows);
  }

  async deleteOfUser(userId: string): Promise<number> {
    const result = await this.#db.deleteFrom('sessions').where('user_id', '=', userId).executeTakeFirst();
    return Number(result.numDeletedRows);
  }

  async deleteExpired(now: Date): Promise<void> {
    await this.#db.deleteFrom('sessions').where('expires_at', '<=', now.getTime()).execute();
  }
}

function toTime(date: Date) {
  return sql<number>`cast(${date.getTime()} as bigint)`;
}
