import type { TaughtExample, TaughtExampleRepository } from '../../domain/templates/template-ports.ts';
import { hasEffect, SqlRepository } from '../queries/sql-repository.ts';
import { mapRows } from '../schema/rows.ts';

/** A site learns little from more. */
const MAX_OF_HOST = 50;
const MAX_OF_PROJECT = 1000;

const EXAMPLE = mapRows<TaughtExample>()({
  plain: ['projectId', 'host', 'domId'],
  foreign: ['url', 'shape'],
  json: ['marks', 'page'],
  time: ['changedAt'],
});

export class SqlSiteExampleRepository extends SqlRepository implements TaughtExampleRepository {
  async put(example: TaughtExample): Promise<boolean> {
    const { projectId, host, domId, marks, page, changedAt } = example;
    return this.db.transaction().execute(async (trx) => {
      const others = trx.selectFrom('site_examples').select(({ fn }) => fn.countAll<number>().as('count'));
      const ofProject = others.where('project_id', '=', projectId).where('dom_id', '!=', domId);
      const { count } = await ofProject.executeTakeFirstOrThrow();
      const { count: ofHost } = await ofProject.where('host', '=', host).executeTakeFirstOrThrow();
      if (count >= MAX_OF_PROJECT || ofHost >= MAX_OF_HOST) return false;
      await trx
        .insertInto('site_examples')
        .values({ ...EXAMPLE.toRow(example), created_at: changedAt.getTime() })
        .onConflict((conflict) =>
          conflict.columns(['project_id', 'host', 'dom_id']).doUpdateSet(EXAMPLE.toChanges({ marks, page, changedAt })),
        )
        .execute();
      return true;
    });
  }

  async list(projectId: string, host: string): Promise<TaughtExample[]> {
    const rows = await this.db
      .selectFrom('site_examples')
      .selectAll()
      .where((eb) => eb.and({ project_id: projectId, host }))
      .orderBy('created_at')
      .orderBy('dom_id')
      .execute();
    return rows.map(EXAMPLE.fromRow);
  }

  async find(projectId: string, host: string, domId: string): Promise<TaughtExample | undefined> {
    const row = await this.db
      .selectFrom('site_examples')
      .selectAll()
      .where((eb) => eb.and({ project_id: projectId, host, dom_id: domId }))
      .executeTakeFirst();
    return row && EXAMPLE.fromRow(row);
  }

  async delete(projectId: string, host: string, domId: string): Promise<boolean> {
    return hasEffect(
      this.db.deleteFrom('site_examples').where((eb) => eb.and({ project_id: projectId, host, dom_id: domId })),
    );
  }
}
