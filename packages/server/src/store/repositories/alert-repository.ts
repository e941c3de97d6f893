import type { Alert, AlertRepository } from '../../domain/alerts/alert-ports.ts';
import { mapRows } from '../schema/rows.ts';
import { hasEffect, SqlRepository } from '../queries/sql-repository.ts';

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
