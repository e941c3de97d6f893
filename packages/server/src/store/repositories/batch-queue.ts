import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { zstdCompress } from 'node:zlib';
import { sql } from 'kysely';
import type { ExpressionBuilder, ExpressionWrapper, Kysely, SqlBool, UpdateQueryBuilder, UpdateResult } from 'kysely';
import { RESULT_ROW_BYTES } from '../../domain/batches/batch-ports.ts';
import type { BatchOptions, BatchQueue, ClaimedItem, ItemResult, Lease } from '../../domain/batches/batch-ports.ts';
import type { Database, BatchTable } from '../schema/schema.ts';
import { readSlices } from '../queries/read-slices.ts';
import { hasEffect, SqlRepository } from '../queries/sql-repository.ts';
import { addFound } from './crawl-frontier.ts';
import { changeStorage } from './storage-repository.ts';

type ItemUpdate = UpdateQueryBuilder<Database, 'batch_items', 'batch_items', UpdateResult>;

const compress = promisify(zstdCompress);

/** Batches of a project whose options a claim reads, in all and at a time, until one need not wait. */
const MAX_CHOICE = 200;
const CHOICE_ROWS = 5;

/** Rows changed by one statement, which blocks SQLite's thread for a few milliseconds. */
export const SLICE_ROWS = 1000;

/**
 * The rows of batch items are the queue. PostgreSQL claims items with `FOR UPDATE SKIP LOCKED`, so that nodes never wait
 * for each other. Ending items updates the counts on the batch's row, which transactions lock first to prevent deadlocks.
 */
export class SqlBatchQueue extends SqlRepository implements BatchQueue {
  /** Project served last, for round-robin. */
  #servedLast = '';

  async claim(
    lease: Lease,
    limit: number,
    mustWait?: (options: BatchOptions) => boolean,
    now = new Date(),
  ): Promise<ClaimedItem[]> {
    const batch = await this.#nextBatch(now, mustWait);
    if (batch === undefined) return [];
    const options = JSON.parse(batch.options) as BatchOptions;
    const hasDelay = isPaced(options);
    if (hasDelay && !(await this.#takeTurn(batch.id, lease, now))) return [];
    const waiting = this.db
      .selectFrom('batch_items')
      .select('position')
      .where((eb) => eb.and({ batch_id: batch.id, state: 'queued' }))
      .orderBy('position')
      .limit(hasDelay ? 1 : limit);
    const rows = await this.db
      // Materialized: PostgreSQL may run a plain sub-query once per row and would then lock more rows than the
      // limit.
      .with(
        (cte) => cte('picked').materialized(),
        () => (this.locksRows ? waiting.forUpdate().skipLocked() : waiting),
      )
      .updateTable('batch_items')
      .set((build) => ({
        state: 'running',
        lease_owner: lease.owner,
        lease_until: lease.until.getTime(),
        attempts: build('attempts', '+', 1),
      }))
      .where((eb) => eb.and({ batch_id: batch.id, state: 'queued' }))
      .where('position', 'in', (build) => build.selectFrom('picked').select('position'))
      // The batch may have been cancelled since it was chosen.
      .where((build) =>
        build.exists(
          build.selectFrom('batches').select('id').where('id', '=', batch.id).where('batches.state', '=', 'running'),
        ),
      )
      .returning(['position', 'kind', 'value', 'attempts', 'depth'])
      .execute();
    return rows.map((row) => ({
      batchId: batch.id,
      projectId: batch.project_id,
      index: row.position,
      target: { kind: row.kind, value: row.value },
      options,
      attempt: row.attempts,
      depth: row.depth ?? 0,
    }));
  }

  /** Blocks a crawl with a delay until its page has ended, or its lease. False if another node was first. */
  async #takeTurn(id: string, lease: Lease, now: Date): Promise<boolean> {
    return hasEffect(
      this.db
        .updateTable('batches')
        .set({ next_claim: lease.until.getTime() })
        .where('id', '=', id)
        .where((build) => isDue(build, now)),
    );
  }

  async renew(lease: Lease): Promise<void> {
    await this.db
      .updateTable('batch_items')
      .set({ lease_until: lease.until.getTime() })
      .where('lease_until', 'is not', null)
      .where('lease_owner', '=', lease.owner)
      .execute();
  }

  async finish(item: ClaimedItem, owner: string, result: ItemResult, now = new Date()): Promise<boolean> {
    const body = await compress(Buffer.from(result.line, 'utf8'));
    return this.db.transaction().execute(async (transaction) => {
      await this.#lockBatch(transaction, item.batchId);
      const isOwn = await hasEffect(
        transaction
          .updateTable('batch_items')
          .set({
            state: result.failed ? 'failed' : 'done',
            lease_owner: null,
            lease_until: null,
            doubtful: result.doubtful ? 1 : null,
          })
          .where((eb) =>
            eb.and({ batch_id: item.batchId, position: item.index, state: 'running', lease_owner: owner }),
          ),
      );
      if (!isOwn) return false;
      await transaction
        .insertInto('batch_results')
        .values({ batch_id: item.batchId, position: item.index, body })
        .execute();
      const bytes = body.length + RESULT_ROW_BYTES;
      await addCounts(transaction, item.batchId, { [result.failed ? 'failed' : 'done']: 1, bytes });
      await changeStorage(transaction, item.projectId, { batch_bytes: bytes });
      if (result.found) await addFound(transaction, item, result.found, now);
      return true;
    });
  }

  async release(item: ClaimedItem, owner: string): Promise<void> {
    await this.#requeue(item.batchId, (update) =>
      update
        .set((build) => ({ attempts: build('attempts', '-', 1) }))
        .where('position', '=', item.index)
        .where('lease_owner', '=', owner),
    );
    if (!isPaced(item.options)) return;
    await this.db.updateTable('batches').set({ next_claim: null }).where('id', '=', item.batchId).execute();
  }

  async reclaim(now: Date): Promise<number> {
    const batches = await this.db
      .selectFrom('batch_items')
      .select('batch_id')
      .distinct()
      .where('lease_until', '<', now.getTime())
      .where('state', '=', 'running')
      .execute();
    let items = 0;
    for (const { batch_id: id } of batches) {
      items += await this.#requeue(id, (update) => update.where('lease_until', '<', now.getTime()));
    }
    await this.#resumeCancelling();
    return items;
  }

  /** Cancels the queued items of a cancelled batch in slices, so that requests run in between. */
  async cancelQueued(id: string): Promise<void> {
    for (;;) {
      const count = await this.db.transaction().execute(async (transaction) => {
        await this.#lockBatch(transaction, id);
        const slice = transaction
          .selectFrom('batch_items')
          .select('position')
          .where((eb) => eb.and({ batch_id: id, state: 'queued' }))
          .orderBy('position')
          .limit(SLICE_ROWS);
        const { numUpdatedRows } = await transaction
          .updateTable('batch_items')
          .set({ state: 'cancelled' })
          .where((eb) => eb.and({ batch_id: id, state: 'queued' }))
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

  /** Finishes cancellations interrupted by a crash. */
  async #resumeCancelling(): Promise<void> {
    const rows = await this.db
      .selectFrom('batches')
      .select('id')
      .where((eb) => eb.and({ state: 'cancelled', loaded: 1 }))
      .where((build) => build(sql<number>`done + failed + cancelled`, '<', build.ref('total')))
      .execute();
    for (const { id } of rows) await this.cancelQueued(id);
  }

  async #lockBatch(transaction: Kysely<Database>, id: string): Promise<void> {
    if (!this.locksRows) return;
    await transaction.selectFrom('batches').select('id').where('id', '=', id).forUpdate().execute();
  }

  /**
   * Returns running items to the queue, or cancels them if the batch was cancelled; returns how many. Holds the lock of
   * the batch, because a concurrent cancellation would miss the newly queued items.
   */
  async #requeue(id: string, choose: (update: ItemUpdate) => ItemUpdate): Promise<number> {
    return this.db.transaction().execute(async (transaction) => {
      await this.#lockBatch(transaction, id);
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

  /**
   * Returns the oldest batch with queued items of the next project in turn. Skips archived projects and batches that
   * must wait, or whose delay has not passed.
   */
  async #nextBatch(
    now: Date,
    mustWait?: (options: BatchOptions) => boolean,
  ): Promise<Pick<BatchTable, 'id' | 'project_id' | 'options'> | undefined> {
    const waiting = this.db
      .selectFrom('batches')
      .where((eb) => eb.and({ state: 'running', loaded: 1 }))
      .where((build) => isDue(build, now))
      .where((build) =>
        build.exists(
          build
            .selectFrom('batch_items')
            .select('position')
            .whereRef('batch_items.batch_id', '=', 'batches.id')
            .where('batch_items.state', '=', 'queued'),
        ),
      );
    const projects = await this.db
      .selectFrom('projects')
      .select('id')
      .where('archived_at', 'is', null)
      // The index has nothing but these columns: with others each claim would read every running batch.
      .where('id', 'in', (build) => build.selectFrom('batches').select('project_id').where('state', '=', 'running'))
      .orderBy('id')
      .execute();
    const isLater = ({ id }: { readonly id: string }): boolean => id > this.#servedLast;
    const inTurn = [...projects.filter(isLater), ...projects.filter((project) => !isLater(project))];
    for (const { id } of inTurn) {
      const oldest = waiting.select(['id', 'project_id', 'options', 'created_at']).where('project_id', '=', id);
      let looked = 0;
      for await (const rows of readSlices(oldest, { key: ['created_at', 'id'], size: CHOICE_ROWS })) {
        const next = mustWait ? rows.find(({ options }) => !mustWait(JSON.parse(options) as BatchOptions)) : rows[0];
        if (next !== undefined) {
          this.#servedLast = id;
          return next;
        }
        looked += rows.length;
        if (looked >= MAX_CHOICE) break;
      }
    }
    return undefined;
  }
}

function isPaced({ crawl }: BatchOptions): boolean {
  return (crawl?.delayMs ?? 0) > 0;
}

function isDue(
  build: ExpressionBuilder<Database, 'batches'>,
  now: Date,
): ExpressionWrapper<Database, 'batches', SqlBool> {
  return build.or([build('next_claim', 'is', null), build('next_claim', '<=', now.getTime())]);
}

export function hasNothingLeft(
  build: ExpressionBuilder<Database, 'batches'>,
): ExpressionWrapper<Database, 'batches', SqlBool> {
  const left = build
    .selectFrom('batch_items')
    .select('position')
    .whereRef('batch_items.batch_id', '=', 'batches.id')
    .where('batch_items.state', 'in', ['queued', 'running']);
  return build.not(build.exists(left));
}

type Counts = Partial<Record<'done' | 'failed' | 'cancelled' | 'bytes', number>>;

async function addCounts(transaction: Kysely<Database>, id: string, counts: Counts): Promise<void> {
  const names = Object.keys(counts) as (keyof Counts)[];
  await transaction
    .updateTable('batches')
    .set((build) => Object.fromEntries(names.map((name) => [name, build(name, '+', counts[name] ?? 0)])))
    .where('id', '=', id)
    .execute();
}
