import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ErrorCode, Stage } from '@winnow/contract';
import type { Selectable } from 'kysely';
import { ulid } from 'ulid';
import {
  SPANS,
  type CountSample,
  type GaugeSample,
  type MetricRepository,
  type ProjectStorage,
  type RequestSpan,
  type SpanSeconds,
} from '../../domain/metrics/ports.ts';
import type { GaugeSampleTable, RequestSpanTable } from '../schema/schema.ts';
import { readSlices } from '../queries/read-slices.ts';
import { SqlRepository } from '../queries/sql-repository.ts';

/** Rows in one statement: 9 values each. */
const MAX_BATCH = 100;

/** Snapshots measured by one statement, in a few milliseconds. */
export const SNAPSHOT_SLICE_ROWS = 5000;

/** Spans or samples read by one statement: a few milliseconds of SQLite's thread, with parsing. */
export const READ_ROWS = 1000;

/** Retention in seconds, slightly more than the longest range shown. */
const KEEP = { minute: 26 * 3600, rest: 32 * 86_400 } as const;

export class SqlMetricRepository extends SqlRepository implements MetricRepository {
  readonly #process = ulid();

  async putSpans(spans: readonly RequestSpan[]): Promise<void> {
    for (let start = 0; start < spans.length; start += MAX_BATCH) {
      const rows = spans.slice(start, start + MAX_BATCH).map((span) => ({
        span_seconds: span.spanSeconds,
        at: span.at,
        process: this.#process,
        project_id: span.projectId,
        code: span.code,
        stage: span.stage ?? '',
        engine: span.engine ?? '',
        count: span.count,
        histogram: JSON.stringify(span.histogram),
      }));
      await this.db
        .insertInto('request_spans')
        .values(rows)
        .onConflict((conflict) =>
          conflict
            .columns(['span_seconds', 'at', 'process', 'project_id', 'code', 'stage', 'engine'])
            .doUpdateSet((eb) => ({ count: eb.ref('excluded.count'), histogram: eb.ref('excluded.histogram') })),
        )
        .execute();
    }
  }

  async *readSpans(
    spanSeconds: SpanSeconds,
    from: number,
    to: number,
    projectIds: ReadonlySet<string>,
  ): AsyncGenerator<readonly RequestSpan[]> {
    const spans = this.db
      .selectFrom('request_spans')
      .selectAll()
      .where('span_seconds', '=', spanSeconds)
      .where('at', '<', to);
    const key = ['at', 'process', 'project_id', 'code', 'stage', 'engine'] as const;
    for await (const rows of readSlices(spans, { key, from, size: READ_ROWS }))
      yield rows.filter((row) => projectIds.has(row.project_id)).map(toSpan);
  }

  async addSamples(samples: readonly GaugeSample[]): Promise<void> {
    for (let start = 0; start < samples.length; start += MAX_BATCH) {
      const rows = samples.slice(start, start + MAX_BATCH).map(({ at, name, projectId, value }) => ({
        at,
        // Values of a project are the same in all processes: the first process writes them.
        process: projectId === null ? this.#process : '',
        name,
        project_id: projectId ?? '',
        value,
      }));
      await this.db
        .insertInto('gauge_samples')
        .values(rows)
        .onConflict((conflict) => conflict.columns(['at', 'process', 'name', 'project_id']).doNothing())
        .execute();
    }
  }

  async addCounts(counts: readonly CountSample[]): Promise<void> {
    for (let start = 0; start < counts.length; start += MAX_BATCH) {
      const rows = counts
        .slice(start, start + MAX_BATCH)
        .map(({ at, name, projectId, value }) => ({ at, process: this.#process, name, project_id: projectId, value }));
      await this.db
        .insertInto('gauge_samples')
        .values(rows)
        .onConflict((conflict) =>
          conflict
            .columns(['at', 'process', 'name', 'project_id'])
            .doUpdateSet((eb) => ({ value: eb('gauge_samples.value', '+', eb.ref('excluded.value')) })),
        )
        .execute();
    }
  }

  async *readSamples(from: number, to: number): AsyncGenerator<readonly (GaugeSample | CountSample)[]> {
    const samples = this.db.selectFrom('gauge_samples').selectAll().where('at', '<', to);
    const key = ['at', 'process', 'name', 'project_id'] as const;
    for await (const rows of readSlices(samples, { key, from, size: READ_ROWS })) yield rows.map(toSample);
  }

  /** Reads the rows in slices, so that no statement blocks the event loop for long. */
  async measureStorage(): Promise<ProjectStorage[]> {
    const totals = new Map<string, ProjectStorage>();
    for (let after: string | undefined = ''; after !== undefined;) {
      const parts = await this.#measureSlice(after);
      after = undefined;
      for (const { projectId, lastId, ...part } of parts) {
        const total = totals.get(projectId);
        totals.set(projectId, {
          projectId,
          snapshots: (total?.snapshots ?? 0) + part.snapshots,
          bytes: (total?.bytes ?? 0) + part.bytes,
          storedBytes: (total?.storedBytes ?? 0) + part.storedBytes,
        });
        if (after === undefined || lastId > after) after = lastId;
      }
      await nextTurn();
    }
    return [...totals.values()];
  }

  /** Sums the next slice of rows by project, with the last id of each. */
  async #measureSlice(after: string): Promise<(ProjectStorage & { readonly lastId: string })[]> {
    const slice = this.db
      .selectFrom('snapshots')
      .select(['dom_id', 'project_id', 'bytes', 'stored_bytes'])
      .where('dom_id', '>', after)
      .orderBy('dom_id')
      .limit(SNAPSHOT_SLICE_ROWS)
      .as('slice');
    const rows = await this.db
      .selectFrom(slice)
      .select(({ fn }) => [
        'project_id',
        fn.countAll<number>().as('snapshots'),
        fn.sum<number>('bytes').as('bytes'),
        fn.sum<number>('stored_bytes').as('stored'),
        fn.max('dom_id').as('last_id'),
      ])
      .groupBy('project_id')
      .execute();
    return rows.map((row) => ({
      projectId: row.project_id,
      snapshots: row.snapshots,
      bytes: row.bytes,
      storedBytes: row.stored,
      lastId: row.last_id,
    }));
  }

  async forgetOld(now: Date): Promise<void> {
    const seconds = Math.floor(now.getTime() / 1000);
    const minutesBefore = seconds - KEEP.minute;
    await this.db
      .deleteFrom('request_spans')
      .where('span_seconds', '=', SPANS.minute)
      .where('at', '<', minutesBefore)
      .execute();
    await this.db
      .deleteFrom('request_spans')
      .where('at', '<', seconds - KEEP.rest)
      .execute();
    await this.db
      .deleteFrom('gauge_samples')
      .where('at', '<', seconds - KEEP.rest)
      .execute();
  }
}

function toSpan(row: Selectable<RequestSpanTable>): RequestSpan {
  return {
    spanSeconds: row.span_seconds as SpanSeconds,
    at: row.at,
    projectId: row.project_id,
    code: row.code as ErrorCode | 'ok',
    stage: row.stage === '' ? null : (row.stage as Stage),
    engine: row.engine === '' ? null : row.engine,
    count: row.count,
    histogram: JSON.parse(row.histogram) as number[],
  };
}

function toSample({ at, name, project_id: projectId, value }: Selectable<GaugeSampleTable>): GaugeSample | CountSample {
  return { at, name, projectId: projectId === '' ? null : projectId, value } as GaugeSample | CountSample;
}
