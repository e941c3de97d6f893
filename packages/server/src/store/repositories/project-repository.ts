import type { Project, ProjectChanges, ProjectRepository } from '../../domain/keys/key-ports.ts';
import { mapRows } from '../schema/rows.ts';
import type { SettingRepository } from '../../domain/shared/ports.ts';
import { hasEffect, SqlRepository } from '../queries/sql-repository.ts';
import type { Alert, AlertRepository } from '../../domain/alerts/alert-ports.ts';

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

const ALERT = mapRows<Alert>()({
  plain: ['projectId', 'secret', 'errorRate'],
  foreign: ['url', 'lastError'],
  flag: ['fillRates'],
  json: ['active'],
  time: ['changedAt'],
});

export class SqlAlertRepository extends SqlRepository implements AlertRepository {
  async put(alert: Alert): Promise<void> {
    const { project_id: id, ...changes } = ALERT.toRow(alert);
    await this.db
      .insertInto('alerts')
      .values({ project_id: id, ...changes })
      .onConflict((conflict) => conflict.column('project_id').doUpdateSet(changes))
      .execute();
  }

  async find(projectId: string): Promise<Alert | undefined> {
    const row = await this.db.selectFrom('alerts').selectAll().where('project_id', '=', projectId).executeTakeFirst();
    return row && ALERT.fromRow(row);
  }

  async list(): Promise<Alert[]> {
    return (await this.db.selectFrom('alerts').selectAll().execute()).map(ALERT.fromRow);
  }

  async note({ projectId, changedAt }: Alert, call: Pick<Alert, 'active' | 'lastError'>): Promise<void> {
    await this.db
      .updateTable('alerts')
      .set(ALERT.toChanges(call))
      .where((eb) => eb.and({ project_id: projectId, changed_at: changedAt.getTime() }))
      .execute();
  }

  async delete(projectId: string): Promise<boolean> {
    return hasEffect(this.db.deleteFrom('alerts').where('project_id', '=', projectId));
  }
}
