import type { TemplateState } from '@winnow/contract';
import { type Kysely, type Selectable, sql } from 'kysely';
import { AppError } from '../../domain/shared/errors.ts';
import {
  readTemplateName,
  type TemplateHealth,
  type ServingDay,
  type StoredTemplate,
  type TemplateFilter,
  type TemplateKey,
  type TemplateRepository,
} from '../../domain/templates/template-ports.ts';
import type { Database, TemplateTable } from '../schema/schema.ts';
import { mapRows, toStorable } from '../schema/rows.ts';
import { hasEffect, SqlRepository } from '../queries/sql-repository.ts';

/** Newest versions read for a host. */
const MAX_PER_HOST = 100;

export class SqlTemplateRepository extends SqlRepository implements TemplateRepository {
  async insert(template: StoredTemplate): Promise<boolean> {
    return this.db.transaction().execute(async (trx) => {
      if (template.state === 'active') await lockVersions(trx, template.id);
      const isNew = await hasEffect(
        trx
          .insertInto('templates')
          .values(toRow(template))
          .onConflict((conflict) => conflict.columns(['id', 'version']).doNothing()),
      );
      if (!isNew) return false;
      const { id, version, document } = template;
      const hosts = [...new Set(document.hosts)].map((host) => ({ host, template_id: id, version }));
      await trx.insertInto('template_hosts').values(hosts).execute();
      if (template.state === 'active') await retireOthers(trx, template);
      return true;
    });
  }

  async find(id: string, version: number): Promise<StoredTemplate | undefined> {
    const row = await this.db
      .selectFrom('templates')
      .selectAll()
      .where((eb) => eb.and({ id, version }))
      .executeTakeFirst();
    return row && fromRow(row);
  }

  async listVersions(id: string): Promise<StoredTemplate[]> {
    const rows = await this.db
      .selectFrom('templates')
      .selectAll()
      .where('id', '=', id)
      .orderBy('version', 'desc')
      .execute();
    return rows.map(fromRow);
  }

  async list({ state, domain, projectId, after, limit }: TemplateFilter): Promise<StoredTemplate[]> {
    let query = this.db
      .selectFrom('templates')
      .selectAll()
      .orderBy('id', 'desc')
      .orderBy('version', 'desc')
      .limit(limit);
    if (state !== undefined) query = query.where('state', '=', state);
    if (domain !== undefined) query = query.where('domain', '=', domain);
    if (projectId !== undefined)
      query = query.where((where) => where.or([where('project_id', 'is', null), where('project_id', '=', projectId)]));
    if (after !== undefined) {
      const { id, version } = decodeNameCursor(after);
      query = query.where((where) =>
        where.or([where('id', '<', id), where.and([where('id', '=', id), where('version', '<', version)])]),
      );
    }
    return (await query.execute()).map(fromRow);
  }

  async findByHosts(
    hosts: readonly string[],
    states: readonly TemplateState[],
    projectId?: string,
  ): Promise<StoredTemplate[]> {
    let query = this.db
      .selectFrom('template_hosts')
      .innerJoin('templates', (join) =>
        join
          .onRef('templates.id', '=', 'template_hosts.template_id')
          .onRef('templates.version', '=', 'template_hosts.version'),
      )
      .selectAll('templates')
      .distinct()
      .where('template_hosts.host', 'in', hosts)
      .where('templates.state', 'in', states)
      .orderBy('templates.id', 'desc')
      .orderBy('templates.version', 'desc')
      .limit(MAX_PER_HOST);
    if (projectId !== undefined) {
      query = query.where((where) =>
        where.or([where('templates.project_id', 'is', null), where('templates.project_id', '=', projectId)]),
      );
    }
    return (await query.execute()).map(fromRow);
  }

  async setState(key: TemplateKey, from: readonly TemplateState[], to: TemplateState, note: string): Promise<boolean> {
    return changeState(this.db, key, from, to, note);
  }

  async activate(
    key: TemplateKey,
    from: readonly TemplateState[],
    note: string,
    othersNote?: string,
  ): Promise<boolean> {
    return this.db.transaction().execute(async (trx) => {
      await lockVersions(trx, key.id);
      const isActive = await changeState(trx, key, from, 'active', note);
      if (isActive) await retireOthers(trx, key, othersNote);
      return isActive;
    });
  }

  async addHealth(key: TemplateKey, change: TemplateHealth, at: Date = new Date()): Promise<void> {
    await this.db.transaction().execute(async (trx) => {
      await addToTotals(trx, key, change);
      await addToDay(trx, key, change, dayOf(at));
    });
  }

  async listServing(id: string, from: Date): Promise<ServingDay[]> {
    const rows = await this.db
      .selectFrom('template_serving')
      .select(({ fn }) => ['day', fn.sum<number>('served').as('served'), fn.sum<number>('failed').as('failed')])
      .where('template_id', '=', id)
      .where('day', '>=', dayOf(from))
      .groupBy('day')
      .orderBy('day')
      .execute();
    return rows.map(({ day, served, failed }) => ({ day: new Date(day * DAY_MS), served, failed }));
  }

  async forgetServingBefore(time: Date): Promise<void> {
    await this.db.deleteFrom('template_serving').where('day', '<', dayOf(time)).execute();
  }
}

const DAY_MS = 86_400_000;

function dayOf(time: Date): number {
  return Math.floor(time.getTime() / DAY_MS);
}

async function addToDay(
  db: Kysely<Database>,
  { id, version }: TemplateKey,
  { served, failed }: TemplateHealth,
  day: number,
): Promise<void> {
  await db
    .insertInto('template_serving')
    .values({ template_id: id, version, day, served, failed })
    .onConflict((conflict) =>
      conflict.columns(['template_id', 'version', 'day']).doUpdateSet((eb) => ({
        served: eb('template_serving.served', '+', eb.ref('excluded.served')),
        failed: eb('template_serving.failed', '+', eb.ref('excluded.failed')),
      })),
    )
    .execute();
}

async function addToTotals(db: Kysely<Database>, key: TemplateKey, change: TemplateHealth): Promise<void> {
  await db
    .updateTable('templates')
    .set({
      served: sql`served + ${change.served}`,
      failed: sql`failed + ${change.failed}`,
      drift: change.drift,
      filled: JSON.stringify(change.filled),
    })
    .where((eb) => eb.and({ id: key.id, version: key.version }))
    .execute();
}

/** Parses the name of a version; throws AppError `invalid_request` if it is invalid. */
function decodeNameCursor(text: string): TemplateKey {
  const { id, version } = readTemplateName(text) ?? {};
  if (id === undefined || version === undefined)
    throw new AppError('invalid_request', 'cursor: not a cursor of this list');
  return { id, version };
}

/** Locks the first version's row, so that changes of the active version run one after another. */
async function lockVersions(trx: Kysely<Database>, id: string): Promise<void> {
  await trx
    .updateTable('templates')
    .set((eb) => ({ state: eb.ref('state') }))
    .where('id', '=', id)
    // A single row: locking several in varying order leads to deadlocks.
    .where('version', '=', (eb) =>
      eb
        .selectFrom('templates as versions')
        .select(({ fn }) => fn.min('versions.version').as('first'))
        .where('versions.id', '=', id),
    )
    .execute();
}

async function changeState(
  db: Kysely<Database>,
  key: TemplateKey,
  from: readonly TemplateState[],
  to: TemplateState,
  note: string,
): Promise<boolean> {
  return hasEffect(
    db
      .updateTable('templates')
      .set({
        state: to,
        note: toStorable(note),
        changed_at: Date.now(),
        ...(to === 'active' ? { drift: 0 } : {}),
      })
      .where((eb) => eb.and({ id: key.id, version: key.version }))
      .where('state', 'in', from),
  );
}

/** Keeps a single active version per template. */
async function retireOthers(
  trx: Kysely<Database>,
  { id, version }: TemplateKey,
  note = `replaced by version ${version}`,
): Promise<void> {
  await trx
    .updateTable('templates')
    .set({ state: 'retired', note, changed_at: Date.now() })
    .where('id', '=', id)
    .where('version', '!=', version)
    .where('state', '!=', 'retired')
    .execute();
}

type TemplateRow = Omit<StoredTemplate, 'health'>;

const TEMPLATE = mapRows<TemplateRow>()({
  plain: ['id', 'version', 'state', 'projectId', 'domain'],
  json: ['document'],
  foreign: ['note'],
  time: ['createdAt', 'changedAt'],
});

const HEALTH = mapRows<TemplateHealth>()({ plain: ['served', 'failed', 'drift'], json: ['filled'] });

function toRow(template: StoredTemplate): TemplateTable {
  return { ...TEMPLATE.toRow(template), ...HEALTH.toRow(template.health) };
}

function fromRow(row: Selectable<TemplateTable>): StoredTemplate {
  return { ...TEMPLATE.fromRow(row), health: HEALTH.fromRow(row) };
}
