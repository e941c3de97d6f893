import { createHash } from 'node:crypto';
import { sql, type Kysely } from 'kysely';
import type { LinkKind } from '@winnow/contract';
import type {
  AccountDeps,
  AuditRepository,
  FailureRepository,
  LinkRepository,
  SessionRepository,
  AuditEntry,
  Failures,
  OneTimeLink,
  Session,
  User,
  UserChanges,
  UserRepository,
} from '../../../domain/accounts/ports.ts';
import { mapRows } from '../../schema/rows.ts';
import type { Database } from '../../schema/schema.ts';
import type { Page, PageRequest } from '../../../domain/shared/ports.ts';
import { readListPage } from '../../queries/read-list-page.ts';
import { hasEffect, SqlRepository } from '../../queries/sql-repository.ts';

export type AccountRepositories = Omit<AccountDeps, 'now'>;

export function createAccountRepositories(db: Kysely<Database>): AccountRepositories {
  return {
    users: new SqlUserRepository(db),
    sessions: new SqlSessionRepository(db),
    links: new SqlLinkRepository(db),
    failures: new SqlFailureRepository(db),
    audit: new SqlAuditRepository(db),
  };
}

/** A day; failures count only for minutes. */
const KEEP_FAILURES_MS = 86_400_000;

export async function forgetExpiredAccounts(repositories: AccountRepositories, now: Date): Promise<void> {
  await repositories.sessions.deleteExpired(now);
  await repositories.links.deleteExpired(now);
  await repositories.failures.deleteBefore(new Date(now.getTime() - KEEP_FAILURES_MS));
}

const ENTRY = mapRows<AuditEntry>()({
  plain: ['id', 'actor', 'action', 'projectId', 'target'],
  time: ['at'],
  json: ['detail'],
});

class SqlAuditRepository extends SqlRepository implements AuditRepository {
  async insert(entry: AuditEntry): Promise<void> {
    await this.db.insertInto('audit_entries').values(ENTRY.toRow(entry)).execute();
  }

  async list(page: PageRequest): Promise<Page<AuditEntry>> {
    const entries = this.db.selectFrom('audit_entries').selectAll();
    return readListPage(entries, { time: 'at', id: 'id' }, page, ENTRY.fromRow);
  }
}

/** Largest value of the column. */
const NO_LIMIT = 2 ** 31 - 1;

class SqlFailureRepository extends SqlRepository implements FailureRepository {
  async find(key: string): Promise<Failures | undefined> {
    const row = await this.db
      .selectFrom('sign_in_failures')
      .selectAll()
      .where('key', '=', hashCounted(key))
      .executeTakeFirst();
    return row === undefined ? undefined : { count: row.count, lastAt: new Date(row.last_at) };
  }

  async add(key: string, at: Date, since: Date, limit: number = NO_LIMIT): Promise<boolean> {
    const last_at = at.getTime();
    const added = await this.db
      .insertInto('sign_in_failures')
      .values({ key: hashCounted(key), count: 1, last_at })
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
    await this.db
      .updateTable('sign_in_failures')
      .set((eb) => ({
        count: eb('count', '-', 1),
        last_at: eb.case().when('last_at', '=', at.getTime()).then(lastAt.getTime()).else(eb.ref('last_at')).end(),
      }))
      .where('key', '=', hashCounted(key))
      .where('count', '>', 0)
      .execute();
  }

  async clear(key: string): Promise<void> {
    await this.db.deleteFrom('sign_in_failures').where('key', '=', hashCounted(key)).execute();
  }

  async deleteBefore(time: Date): Promise<void> {
    await this.db.deleteFrom('sign_in_failures').where('last_at', '<', time.getTime()).execute();
  }
}

function hashCounted(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

const LINK = mapRows<OneTimeLink>()({
  plain: ['id', 'hash', 'kind', 'email', 'role'],
  json: ['projectIds'],
  time: ['createdAt', 'expiresAt'],
});

class SqlLinkRepository extends SqlRepository implements LinkRepository {
  async insert(link: OneTimeLink): Promise<void> {
    await this.db
      .insertInto('one_time_links')
      .values({ ...LINK.toRow(link), email_key: link.email?.toLowerCase() ?? null })
      .execute();
  }

  async findByHash(hash: string): Promise<OneTimeLink | undefined> {
    const row = await this.db.selectFrom('one_time_links').selectAll().where('hash', '=', hash).executeTakeFirst();
    return row && LINK.fromRow(row);
  }

  async take(id: string): Promise<boolean> {
    return hasEffect(this.db.deleteFrom('one_time_links').where('id', '=', id));
  }

  async list(): Promise<OneTimeLink[]> {
    const rows = await this.db.selectFrom('one_time_links').selectAll().orderBy('created_at').orderBy('id').execute();
    return rows.map(LINK.fromRow);
  }

  async deleteOfKind(kind: LinkKind, email?: string): Promise<void> {
    let query = this.db.deleteFrom('one_time_links').where('kind', '=', kind);
    if (email !== undefined) query = query.where('email_key', '=', email.toLowerCase());
    await query.execute();
  }

  async deleteExpired(now: Date): Promise<void> {
    await this.db.deleteFrom('one_time_links').where('expires_at', '<=', now.getTime()).execute();
  }
}

const SESSION = mapRows<Session>()({ plain: ['hash', 'userId'], time: ['createdAt', 'expiresAt', 'lastSeenAt'] });

class SqlSessionRepository extends SqlRepository implements SessionRepository {
  async insert(session: Session, passwordHash: string): Promise<boolean> {
    const user = this.db
      .selectFrom('users')
      .select((build) => [
        build.val(session.hash).as('hash'),
        'id as user_id',
        toTime(session.createdAt).as('created_at'),
        toTime(session.expiresAt).as('expires_at'),
        toTime(session.lastSeenAt).as('last_seen_at'),
      ])
      .where((eb) => eb.and({ id: session.userId, password_hash: passwordHash }))
      .where('disabled_at', 'is', null);
    return hasEffect(
      this.db
        .insertInto('sessions')
        .columns(['hash', 'user_id', 'created_at', 'expires_at', 'last_seen_at'])
        // Share lock: a concurrent password change waits, then ends this session too.
        .expression(this.locksRows ? user.forShare() : user),
    );
  }

  async find(hash: string): Promise<Session | undefined> {
    const row = await this.db.selectFrom('sessions').selectAll().where('hash', '=', hash).executeTakeFirst();
    return row && SESSION.fromRow(row);
  }

  async touch(hash: string, at: Date): Promise<void> {
    await this.db.updateTable('sessions').set({ last_seen_at: at.getTime() }).where('hash', '=', hash).execute();
  }

  async delete(hash: string): Promise<number> {
    const result = await this.db.deleteFrom('sessions').where('hash', '=', hash).executeTakeFirst();
    return Number(result.numDeletedRows);
  }

  async deleteOfUser(userId: string): Promise<number> {
    const result = await this.db.deleteFrom('sessions').where('user_id', '=', userId).executeTakeFirst();
    return Number(result.numDeletedRows);
  }

  async deleteExpired(now: Date): Promise<void> {
    await this.db.deleteFrom('sessions').where('expires_at', '<=', now.getTime()).execute();
  }
}

function toTime(date: Date) {
  return sql<number>`cast(${date.getTime()} as bigint)`;
}

const USER = mapRows<User>()({
  plain: ['id', 'email', 'role', 'passwordHash'],
  time: ['createdAt', 'disabledAt', 'lastSeenAt'],
});

class SqlUserRepository extends SqlRepository implements UserRepository {
  async insert(user: User): Promise<boolean> {
    return hasEffect(
      this.db
        .insertInto('users')
        .values({ ...USER.toRow(user), email_key: user.email.toLowerCase() })
        .onConflict((conflict) => conflict.column('email_key').doNothing()),
    );
  }

  async find(id: string): Promise<User | undefined> {
    const row = await this.db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();
    return row && USER.fromRow(row);
  }

  async findByEmail(email: string): Promise<User | undefined> {
    const key = email.toLowerCase();
    const row = await this.db.selectFrom('users').selectAll().where('email_key', '=', key).executeTakeFirst();
    return row && USER.fromRow(row);
  }

  async list(): Promise<User[]> {
    const rows = await this.db.selectFrom('users').selectAll().orderBy('created_at').orderBy('id').execute();
    return rows.map(USER.fromRow);
  }

  async update(id: string, changes: UserChanges): Promise<boolean> {
    return hasEffect(this.db.updateTable('users').set(USER.toChanges(changes)).where('id', '=', id));
  }

  async updateUnlessLastAdmin(id: string, changes: UserChanges): Promise<boolean> {
    return this.db.transaction().execute(async (transaction) => {
      // Prevents concurrent changes of administrators.
      if (this.locksRows) await sql`lock table users in share row exclusive mode`.execute(transaction);
      const others = transaction
        .selectFrom('users as other')
        .select('other.id')
        .where('other.id', '!=', id)
        .where('other.role', '=', 'admin')
        .where('other.disabled_at', 'is', null);
      return hasEffect(
        transaction
          .updateTable('users')
          .set(USER.toChanges(changes))
          .where('id', '=', id)
          .where((build) =>
            build.or([build('role', '!=', 'admin'), build('disabled_at', 'is not', null), build.exists(others)]),
          ),
      );
    });
  }

  async setPassword(id: string, passwordHash: string, verified?: string): Promise<boolean> {
    return this.db.transaction().execute(async (transaction) => {
      const update = transaction.updateTable('users').set({ password_hash: passwordHash }).where('id', '=', id);
      const isSet = await hasEffect(verified === undefined ? update : update.where('password_hash', '=', verified));
      if (!isSet) return false;
      await transaction.deleteFrom('sessions').where('user_id', '=', id).execute();
      return true;
    });
  }

  async listProjectIds(userId: string): Promise<string[]> {
    const rows = await this.db
      .selectFrom('memberships')
      .select('project_id')
      .where('user_id', '=', userId)
      .orderBy('project_id')
      .execute();
    return rows.map((row) => row.project_id);
  }

  async setProjectIds(userId: string, projectIds: readonly string[]): Promise<void> {
    await this.db.transaction().execute(async (transaction) => {
      // Serialises concurrent changes of the same user's projects.
      if (this.locksRows) {
        await transaction.selectFrom('users').select('id').where('id', '=', userId).forNoKeyUpdate().execute();
      }
      await transaction.deleteFrom('memberships').where('user_id', '=', userId).execute();
      const rows = [...new Set(projectIds)].map((id) => ({ user_id: userId, project_id: id }));
      if (rows.length > 0) await transaction.insertInto('memberships').values(rows).execute();
    });
  }
}
