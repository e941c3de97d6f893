import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import { sql } from 'kysely';
import type { ExpressionBuilder, Kysely, Selectable, UpdateQueryBuilder, UpdateResult } from 'kysely';
import type {
  Batch,
  BatchOptions,
  BatchRepository,
  ClaimedItem,
  ItemCounts,
  ItemResult,
  Lease,
  NewBatch,
} from '../domain/batches/batch-ports.ts';
import type { BatchTable } from './batch-schema.ts';
import type { Database } from './schema.ts';

type ItemUpdate = UpdateQueryBuilder<Database, 'batch_items', 'batch_items', UpdateResult>;

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** Items in one insert: 8 values each, within what both databases bind, and not long for SQLite's one thread. */
const INSERT_ROWS = 400;

/** Due webhooks read at a time, until one is found that may be called. */
const DUE_ROWS = 500;

/**
 * Batches over rows: the items are the queue. PostgreSQL hands them out with `FOR UPDATE SKIP LOCKED`, so that
 * nodes never wait for each other; SQLite runs each statement alone anyway. Counts are counted, not kept, so
 * that there is no row which every finished item writes.
 */
export class SqlBatchRepository implements BatchRepository {
  readonly #db: Kysely<Database>;
  readonly #locksRows: boolean;
  /** Project that was served last: the next one is the next in turn. */
  #servedLast = '';

  constructor(db: Kysely<Database>, options: { readonly locksRows: boolean }) {
    this.#db = db;
    this.#locksRows = options.locksRows;
  }

  async create(batch: NewBatch): Promise<Batch> {
    await this.#db
      .insertInto('batches')
      .values(toTable(batch))
      .onConflict((conflict) => conflict.columns(['project_id', 'idempotency_key']).doNothing())
      .execute();
    const row = await this.#db
      .selectFrom('batches')
      .selectAll()
      .where('project_id', '=', batch.projectId)
      .where((where) =>
        batch.idempotencyKey === null
          ? where('id', '=', batch.id)
          : where('idempotency_key', '=', batch.idempotencyKey),
      )
      .executeTakeFirstOrThrow();
    if (row.loaded === 0 && row.fingerprint === batch.fingerprint) await this.#load(row.id, batch.items);
    return toBatch(row);
  }

  async find(projectId: string, id: string): Promise<Batch | undefined> {
    const row = await this.#db
      .selectFrom('batches')
      .selectAll()
      .where('id', '=', id)
      .where('project_id', '=', projectId)
      .where('loaded', '=', 1)
      .executeTakeFirst();
    return row && toBatch(row);
  }

  async count(id: string): Promise<ItemCounts> {
    const rows = await this.#db
      .selectFrom('batch_items')
      .select(['state', (build) => build.fn.countAll<number>().as('items')])
      .where('batch_id', '=', id)
      .groupBy('state')
      .execute();
    const counts = { queued: 0, running: 0, done: 0, failed: 0, cancelled: 0 };
    for (const { state, items } of rows) counts[state] = items;
    return counts;
  }

  async firstUnfinished(id: string): Promise<number | undefined> {
    const row = await this.#db
      .selectFrom('batch_items')
      .select((build) => build.fn.min<number | null>('position').as('first'))
      .where('batch_id', '=', id)
      .where('state', 'in', ['queued', 'running'])
      .executeTakeFirst();
    return row?.first ?? undefined;
  }

  async results(id: string, after: number, limit: number): Promise<{ index: number; line: string }[]> {
    const rows = await this.#db
      .selectFrom('batch_results')
      .select(['position', 'body'])
      .where('batch_id', '=', id)
      .where('position', '>', after)
      .orderBy('position')
      .limit(limit)
      .execute();
    return Promise.all(
      rows.map(async ({ position, body }) => ({ index: position, line: (await decompress(body)).toString('utf8') })),
    );
  }

  async cancel(projectId: string, id: string, at: Date): Promise<boolean> {
    return this.#db.transaction().execute(async (transaction) => {
      const { numUpdatedRows } = await transaction
        .updateTable('batches')
        .set((build) => ({
          state: 'cancelled',
          finished_at: at.getTime(),
          webhook_next: dueIfWanted(build, at),
        }))
        .where('id', '=', id)
        .where('project_id', '=', projectId)
        .where('state', '=', 'running')
        .executeTakeFirst();
      if (numUpdatedRows === 0n) {
        const found = transaction.selectFrom('batches').select('id').where('id', '=', id);
        return (await found.where('project_id', '=', projectId).executeTakeFirst()) !== undefined;
      }
      await transaction
        .updateTable('batch_items')
        .set({ state: 'cancelled' })
        .where('batch_id', '=', id)
        .where('state', '=', 'queued')
        .execute();
      return true;
    });
  }

  async claim(lease: Lease, limit: number): Promise<ClaimedItem[]> {
    const batch = await this.#nextBatch();
    if (batch === undefined) return [];
    const waiting = this.#db
      .selectFrom('batch_items')
      .select('position')
      .where('batch_id', '=', batch.id)
      .where('state', '=', 'queued')
      .orderBy('position')
      .limit(limit);
    const rows = await this.#db
      // Materialized: PostgreSQL may run a plain sub-query once for every row, and then locks more than its limit.
      .with(
        (cte) => cte('picked').materialized(),
        () => (this.#locksRows ? waiting.forUpdate().skipLocked() : waiting),
      )
      .updateTable('batch_items')
      .set((build) => ({
        state: 'running',
        lease_owner: lease.owner,
        lease_until: lease.until.getTime(),
        attempts: build('attempts', '+', 1),
      }))
      .where('batch_id', '=', batch.id)
      .where('state', '=', 'queued')
      .where('position', 'in', (build) => build.selectFrom('picked').select('position'))
      .returning(['position', 'kind', 'value', 'attempts'])
      .execute();
    const options = JSON.parse(batch.options) as BatchOptions;
    return rows.map((row) => ({
      batchId: batch.id,
      projectId: batch.project_id,
      index: row.position,
      target: { kind: row.kind, value: row.value },
      options,
      attempt: row.attempts,
    }));
  }

  async renew(lease: Lease): Promise<void> {
    await this.#db
      .updateTable('batch_items')
      .set({ lease_until: lease.until.getTime() })
      .where('lease_until', 'is not', null)
      .where('lease_owner', '=', lease.owner)
      .execute();
  }

  async finish(item: ClaimedItem, owner: string, result: ItemResult): Promise<boolean> {
    const body = await compress(Buffer.from(result.line, 'utf8'));
    return this.#db.transaction().execute(async (transaction) => {
      const { numUpdatedRows } = await transaction
        .updateTable('batch_items')
        .set({ state: result.failed ? 'failed' : 'done', lease_owner: null, lease_until: null })
        .where('batch_id', '=', item.batchId)
        .where('position', '=', item.index)
        .where('state', '=', 'running')
        .where('lease_owner', '=', owner)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) return false;
      await transaction
        .insertInto('batch_results')
        .values({ batch_id: item.batchId, position: item.index, body })
        .execute();
      return true;
    });
  }

  async release(item: ClaimedItem, owner: string, options: { readonly countsAsTry: boolean }): Promise<void> {
    await this.#waitAgain(item.batchId, (update) =>
      update
        .set((build) => ({ attempts: build('attempts', '-', options.countsAsTry ? 0 : 1) }))
        .where('position', '=', item.index)
        .where('lease_owner', '=', owner),
    );
  }

  async reclaim(now: Date): Promise<number> {
    const batches = await this.#db
      .selectFrom('batch_items')
      .select('batch_id')
      .distinct()
      .where('lease_until', '<', now.getTime())
      .where('state', '=', 'running')
      .execute();
    let items = 0;
    for (const { batch_id: id } of batches) {
      items += await this.#waitAgain(id, (update) => update.where('lease_until', '<', now.getTime()));
    }
    return items;
  }

  async completeFinished(now: Date): Promise<void> {
    await this.#db
      .updateTable('batches')
      .set((build) => ({
        state: 'completed',
        finished_at: now.getTime(),
        webhook_next: dueIfWanted(build, now),
      }))
      .where('state', '=', 'running')
      .where('loaded', '=', 1)
      .where(hasNothingLeft)
      .execute();
  }

  async claimWebhook(now: Date, until: Date, mayCall: (url: string) => boolean): Promise<Batch | undefined> {
    const due = this.#db
      .selectFrom('batches')
      .select(['id', 'webhook_url'])
      .where('webhook_next', '<=', now.getTime())
      // A cancelled batch is told of once the last of its items has ended.
      .where(hasNothingLeft)
      .orderBy('webhook_next')
      .orderBy('id')
      .limit(DUE_ROWS);
    for (let offset = 0; ; offset += DUE_ROWS) {
      const rows = await due.offset(offset).execute();
      for (const { id, webhook_url: url } of rows) {
        if (url === null || !mayCall(url)) continue;
        const claimed = await this.#claimWebhookOf(id, now, until);
        if (claimed !== undefined) return claimed;
      }
      if (rows.length < DUE_ROWS) return undefined;
    }
  }

  async noteWebhook(id: string, delivered: boolean, retryAt: Date | null): Promise<void> {
    const state = delivered ? 'delivered' : retryAt === null ? 'failed' : 'waiting';
    await this.#db
      .updateTable('batches')
      .set({ webhook_state: state, webhook_next: delivered ? null : (retryAt?.getTime() ?? null) })
      .where('id', '=', id)
      .execute();
  }

  async forgetBefore(time: Date): Promise<void> {
    const rows = await this.#db
      .selectFrom('batches')
      .select('id')
      .where((build) =>
        build.or([
          build('finished_at', '<', time.getTime()),
          build.and([build('loaded', '=', 0), build('created_at', '<', time.getTime())]),
        ]),
      )
      .execute();
    for (const { id } of rows) {
      await this.#db.deleteFrom('batch_results').where('batch_id', '=', id).execute();
      await this.#db.deleteFrom('batch_items').where('batch_id', '=', id).execute();
      await this.#db.deleteFrom('batches').where('id', '=', id).execute();
    }
  }

  /**
   * Puts running items of a batch back into the queue, or out of it when the batch was cancelled; how many. The batch
   * is locked against being cancelled meanwhile: that would not see them wait.
   */
  async #waitAgain(id: string, choose: (update: ItemUpdate) => ItemUpdate): Promise<number> {
    return this.#db.transaction().execute(async (transaction) => {
      if (this.#locksRows) {
        await transaction.selectFrom('batches').select('id').where('id', '=', id).forShare().execute();
      }
      const update = transaction
        .updateTable('batch_items')
        .set((build) => ({
          state: sql<'queued' | 'cancelled'>`case when ${build
            .selectFrom('batches')
            .select('state')
            .where('id', '=', id)} = 'cancelled' then 'cancelled' else 'queued' end`,
          lease_owner: null,
          lease_until: null,
        }))
        .where('batch_id', '=', id)
        .where('state', '=', 'running');
      const { numUpdatedRows } = await choose(update).executeTakeFirst();
      return Number(numUpdatedRows);
    });
  }

  /** Undefined when another node was faster. */
  async #claimWebhookOf(id: string, now: Date, until: Date): Promise<Batch | undefined> {
    const row = await this.#db
      .updateTable('batches')
      .set((build) => ({ webhook_next: until.getTime(), webhook_attempts: build('webhook_attempts', '+', 1) }))
      .where('id', '=', id)
      .where('webhook_next', '<=', now.getTime())
      .returningAll()
      .executeTakeFirst();
    return row && toBatch(row);
  }

  async #load(id: string, items: NewBatch['items']): Promise<void> {
    for (let start = 0; start < items.length; start += INSERT_ROWS) {
      const rows = items.slice(start, start + INSERT_ROWS).map(({ kind, value }, offset) => ({
        batch_id: id,
        position: start + offset,
        kind,
        value,
        state: 'queued' as const,
        attempts: 0,
        lease_owner: null,
        lease_until: null,
      }));
      await this.#db
        .insertInto('batch_items')
        .values(rows)
        .onConflict((conflict) => conflict.columns(['batch_id', 'position']).doNothing())
        .execute();
      // Requests pass in between.
      await new Promise((resolve) => setImmediate(resolve));
    }
    await this.#db.updateTable('batches').set({ loaded: 1 }).where('id', '=', id).execute();
  }

  /** The oldest batch with waiting items of the project whose turn it is, archived ones aside. */
  async #nextBatch(): Promise<Pick<BatchTable, 'id' | 'project_id' | 'options'> | undefined> {
    const rows = await this.#db
      .selectFrom('batches')
      .select(['id', 'project_id', 'options'])
      .where('state', '=', 'running')
      .where('loaded', '=', 1)
      .where((build) =>
        build.exists(
          build
            .selectFrom('projects')
            .select('projects.id')
            .whereRef('projects.id', '=', 'batches.project_id')
            .where('projects.archived_at', 'is', null),
        ),
      )
      .where((build) =>
        build.exists(
          build
            .selectFrom('batch_items')
            .select('position')
            .whereRef('batch_items.batch_id', '=', 'batches.id')
            .where('batch_items.state', '=', 'queued'),
        ),
      )
      .orderBy('created_at')
      .execute();
    const projects = [...new Set(rows.map((row) => row.project_id))].toSorted();
    const next = projects.find((project) => project > this.#servedLast) ?? projects[0];
    if (next !== undefined) this.#servedLast = next;
    return rows.find((row) => row.project_id === next);
  }
}

/** No item of the batch waits or runs. */
function hasNothingLeft(build: ExpressionBuilder<Database, 'batches'>) {
  const left = build
    .selectFrom('batch_items')
    .select('position')
    .whereRef('batch_items.batch_id', '=', 'batches.id')
    .where('batch_items.state', 'in', ['queued', 'running']);
  return build.not(build.exists(left));
}

/** When the webhook is due, if the batch has one. */
function dueIfWanted(build: ExpressionBuilder<Database, 'batches'>, at: Date) {
  return build
    .case()
    .when('webhook_url', 'is not', null)
    .then(sql<number | null>`cast(${at.getTime()} as bigint)`)
    .else(null)
    .end();
}

function toTable(batch: NewBatch): BatchTable {
  return {
    id: batch.id,
    project_id: batch.projectId,
    idempotency_key: batch.idempotencyKey,
    fingerprint: batch.fingerprint,
    state: 'running',
    loaded: 0,
    total: batch.items.length,
    options: JSON.stringify(batch.options),
    created_at: batch.createdAt.getTime(),
    finished_at: null,
    webhook_url: batch.webhook?.url ?? null,
    webhook_secret: batch.webhook?.secret ?? null,
    webhook_state: batch.webhook === null ? null : 'waiting',
    webhook_attempts: 0,
    webhook_next: null,
  };
}

function toBatch(row: Selectable<BatchTable>): Batch {
  return {
    id: row.id,
    projectId: row.project_id,
    fingerprint: row.fingerprint,
    state: row.state,
    total: row.total,
    options: JSON.parse(row.options) as BatchOptions,
    createdAt: new Date(row.created_at),
    finishedAt: row.finished_at === null ? null : new Date(row.finished_at),
    webhook:
      row.webhook_url === null || row.webhook_secret === null || row.webhook_state === null
        ? null
        : {
            url: row.webhook_url,
            secret: row.webhook_secret,
            state: row.webhook_state,
            attempts: row.webhook_attempts,
          },
  };
}
