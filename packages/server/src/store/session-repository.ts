import type { Kysely } from 'kysely';
import type { Session, SessionRepository } from '../domain/accounts/ports.ts';
import type { Database } from './schema.ts';

export class SqlSessionRepository implements SessionRepository {
  readonly #db: Kysely<Database>;

  constructor(db: Kysely<Database>) {
    this.#db = db;
  }

  async insert(session: Session): Promise<void> {
    await this.#db
      .insertInto('sessions')
      .values({
        hash: session.hash,
        user_id: session.userId,
        created_at: session.createdAt.getTime(),
        expires_at: session.expiresAt.getTime(),
        last_seen_at: session.lastSeenAt.getTime(),
      })
      .execute();
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
