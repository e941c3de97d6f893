import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import type { BatchState, ResultOutcome } from '@winnow/contract';
import { sql, type ExpressionBuilder, type Insertable, type Kysely, type Selectable } from 'kysely';
import type { Batch, BatchRepository, ItemCounts, NewBatch, BatchWebhooks } from '../../domain/batches/batch-ports.ts';
import { batchBytes } from '../../domain/batches/batch-ports.ts';
import type { Page, PageRequest } from '../../domain/shared/ports.ts';
import { readListPage } from '../queries/read-list-page.ts';
import type { Database, BatchTable } from '../schema/schema.ts';
import { hasEffect, SqlRepository } from '../queries/sql-repository.ts';
import { mapRows } from '../schema/rows.ts';
import { hasNothingLeft, SLICE_ROWS, type SqlBatchQueue } from './batch-queue.ts';
import { readSlices } from '../queries/read-slices.ts';
import { changeStorage } from './storage-repository.ts';

const decompress = promisify(zstdDecompress);

/** More than a result can have; a hostile backup may contain lines of any size. */
const MAX_LINE_BYTES = 256 * 1024 * 1024;

/** Items in one insert: 9 values each, below the parameter limit of both databases. */
const INSERT_ROWS = 400;

/** Milliseconds after which a deletion counts as interrupted by a crash. */
const DELETION_MS = 60 * 60 * 1000;

/** Batches and their results; `SqlBatchQueue` processes their items. */
export class SqlBatchRepository extends SqlRepository implements BatchRepository {
  readonly #queue: SqlBatchQueue;

  constructor(db: Kysely<Database>, queue: SqlBatchQueue) {
    super(db);
    this.#queue = queue;
  }

  async create(batch: NewBatch): Promise<Batch> {
    await this.db.transaction().execute(async (transaction) => {
      const values = toTable(batch);
      const isNew = await hasEffect(
        transaction
          .insertInto('batches')
          .values(values)
          .onConflict((conflict) => conflict.columns(['project_id', 'idempotency_key']).doNothing()),
      );
      if (!isNew) return;
      await changeStorage(transaction, batch.projectId, { batches: 1, batch_bytes: values.bytes });
    });
    const row = await this.db
      .selectFrom('batches')
      .selectAll()
      .where('project_id', '=', batch.projectId)
      .where((where) =>
        batch.idempotencyKey === null
          ? where('id', '=', batch.id)
          : where('idempotency_key', '=', batch.idempotencyKey),
      )
      .executeTakeFirstOrThrow();
    if (row.loaded === 0 && row.fingerprint === batch.fingerprint) await this.#load(row.id, batch);
    return toBatch(row);
  }

  async hasKey(projectId: string, idempotencyKey: string): Promise<boolean> {
    const row = await this.db
      .selectFrom('batches')
      .select('id')
      .where((eb) => eb.and({ project_id: projectId, idempotency_key: idempotencyKey }))
      .executeTakeFirst();
    return row !== undefined;
  }

  async find(projectId: string, id: string): Promise<Batch | undefined> {
    const row = await this.db
      .selectFrom('batches')
      .selectAll()
      .where((eb) => eb.and({ id, project_id: projectId, loaded: 1 }))
      .executeTakeFirst();
    return row && toBatch(row);
  }

  async list(projectId: string, state?: BatchState, page: PageRequest = {}): Promise<Page<Batch>> {
    let batches = this.db.selectFrom('batches').selectAll().where('project_id', '=', projectId).where('loaded', '=', 1);
    if (state !== undefined) batches = batches.where('state', '=', state);
    return readListPage(batches, { time: 'created_at', id: 'id' }, page, toBatch);
  }

  async count(id: string): Promise<ItemCounts> {
    const row = await this.db
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
    const row = await this.db
      .selectFrom('batch_items')
      .select((build) => build.fn.min<number | null>('position').as('first'))
      .where('batch_id', '=', id)
      .where('state', 'in', ['queued', 'running'])
      .executeTakeFirst();
    return row?.first ?? undefined;
  }

  async listDone(id: string): Promise<string[]> {
    const urls: string[] = [];
    for (let after = -1; ;) {
      const rows = await this.db
        .selectFrom('batch_items')
        .select(['position', 'value'])
        .where((eb) => eb.and({ batch_id: id, state: 'done' }))
        .where('position', '>', after)
        .orderBy('position')
        .limit(SLICE_ROWS)
        .execute();
      for (const { value } of rows) urls.push(value);
      after = rows.at(-1)?.position ?? after;
      if (rows.length < SLICE_ROWS) return urls;
      await nextTurn();
    }
  }

  async findLine(id: string, keys: readonly string[]): Promise<string | undefined> {
    if (keys.length === 0) return undefined;
    const rows = await this.db
      .selectFrom('crawl_seen')
      .innerJoin('batch_results', (join) =>
        join
          .onRef('batch_results.batch_id', '=', 'crawl_seen.batch_id')
          .onRef('batch_results.position', '=', 'crawl_seen.position'),
      )
      .select(['crawl_seen.key', 'batch_results.body'])
      .where('crawl_seen.batch_id', '=', id)
      .where('crawl_seen.key', 'in', keys)
      .execute();
    const bodies = new Map(rows.map(({ key, body }) => [key, body]));
    const body = keys.map((key) => bodies.get(key)).find((one) => one !== undefined);
    return body && unpackLine(body);
  }

  async *results(
    id: string,
    after: number,
    limit: number,
    outcome?: ResultOutcome,
  ): AsyncGenerator<{ index: number; line: string }> {
    const rows = await (
      outcome === undefined
        ? this.db
            .selectFrom('batch_results')
            .select(['position', 'body'])
            .where('batch_id', '=', id)
            .where('position', '>', after)
            .orderBy('position')
            .limit(limit)
        : this.#resultsOf(id, after, limit, outcome)
    ).execute();
    for (const { position, body } of rows) yield { index: position, line: await unpackLine(body) };
  }

  /** Starts with the items: SQLite otherwise reads all of them for each result. */
  #resultsOf(id: string, after: number, limit: number, outcome: ResultOutcome) {
    const results = this.db
      .selectFrom('batch_items')
      .innerJoin('batch_results', (join) =>
        join
          .onRef('batch_results.batch_id', '=', 'batch_items.batch_id')
          .onRef('batch_results.position', '=', 'batch_items.position'),
      )
      .select(['batch_results.position', 'batch_results.body'])
      .where((eb) =>
        eb.and({ 'batch_items.batch_id': id, 'batch_items.state': outcome === 'failed' ? 'failed' : 'done' }),
      )
      .where('batch_items.position', '>', after)
      .orderBy('batch_items.position')
      .limit(limit);
    return outcome === 'doubtful' ? results.where('batch_items.doubtful', '=', 1) : results;
  }

  async cancel(projectId: string, id: string, at: Date): Promise<boolean> {
    const isCancelled = await hasEffect(
      this.db
        .updateTable('batches')
        .set((build) => ({
          state: 'cancelled',
          finished_at: at.getTime(),
          webhook_next: dueIfWanted(build, at),
        }))
        .where((eb) => eb.and({ id, project_id: projectId, state: 'running' })),
    );
    if (!isCancelled) return (await this.find(projectId, id)) !== undefined;
    await this.#queue.cancelQueued(id);
    return true;
  }

  async completeFinished(now: Date): Promise<void> {
    // The index has nothing but these columns: the rows themselves may be large.
    const ended = this.db
      .selectFrom('batches')
      .select(['project_id', 'created_at', 'id'])
      .where('state', '=', 'running')
      .where(hasNothingLeft);
    for await (const rows of readSlices(ended, { key: ['project_id', 'created_at', 'id'], size: SLICE_ROWS }))
      await this.db
        .updateTable('batches')
        .set((build) => ({
          state: 'completed',
          finished_at: now.getTime(),
          webhook_next: dueIfWanted(build, now),
        }))
        .where(
          'id',
          'in',
          rows.map(({ id }) => id),
        )
        .where((eb) => eb.and({ state: 'running', loaded: 1 }))
        .where(hasNothingLeft)
        .execute();
  }

  async delete(projectId: string, id: string, at: Date): Promise<boolean> {
    const isHidden = await hasEffect(
      this.db
        .updateTable('batches')
        .set({ ...DELETED, deleted_at: at.getTime() })
        .where((eb) => eb.and({ id, project_id: projectId, loaded: 1 }))
        .where('deleted_at', 'is', null),
    );
    if (!isHidden) return false;
    await this.#removeRows({ id, project_id: projectId });
    return true;
  }

  async forgetBefore(time: Date): Promise<void> {
    const before = time.getTime();
    const rows = await this.db
      .selectFrom('batches')
      .select(['id', 'project_id'])
      .where((build) =>
        build.or([
          build('finished_at', '<', before),
          build('deleted_at', '<', Date.now() - DELETION_MS),
          build.and([build('loaded', '=', 0), build('created_at', '<', before)]),
          // Batches of archived projects do not run.
          build(
            'project_id',
            'in',
            build.selectFrom('projects').select('projects.id').where('archived_at', '<', before),
          ),
        ]),
      )
      .execute();
    for (const row of rows) {
      await this.db
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
    for (const [table, key] of ROWS) {
      for (;;) {
        const [rows, column] = [sql.table(table), sql.ref(key)];
        const { numAffectedRows = 0n } = await sql`delete from ${rows} where batch_id = ${id} and ${column} in (
          select ${column} from ${rows} where batch_id = ${id} order by ${column} limit ${SLICE_ROWS})`.execute(
          this.db,
        );
        if (numAffectedRows < SLICE_ROWS) break;
        await nextTurn();
      }
    }
    await this.db.transaction().execute(async (transaction) => {
      const row = await transaction
        .deleteFrom('batches')
        .where('id', '=', id)
        .where('deleted_at', 'is not', null)
        .returning('bytes')
        .executeTakeFirst();
      if (row) await changeStorage(transaction, projectId, { batches: -1, batch_bytes: -row.bytes });
    });
  }

  async #load(id: string, { items, options }: NewBatch): Promise<void> {
    const isCrawl = options.crawl !== undefined;
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
        depth: isCrawl ? 0 : null,
      }));
      await this.db
        .insertInto('batch_items')
        .values(rows)
        .onConflict((conflict) => conflict.columns(['batch_id', 'position']).doNothing())
        .execute();
      await nextTurn();
    }
    await this.db.updateTable('batches').set({ loaded: 1 }).where('id', '=', id).execute();
  }
}

/** Returns the due time of the webhook; null without a webhook. */
function dueIfWanted(build: ExpressionBuilder<Database, 'batches'>, at: Date) {
  return build
    .case()
    .when('webhook_url', 'is not', null)
    .then(sql<number | null>`cast(${at.getTime()} as bigint)`)
    .else(null)
    .end();
}

/** Tables with rows of a batch, and what tells the rows apart. */
const ROWS = [
  ['batch_items', 'position'],
  ['batch_results', 'position'],
  ['crawl_seen', 'key'],
] as const;

/** Values that hide a batch and free its idempotency key. */
const DELETED = { state: 'cancelled', loaded: 0, idempotency_key: null, webhook_next: null } as const;

const BATCH = mapRows<Omit<Batch, 'webhook'>>()({
  plain: ['id', 'projectId', 'fingerprint', 'state', 'total'],
  json: ['options', 'skipped', 'changes'],
  time: ['createdAt', 'finishedAt'],
});

function toTable(batch: NewBatch): Insertable<BatchTable> & { readonly bytes: number } {
  return {
    ...BATCH.toRow({
      ...batch,
      state: 'running',
      total: batch.items.length,
      finishedAt: null,
      skipped: null,
      changes: null,
    }),
    idempotency_key: batch.idempotencyKey,
    loaded: 0,
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
    ...BATCH.fromRow(row),
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

async function unpackLine(body: Uint8Array): Promise<string> {
  return (await decompress(body, { maxOutputLength: MAX_LINE_BYTES })).toString('utf8');
}

/** Due webhooks read at a time. */
const DUE_ROWS = 50;

/** Webhooks of ended batches, stored in columns of `batches`. */
export class SqlBatchWebhooks extends SqlRepository implements BatchWebhooks {
  async claimDue(
    now: Date,
    until: Date,
    mayCall: Parameters<BatchWebhooks['claimDue']>[2],
  ): Promise<Batch | undefined> {
    const due = this.db
      .selectFrom('batches')
      .select(['id', 'project_id', 'webhook_url', 'webhook_next'])
      .where('webhook_next', '<=', now.getTime())
      // A cancelled batch is reported once its last item has ended.
      .where(hasNothingLeft);
    for await (const rows of readSlices(due, { key: ['webhook_next', 'id'], size: DUE_ROWS }))
      for (const { id, project_id: projectId, webhook_url: url } of rows) {
        if (url === null || !mayCall(url, projectId)) continue;
        const claimed = await this.#claimDueOf(id, now, until);
        if (claimed !== undefined) return claimed;
      }
    return undefined;
  }

  async noteCall(id: string, delivered: boolean, retryAt: Date | null): Promise<void> {
    const state = delivered ? 'delivered' : retryAt === null ? 'failed' : 'waiting';
    await this.db
      .updateTable('batches')
      .set({ webhook_state: state, webhook_next: delivered ? null : (retryAt?.getTime() ?? null) })
      .where('id', '=', id)
      .execute();
  }

  /** Returns undefined if another node claimed it first. */
  async #claimDueOf(id: string, now: Date, until: Date): Promise<Batch | undefined> {
    const row = await this.db
      .updateTable('batches')
      .set((build) => ({ webhook_next: until.getTime(), webhook_attempts: build('webhook_attempts', '+', 1) }))
      .where('id', '=', id)
      .where('webhook_next', '<=', now.getTime())
      .returningAll()
      .executeTakeFirst();
    return row && toBatch(row);
  }
}
