import type { Kysely, Selectable } from 'kysely';
import type { TaughtExample, TaughtExampleRepository } from '../../domain/templates/template-ports.ts';
import { toStorable } from '../schema/rows.ts';
import type { Database, SiteExamplesTable } from '../schema/schema.ts';

/** A site learns little from more. */
const MAX_OF_HOST = 50;
const MAX_OF_PROJECT = 1000;

export class SqlSiteExampleRepository implements TaughtExampleRepository {
  readonly #db: Kysely<Database>;

  constructor(db: Kysely<Database>) {
    this.#db = db;
  }

  async put({ projectId, host, domId, url, shape, marks, page, changedAt }: TaughtExample): Promise<boolean> {
    return this.#db.transaction().execute(async (trx) => {
      const others = trx.selectFrom('site_examples').select(({ fn }) => fn.countAll<number>().as('count'));
      const ofProject = others.where('project_id', '=', projectId).where('dom_id', '!=', domId);
      const { count } = await ofProject.executeTakeFirstOrThrow();
      const { count: ofHost } = await ofProject.where('host', '=', host).executeTakeFirstOrThrow();
      if (count >= MAX_OF_PROJECT || ofHost >= MAX_OF_HOST) return false;
      const changed = { marks: JSON.stringify(marks), page: JSON.stringify(page), changed_at: changedAt.getTime() };
      await trx
        .insertInto('site_examples')
        .values({
          project_id: projectId,
          host,
          dom_id: domId,
          url: toStorable(url),
          shape: toStorable(shape),
          created_at: changedAt.getTime(),
          ...changed,
        })
        .onConflict((conflict) => conflict.columns(['project_id', 'host', 'dom_id']).doUpdateSet(changed))
        .execute();
      return true;
    });
  }

  async list(projectId: string, host: string): Promise<TaughtExample[]> {
    const rows = await this.#db
      .selectFrom('site_examples')
      .selectAll()
      .where('project_id', '=', projectId)
      .where('host', '=', host)
      .orderBy('created_at')
      .orderBy('dom_id')
      .execute();
    return rows.map(fromRow);
  }

  async find(projectId: string, host: string, domId: string): Promise<TaughtExample | undefined> {
    const row = await this.#db
      .selectFrom('site_examples')
      .selectAll()
      .where('project_id', '=', projectId)
      .where('host', '=', host)
      .where('dom_id', '=', domId)
      .executeTakeFirst();
    return row && fromRow(row);
  }

  async delete(projectId: string, host: string, domId: string): Promise<boolean> {
    const { numDeletedRows } = await this.#db
      .deleteFrom('site_examples')
      .where('project_id', '=', projectId)
      .where('host', '=', host)
      .where('dom_id', '=', domId)
      .executeTakeFirst();
    return numDeletedRows > 0n;
  }
}

function fromRow(row: Selectable<SiteExamplesTable>): TaughtExample {
  const { project_id: projectId, host, dom_id: domId, url, shape, marks, page, changed_at: changedAt } = row;
  return {
    projectId,
    host,
    domId,
    url,
    shape,
    marks: JSON.parse(marks) as TaughtExample['marks'],
    page: JSON.parse(page) as TaughtExample['page'],
    changedAt: new Date(changedAt),
  };
}
