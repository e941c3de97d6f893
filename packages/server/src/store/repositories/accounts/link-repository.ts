import type { LinkKind } from '@winnow/contract';
import type { Kysely, Selectable } from 'kysely';
import type { LinkRepository, OneTimeLink } from '../../../domain/accounts/ports.ts';
import type { OneTimeLinkTable } from '../../schema/account-schema.ts';
import type { Database } from '../../schema/schema.ts';

export class SqlLinkRepository implements LinkRepository {
  readonly #db: Kysely<Database>;

  constructor(db: Kysely<Database>) {
    this.#db = db;
  }

  async insert(link: OneTimeLink): Promise<void> {
    await this.#db
      .insertInto('one_time_links')
      .values({
        id: link.id,
        hash: link.hash,
        kind: link.kind,
        email: link.email,
        email_key: link.email?.toLowerCase() ?? null,
        role: link.role,
        project_ids: JSON.stringify(link.projectIds),
        created_at: link.createdAt.getTime(),
        expires_at: link.expiresAt.getTime(),
      })
      .execute();
  }

  async findByHash(hash: string): Promise<OneTimeLink | undefined> {
    const row = await this.#db.selectFrom('one_time_links').selectAll().where('hash', '=', hash).executeTakeFirst();
    return row === undefined ? undefined : toLink(row);
  }

  async take(id: string): Promise<boolean> {
    const result = await this.#db.deleteFrom('one_time_links').where('id', '=', id).executeTakeFirst();
    return result.numDeletedRows > 0n;
  }

  async list(): Promise<OneTimeLink[]> {
    const rows = await this.#db.selectFrom('one_time_links').selectAll().orderBy('created_at').orderBy('id').execute();
    return rows.map(toLink);
  }

  async deleteOfKind(kind: LinkKind, email?: string): Promise<void> {
    let query = this.#db.deleteFrom('one_time_links').where('kind', '=', kind);
    if (email !== undefined) query = query.where('email_key', '=', email.toLowerCase());
    await query.execute();
  }

  async deleteExpired(now: Date): Promise<void> {
    await this.#db.deleteFrom('one_time_links').where('expires_at', '<=', now.getTime()).execute();
  }
}

function toLink(row: Selectable<OneTimeLinkTable>): OneTimeLink {
  return {
    id: row.id,
    hash: row.hash,
    kind: row.kind,
    email: row.email,
    role: row.role,
    projectIds: JSON.parse(row.project_ids) as string[],
    createdAt: new Date(row.created_at),
    expiresAt: new Date(row.expires_at),
  };
}
