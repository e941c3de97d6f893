import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import type { BatchOutcome, BatchState } from '@winnow/contract';
import { sql } from 'kysely';
import type { ExpressionBuilder, Insertable, Kysely, Selectable, UpdateQueryBuilder, UpdateResult } from 'kysely';
import type {
  Batch,
  BatchOptions,
  BatchQueue,
  BatchRepository,
  BatchWebhooks,
  ClaimedItem,
  ItemCounts,
  ItemResult,
  Lease,
  NewBatch,
} from '../../domain/batches/batch-ports.ts';
import { batchBytes, RESULT_ROW_BYTES } from '../../domain/batches/stored-size.ts';
import type { Page, PageRequest } from '../../domain/shared/ports.ts';
import { readPage } from '../queries/read-page.ts';
import type { BatchTable } from '../schema/batch-schema.ts';
import type { Database } from '../schema/schema.ts';
import { changeStorage } from './storage-repository.ts';

type ItemUpdate = UpdateQueryBuilder<Database, 'batch_items', 'batch_items', UpdateResult>;

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** Items in one insert: 8 values each, below the parameter limit of both databases. */
const INSERT_ROWS = 400;

/** Rows of a large batch changed by one statement: a few milliseconds of SQLite's single thread. */
const SLICE_ROWS = 1000;

/** A deletion older than this was interrupted by a process that died, in milliseconds. */
const DELETION_MS = 60 * 60 * 1000;

/** Due webhooks read at a time. */
const DUE_ROWS = 500;

/**
 * Batches whose items are the queue. PostgreSQL claims items with `FOR UPDATE SKIP LOCKED`, so that nodes never wait
 * for each other. Ending items updates the counts on the batch's row, which transactions lock first to prevent deadlocks.
 */
export class SqlBatchRepository implements BatchRepository, BatchQueue, BatchWebhooks {
  readonly #db: Kysely<Database>;
  readonly #locksRows: boolean;
  /** Project served last, for round-robin. */
  #servedLast = '';

  constructor(db: Kysely<Database>, options: { readonly locksRows: boolean }) {
    this.#db = db;
    this.#locksRows = options.locksRows;
  }

  async create(batch: NewBatch): Promise<Batch> {
    await this.#db.transaction().execute(async (transaction) => {
      const values = toTable(batch);
      const { numInsertedOrUpdatedRows = 0n } = await transaction
        .insertInto('batches')
        .values(values)
        .onConflict((conflict) => conflict.columns(['project_id', 'idempotency_key']).doNothing())
        .executeTakeFirst();
      if (numInsertedOrUpdatedRows === 0n) return;
      await changeStorage(transaction, batch.projectId, { batches: 1, batch_bytes: values.bytes });
    });
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

  async hasKey(projectId: string, idempotencyKey: string): Promise<boolean> {
    const row = await this.#db
      .selectFrom('batches')
      .select('id')
      .where('project_id', '=', projectId)
      .where('idempotency_key', '=', idempotencyKey)
      .executeTakeFirst();
    return row !== undefined;
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

  async list(projectId: string, state?: BatchState, page: PageRequest = {}): Promise<Page<Batch>> {
    let batches = this.#db
      .selectFrom('batches')
      .selectAll()
      .where('project_id', '=', projectId)
      .where('loaded', '=', 1);
    if (state !== undefined) batches = batches.where('state', '=', state);
    return readPage(batches, { time: 'created_at', id: 'id' }, page, toBatch);
  }

  async count(id: string): Promise<ItemCounts> {
    const row = await this.#db
      .selectFrom('batches')
      .select(['total', 'done', 'failed', 'cancelled'])
      .select((build) =>
        build
          .selectFrom('batch_items')
          .select((items) => items.fn.countAll<number>().as('running'))
          .whereRef('batch_items.batch_id', '=', 'batches.id')
          .where('batch_items.state', '=', 'running')
          .as('running'),
      )
      .where('id', '=', id)
      .executeTakeFirst();
    const { total = 0, done = 0, failed = 0, cancelled = 0 } = row ?? {};
    const running = row?.running ?? 0;
    return { queued: Math.max(0, total - running - done - failed - cancelled), running, done, failed, cancelled };
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

  async *results(
    id: string,
    after: number,
    limit: number,
    outcome?: BatchOutcome,
  ): AsyncGenerator<{ index: number; line: string }> {
    const rows = await (
      outcome === undefined
        ? this.#db
            .selectFrom('batch_results')
            .select(['position', 'body'])
            .where('batch_id', '=', id)
            .where('position', '>', after)
            .orderBy('position')
            .limit(limit)
        : this.#resultsOf(id, after, limit, outcome === 'failed' ? 'failed' : 'done')
    ).execute();
    for (const { position, body } of rows) yield { index: position, line: (await decompress(body)).toString('utf8') };
  }

  /** Starts with the items: SQLite otherwise reads all of them for each result. */
  #resultsOf(id: string, after: number, limit: number, state: 'done' | 'failed') {
    return this.#db
      .selectFrom('batch_items')
      .innerJoin('batch_results', (join) =>
        join
          .onRef('batch_results.batch_id', '=', 'batch_items.batch_id')
          .onRef('batch_results.position', '=', 'batch_items.position'),
      )
      .select(['batch_results.position', 'batch_results.body'])
      .where('batch_items.batch_id', '=', id)
      .where('batch_items.state', '=', state)
      .where('batch_items.position', '>', after)
      .orderBy('batch_items.position')
      .limit(limit);
  }

  async cancel(projectId: string, id: string, at: Date): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
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
    if (numUpdatedRows === 0n) return (await this.find(projectId, id)) !== undefined;
    await this.#cancelWaiting(id);
    return true;
  }

  /** Cancels the queued items of a cancelled batch in slices, so that requests run in between. */
  async #cancelWaiting(id: string): Promise<void> {
    for (;;) {
      const count = await this.#db.transaction().execute(async (transaction) => {
        await this.#hold(transaction, id);
        const slice = transaction
          .selectFrom('batch_items')
          .select('position')
          .where('batch_id', '=', id)
          .where('state', '=', 'queued')
          .orderBy('position')
          .limit(SLICE_ROWS);
        const { numUpdatedRows } = await transaction
          .updateTable('batch_items')
          .set({ state: 'cancelled' })
          .where('batch_id', '=', id)
          .where('state', '=', 'queued')
          .where('position', 'in', slice)
          .executeTakeFirst();
        const cancelled = Number(numUpdatedRows);
        if (cancelled > 0) await addCounts(transaction, id, { cancelled });
        return cancelled;
      });
      if (count === 0) return;
      await nextTurn();
    }
  }

  async claim(lease: Lease, limit: number, mustWait?: (options: BatchOptions) => boolean): Promise<ClaimedItem[]> {
    const batch = await this.#nextBatch(mustWait);
    if (batch === undefined) return [];
    const waiting = this.#db
      .selectFrom('batch_items')
      .select('position')
      .where('batch_id', '=', batch.id)
      .where('state', '=', 'queued')
      .orderBy('position')
      .limit(limit);
    const rows = await this.#db
      // Materialized: PostgreSQL may run a plain sub-query once per row and would then lock more rows than the
      // limit.
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
      // The batch may have been cancelled since it was chosen.
      .where((build) =>
        build.exists(
          build.selectFrom('batches').select('id').where('id', '=', batch.id).where('batches.state', '=', 'running'),
        ),
      )
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
      await this.#hold(transaction, item.batchId);
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
      const bytes = body.length + RESULT_ROW_BYTES;
      await addCounts(transaction, item.batchId, { [result.failed ? 'failed' : 'done']: 1, bytes });
      await changeStorage(transaction, item.projectId, { batch_bytes: bytes });
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
    await this.#resumeCancelling();
    return items;
  }

  /** Finishes cancellations interrupted by the death of a process. */
  async #resumeCancelling(): Promise<void> {
    const rows = await this.#db
      .selectFrom('batches')
      .select('id')
      .where('state', '=', 'cancelled')
      .where('loaded', '=', 1)
      .where((build) => build(sql<number>`done + failed + cancelled`, '<', build.ref('total')))
      .execute();
    for (const { id } of rows) await this.#cancelWaiting(id);
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

  async claimDue(now: Date, until: Date, mayCall: (url: string) => boolean): Promise<Batch | undefined> {
    const due = this.#db
      .selectFrom('batches')
      .select(['id', 'webhook_url'])
      .where('webhook_next', '<=', now.getTime())
      // A cancelled batch is reported once its last item has ended.
      .where(hasNothingLeft)
      .orderBy('webhook_next')
      .orderBy('id')
      .limit(DUE_ROWS);
    for (let offset = 0; ; offset += DUE_ROWS) {
      const rows = await due.offset(offset).execute();
      for (const { id, webhook_url: url } of rows) {
        if (url === null || !mayCall(url)) continue;
        const claimed = await this.#claimDueOf(id, now, until);
        if (claimed !== undefined) return claimed;
      }
      if (rows.length < DUE_ROWS) return undefined;
    }
  }

  async noteCall(id: string, delivered: boolean, retryAt: Date | null): Promise<void> {
    const state = delivered ? 'delivered' : retryAt === null ? 'failed' : 'waiting';
    await this.#db
      .updateTable('batches')
      .set({ webhook_state: state, webhook_next: delivered ? null : (retryAt?.getTime() ?? null) })
      .where('id', '=', id)
      .execute();
  }

  async delete(projectId: string, id: string, at: Date): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
      .updateTable('batches')
      .set({ ...DELETED, deleted_at: at.getTime() })
      .where('id', '=', id)
      .where('project_id', '=', projectId)
      .where('loaded', '=', 1)
      .where('deleted_at', 'is', null)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    await this.#removeRows({ id, project_id: projectId });
    return true;
  }

  async forgetBefore(time: Date): Promise<void> {
    const before = time.getTime();
    const rows = await this.#db
      .selectFrom('batches')
      .select(['id', 'project_id'])
      .where((build) =>
        build.or([
          build('finished_at', '<', before),
          build('deleted_at', '<', Date.now() - DELETION_MS),
          build.and([build('loaded', '=', 0), build('created_at', '<', before)]),
          // Batches of an archived project wait.
          build(
            'project_id',
            'in',
            build.selectFrom('projects').select('projects.id').where('archived_at', '<', before),
          ),
        ]),
      )
      .execute();
    for (const row of rows) {
      await this.#db
        .updateTable('batches')
        .set({ ...DELETED, deleted_at: before })
        .where('id', '=', row.id)
        .execute();
      await this.#removeRows(row);
    }
  }

  /** Removes the rows of a deleted batch in slices, so that requests run in between. */
  async #removeRows({ id, project_id: projectId }: Pick<BatchTable, 'id' | 'project_id'>): Promise<void> {
    // Items first: a result is stored only while its item exists.
    for (const table of ['batch_items', 'batch_results'] as const) {
      for (;;) {
        const slice = this.#db
          .selectFrom(table)
          .select('position')
          .where('batch_id', '=', id)
          .orderBy('position')
          .limit(SLICE_ROWS);
        const { numDeletedRows } = await this.#db
          .deleteFrom(table)
          .where('batch_id', '=', id)
          .where('position', 'in', slice)
          .executeTakeFirst();
        if (numDeletedRows < SLICE_ROWS) break;
        await nextTurn();
      }
    }
    await this.#db.transaction().execute(async (transaction) => {
      const row = await transaction
        .deleteFrom('batches')
        .where('id', '=', id)
        .where('deleted_at', 'is not', null)
        .returning('bytes')
        .executeTakeFirst();
      if (row) await changeStorage(transaction, projectId, { batches: -1, batch_bytes: -row.bytes });
    });
  }

  /** Locks the row of a batch against other transactions that change its items. */
  async #hold(transaction: Kysely<Database>, id: string): Promise<void> {
    if (!this.#locksRows) return;
    await transaction.selectFrom('batches').select('id').where('id', '=', id).forUpdate().execute();
  }

  /**
   * Returns running items to the queue, or cancels them if the batch was cancelled; returns how many. Holds the lock of
   * the batch, because a concurrent cancellation would miss the newly queued items.
   */
  async #waitAgain(id: string, choose: (update: ItemUpdate) => ItemUpdate): Promise<number> {
    return this.#db.transaction().execute(async (transaction) => {
      await this.#hold(transaction, id);
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
      const rows = await choose(update).returning('state').execute();
      const cancelled = rows.filter(({ state }) => state === 'cancelled').length;
      if (cancelled > 0) await addCounts(transaction, id, { cancelled });
      return rows.length;
    });
  }

  /** Returns undefined if another node claimed it first. */
  async #claimDueOf(id: string, now: Date, until: Date): Promise<Batch | undefined> {
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
      await nextTurn();
    }
    await this.#db.updateTable('batches').set({ loaded: 1 }).where('id', '=', id).execute();
  }

  /**
   * Returns the oldest batch with queued items of the next project in turn. Skips archived projects and batches that
   * must wait.
   */
  async #nextBatch(
    mustWait?: (options: BatchOptions) => boolean,
  ): Promise<Pick<BatchTable, 'id' | 'project_id' | 'options'> | undefined> {
    const waiting = await this.#db
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
    const rows = mustWait ? waiting.filter((row) => !mustWait(JSON.parse(row.options) as BatchOptions)) : waiting;
    const projects = [...new Set(rows.map((row) => row.project_id))].toSorted();
    const next = projects.find((project) => project > this.#servedLast) ?? projects[0];
    if (next !== undefined) this.#servedLast = next;
    return rows.find((row) => row.project_id === next);
  }
}

/** Tests that no item of the batch is queued or running. */
function hasNothingLeft(build: ExpressionBuilder<Database, 'batches'>) {
  const left = build
    .selectFrom('batch_items')
    .select('position')
    .whereRef('batch_items.batch_id', '=', 'batches.id')
    .where('batch_items.state', 'in', ['queued', 'running']);
  return build.not(build.exists(left));
}

/** Returns when the webhook is due, null for batches without one. */
function dueIfWanted(build: ExpressionBuilder<Database, 'batches'>, at: Date) {
  return build
    .case()
    .when('webhook_url', 'is not', null)
    .then(sql<number | null>`cast(${at.getTime()} as bigint)`)
    .else(null)
    .end();
}

/** Values that hide a batch and free its idempotency key. */
const DELETED = { state: 'cancelled', loaded: 0, idempotency_key: null, webhook_next: null } as const;

type Counts = Partial<Record<'done' | 'failed' | 'cancelled' | 'bytes', number>>;

async function addCounts(transaction: Kysely<Database>, id: string, counts: Counts): Promise<void> {
  const names = Object.keys(counts) as (keyof Counts)[];
  await transaction
    .updateTable('batches')
    .set((build) => Object.fromEntries(names.map((name) => [name, build(name, '+', counts[name] ?? 0)])))
    .where('id', '=', id)
    .execute();
}

function toTable(batch: NewBatch): Insertable<BatchTable> & { readonly bytes: number } {
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
    bytes: batchBytes(batch),
    deleted_at: null,
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
