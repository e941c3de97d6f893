import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { Database } from './schema/schema.ts';

/** A table filled by callers, and how many of the newest rows are kept per owner. */
interface TableBound {
  readonly table: 'api_keys' | 'audit_entries' | 'host_memory' | 'sessions' | 'site_notes';
  readonly key: string;
  /** Column of the owner; undefined for rows without owners. */
  readonly owner: string | undefined;
  readonly time: string;
  readonly max: number;
  /** Condition on the rows that count; default: all count. */
  readonly only?: RawBuilder<unknown>;
}

/** Limits per owner, so that no owner evicts the rows of another. */
const TABLE_BOUNDS: readonly TableBound[] = [
  { table: 'sessions', key: 'hash', owner: 'user_id', time: 'created_at', max: 200 },
  { table: 'audit_entries', key: 'id', owner: 'actor', time: 'at', max: 100_000 },
  // Usable keys have a separate limit.
  {
    table: 'api_keys',
    key: 'id',
    owner: 'project_id',
    time: 'created_at',
    max: 1000,
    only: sql`revoked_at is not null`,
  },
  { table: 'site_notes', key: 'id', owner: 'project_id', time: 'seen_at', max: 10_000 },
  // The next request relearns a forgotten host.
  { table: 'host_memory', key: 'host', owner: undefined, time: 'updated_at', max: 500_000 },
];

const ALL = sql`1 = 1`;

/** Rows in one delete, which limits blocking of the event loop. */
const DELETE_ROWS = 1000;

/**
 * Removes the oldest rows of owners above their limit.
 * @param scale factor for the limits; smaller in tests
 */
export async function forgetExcessRows(db: Kysely<Database>, scale = 1): Promise<void> {
  for (const bound of TABLE_BOUNDS) {
    const max = Math.ceil(bound.max * scale);
    for (const owner of await findCrowded(db, bound, max)) await keepNewest(db, bound, owner, max);
  }
}

/** Returns owners with too many rows; a single undefined for a table without owners. */
async function findCrowded(db: Kysely<Database>, bound: TableBound, max: number): Promise<(string | undefined)[]> {
  const { table, owner } = bound;
  if (owner === undefined) {
    const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(db);
    return (rows[0]?.count ?? 0) > max ? [undefined] : [];
  }
  const { rows } = await sql<{ owner: string }>`select ${sql.ref(owner)} as owner from ${sql.table(table)}
    where ${bound.only ?? ALL} group by ${sql.ref(owner)} having count(*) > ${max}`.execute(db);
  return rows.map((row) => row.owner);
}

async function keepNewest(db: Kysely<Database>, bound: TableBound, owner: string | undefined, max: number) {
  const [table, key, time] = [sql.table(bound.table), sql.ref(bound.key), sql.ref(bound.time)];
  const own = bound.owner === undefined ? ALL : sql`${sql.ref(bound.owner)} = ${owner}`;
  for (;;) {
    const { numAffectedRows = 0n } = await sql`delete from ${table} where ${key} in (
      select ${key} from ${table} where ${own} and ${bound.only ?? ALL} order by ${time} desc, ${key} desc
      limit ${DELETE_ROWS} offset ${max})`.execute(db);
    if (numAffectedRows < DELETE_ROWS) return;
    await nextTurn();
  }
}
