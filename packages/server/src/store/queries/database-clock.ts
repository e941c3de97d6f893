import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';

/** Milliseconds since 1970 by PostgreSQL's clock, shared by all nodes. */
export const DATABASE_NOW: RawBuilder<number> = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;
