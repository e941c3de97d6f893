import { sql } from 'kysely';
import type { User, UserChanges, UserRepository } from '../../../domain/accounts/ports.ts';
import { mapRows } from '../../schema/rows.ts';
import { hasEffect, SqlRepository } from '../../queries/sql-repository.ts';

const USER = mapRows<User>()({
  plain: ['id', 'email', 'role', 'passwordHash'],
  time: ['createdAt', 'disabledAt', 'lastSeenAt'],
});

export class SqlUserRepository extends SqlRepository implements UserRepository {
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
