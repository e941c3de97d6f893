import { PostgresDialect } from 'kysely';
import { Pool, TypeOverrides } from 'pg';

/** OIDs of PostgreSQL's `bigint` and `numeric` (what sums of `bigint` are). */
const BIGINT = 20;
const NUMERIC = 1700;

/** Connections of one process. Statements are short, so few serve many requests. */
const MAX_CONNECTIONS = 10;
const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Kysely's PostgreSQL dialect for a connection URL. Our integers (times, bytes) stay below 2^53, so they
 * are read as numbers, as SQLite gives them.
 */
export function createPostgresDialect(databaseUrl: string, onError: (error: Error) => void): PostgresDialect {
  const parsers = new TypeOverrides();
  parsers.setTypeParser(BIGINT, Number);
  parsers.setTypeParser(NUMERIC, Number);
  const pool = new Pool({
    connectionString: databaseUrl,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    types: parsers,
  });
  // An idle connection that breaks (a restart of the database) is replaced by the pool; unheard, it would end
  // the process. One that breaks while the pool is being closed is no news.
  pool.on('error', (error) => {
    if (!pool.ending) onError(error);
  });
  return new PostgresDialect({ pool });
}
