import type { Project, ProjectChanges, ProjectRepository } from '../../domain/keys/key-ports.ts';
import { mapRows } from '../schema/rows.ts';
import type { SettingRepository } from '../../domain/shared/ports.ts';
import { hasEffect, SqlRepository } from '../queries/sql-repository.ts';

const PROJECT = mapRows<Project>()({ plain: ['id', 'name'], time: ['createdAt', 'archivedAt'], flag: ['learns'] });

export class SqlProjectRepository extends SqlRepository implements ProjectRepository {
  async insert(project: Omit<Project, 'learns'>): Promise<void> {
    await this.db
      .insertInto('projects')
      .values(PROJECT.toRow({ ...project, learns: true }))
      .execute();
  }

  async find(id: string): Promise<Project | undefined> {
    const row = await this.db.selectFrom('projects').selectAll().where('id', '=', id).executeTakeFirst();
    return row && PROJECT.fromRow(row);
  }

  async list(): Promise<Project[]> {
    const rows = await this.db.selectFrom('projects').selectAll().orderBy('created_at').orderBy('id').execute();
    return rows.map(PROJECT.fromRow);
  }

  async update(id: string, changes: ProjectChanges): Promise<boolean> {
    return hasEffect(
      this.db
        .updateTable('projects')
        // Kysely needs at least one column to set.
        .set({ id, ...PROJECT.toChanges(changes) })
        .where('id', '=', id),
    );
  }

  async archive(id: string, at: Date): Promise<boolean> {
    return hasEffect(
      this.db
        .updateTable('projects')
        .set((build) => ({ archived_at: build.fn.coalesce('archived_at', build.val(at.getTime())) }))
        .where('id', '=', id),
    );
  }
}

export class SqlSettingRepository extends SqlRepository implements SettingRepository {
  async get(name: string): Promise<string | undefined> {
    const row = await this.db.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst();
    return row?.value;
  }

  async claim(name: string, value: string): Promise<boolean> {
    return hasEffect(
      this.db
        .insertInto('settings')
        .values({ name, value })
        .onConflict((conflict) => conflict.column('name').doNothing()),
    );
  }
}
