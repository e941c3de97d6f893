import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DoubtCode } from '@winnow/contract';
import type { Expression, ExpressionBuilder, Selectable, SqlBool } from 'kysely';
import type { Page, PageRequest } from '../../domain/shared/ports.ts';
import {
  entryBytes,
  type DetailedRequest,
  type LoggedRequest,
  type RequestLogFilter,
  type RequestLogBounds,
  type RequestLogRepository,
} from '../../domain/request-log/ports.ts';
import { hostCondition } from '../queries/host-condition.ts';
import { QueryCache } from '../queries/query-cache.ts';
import { readListPage } from '../queries/read-list-page.ts';
import { mapRows } from '../schema/rows.ts';
import type { Database, RequestLogTable } from '../schema/schema.ts';
import { changeStorage } from './storage-repository.ts';
import { SqlRepository } from '../queries/sql-repository.ts';

/** Rows in one statement: 20 values each, below the parameter limit of both databases. */
const MAX_BATCH = 100;

const QUERIES = new QueryCache();

/** Rows removed by one statement. */
const TRIM_ROWS = 500;

type Where = ExpressionBuilder<Database, 'request_log'>;

export class SqlRequestLogRepository extends SqlRepository implements RequestLogRepository {
  async insert(requests: readonly DetailedRequest[]): Promise<void> {
    for (let start = 0; start < requests.length; start += MAX_BATCH) {
      const batch = requests.slice(start, start + MAX_BATCH);
      await this.db.transaction().execute(async (transaction) => {
        const rows = batch.map(toTable);
        await QUERIES.run(transaction, {
          shape: `insert ${rows.length}`,
          parameters: rows.flatMap((row) => Object.values(row)),
          build: () => transaction.insertInto('request_log').values(rows),
        });
        const details = batch.map(({ id, detail }) => ({ id, detail }));
        await QUERIES.run(transaction, {
          shape: `insert ${details.length} details`,
          parameters: details.flatMap(({ id, detail }) => [id, detail]),
          build: () => transaction.insertInto('request_details').values(details),
        });
        for (const [projectId, bytes] of sumBytes(rows))
          await changeStorage(transaction, projectId, { log_bytes: bytes });
      });
      await nextTurn();
    }
  }

  async list(projectId: string, filter: RequestLogFilter = {}, page: PageRequest = {}): Promise<Page<LoggedRequest>> {
    const requests = this.db
      .selectFrom('request_log')
      .selectAll()
      .where('project_id', '=', projectId)
      .where((where) => where.and(filterConditions(where, filter)));
    return readListPage(requests, { time: 'at', id: 'id' }, page, toRequest);
  }

  async find(projectId: string, id: string): Promise<DetailedRequest | undefined> {
    const row = (await this.#findBy(projectId, 'id', id)) ?? (await this.#findBy(projectId, 'request_id', id));
    return row && { ...toRequest(row), detail: row.detail };
  }

  async #findBy(projectId: string, column: 'id' | 'request_id', value: string) {
    return this.db
      .selectFrom('request_log')
      .innerJoin('request_details', 'request_details.id', 'request_log.id')
      .selectAll('request_log')
      .select('request_details.detail')
      .where('request_log.project_id', '=', projectId)
      .where(`request_log.${column}`, '=', value)
      .orderBy('request_log.at', 'desc')
      .limit(1)
      .executeTakeFirst();
  }

  async trim(projectId: string, { before, maxRows, maxBytes }: RequestLogBounds): Promise<void> {
    const newestTooMany = await this.db
      .selectFrom('request_log')
      .select(['at', 'id'])
      .where('project_id', '=', projectId)
      .orderBy('at', 'desc')
      .orderBy('id', 'desc')
      .offset(maxRows)
      .limit(1)
      .executeTakeFirst();
    const { at = -1, id: last = '' } = newestTooMany ?? {};
    for (let removed = TRIM_ROWS; removed === TRIM_ROWS;) {
      const rows = await this.db
        .selectFrom('request_log')
        .select('id')
        .where('project_id', '=', projectId)
        .where((where) =>
          where.or([
            where('at', '<', Math.max(before.getTime(), at)),
            where.and([where('at', '=', at), where('id', '<=', last)]),
          ]),
        )
        .orderBy('at')
        .limit(TRIM_ROWS)
        .execute();
      removed = rows.length;
      if (removed > 0) await this.#remove(projectId, rows);
      await nextTurn();
    }
    await this.#trimToBytes(projectId, maxBytes);
  }

  async #trimToBytes(projectId: string, maxBytes: number): Promise<void> {
    const usage = await this.db
      .selectFrom('project_storage')
      .select('log_bytes')
      .where('project_id', '=', projectId)
      .executeTakeFirst();
    for (let excess = (usage?.log_bytes ?? 0) - maxBytes; excess > 0;) {
      const oldest = await this.db
        .selectFrom('request_log')
        .select(['id', 'bytes'])
        .where('project_id', '=', projectId)
        .orderBy('at')
        .orderBy('id')
        .limit(TRIM_ROWS)
        .execute();
      const removed: typeof oldest = [];
      for (const row of oldest) {
        if (excess <= 0) break;
        removed.push(row);
        excess -= row.bytes;
      }
      if (removed.length === 0) return;
      await this.#remove(projectId, removed);
      await nextTurn();
    }
  }

  async #remove(projectId: string, entries: readonly { readonly id: string }[]): Promise<void> {
    const ids = entries.map(({ id }) => id);
    await this.db.transaction().execute(async (transaction) => {
      await transaction.deleteFrom('request_details').where('id', 'in', ids).execute();
      const rows = await transaction.deleteFrom('request_log').where('id', 'in', ids).returning('bytes').execute();
      const bytes = rows.reduce((sum, row) => sum + row.bytes, 0);
      await changeStorage(transaction, projectId, { log_bytes: -bytes });
    });
  }
}

function filterConditions(where: Where, filter: RequestLogFilter): Expression<SqlBool>[] {
  const conditions: Expression<SqlBool>[] = [];
  if (filter.outcome !== undefined) conditions.push(where('code', filter.outcome === 'failed' ? '!=' : '=', 'ok'));
  if (filter.outcome === 'doubtful') conditions.push(where('warnings', 'is not', null));
  if (filter.code !== undefined) conditions.push(where('code', '=', filter.code));
  if (filter.warning !== undefined) conditions.push(where('warnings', 'like', `%,${filter.warning},%`));
  if (filter.engine !== undefined) conditions.push(where('engine', '=', filter.engine));
  if (filter.maxConfidence !== undefined) conditions.push(where('confidence', '<=', filter.maxConfidence));
  if (filter.domId !== undefined) conditions.push(where('dom_id', '=', filter.domId));
  if (filter.endpoint !== undefined) conditions.push(where('endpoint', '=', filter.endpoint));
  if (filter.keyId !== undefined) conditions.push(where('key_id', '=', filter.keyId));
  if (filter.source !== undefined) conditions.push(where('source', '=', filter.source));
  if (filter.host !== undefined) conditions.push(hostCondition(filter.host, 'url'));
  if (filter.requestId !== undefined) conditions.push(where('request_id', '=', filter.requestId));
  if (filter.from !== undefined) conditions.push(where('at', '>=', filter.from.getTime()));
  if (filter.to !== undefined) conditions.push(where('at', '<', filter.to.getTime()));
  return conditions;
}

function sumBytes(rows: readonly RequestLogTable[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { project_id: projectId, bytes } of rows) sums.set(projectId, (sums.get(projectId) ?? 0) + bytes);
  return sums;
}

const REQUEST = mapRows<Omit<LoggedRequest, 'warnings'>>()({
  plain: [
    'id',
    'projectId',
    'requestId',
    'source',
    'keyId',
    'method',
    'endpoint',
    'status',
    'code',
    'stage',
    'url',
    'engine',
    'domId',
    'templateId',
    'confidence',
    'elapsedMs',
  ],
  time: ['at'],
});

function toTable(request: DetailedRequest): RequestLogTable {
  return {
    ...REQUEST.toRow(request),
    host: (request.url === null ? undefined : URL.parse(request.url)?.hostname) ?? '',
    warnings: request.warnings.length === 0 ? null : `,${request.warnings.join(',')},`,
    bytes: entryBytes(request),
  };
}

function toRequest(row: Selectable<RequestLogTable>): LoggedRequest {
  const warnings = (row.warnings?.split(',').filter((code) => code !== '') ?? []) as DoubtCode[];
  return { ...REQUEST.fromRow(row), warnings };
}
