import { setTimeout as sleep } from 'node:timers/promises';
import { PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely';
import { Pool, TypeOverrides } from 'pg';
import { AppError, messageOf } from '../../domain/shared/errors.ts';

/** OIDs of PostgreSQL's `bigint` and `numeric` (the type of `bigint` sums). */
const BIGINT = 20;
const NUMERIC = 1700;

/** Connections of one process; statements are short, so few suffice. */
const MAX_CONNECTIONS = 10;
const CONNECT_TIMEOUT_MS = 10_000;

/** How long connecting is retried while the database restarts, in milliseconds. */
const RETRY_FOR_MS = 5000;
const RETRY_PAUSE_MS = 200;

/**
 * Error codes of a database that starts or stops: system codes, and PostgreSQL's codes (appendix A of its manual) for
 * broken connections, shutdown, startup and too many connections.
 */
const TRANSIENT_CODES = new Set(
  (
    'ECONNREFUSED ECONNRESET ENOENT EPIPE ETIMEDOUT EHOSTUNREACH ENOTFOUND EAI_AGAIN ' +
    '08000 08001 08003 08004 08006 57P01 57P02 57P03 53300'
  ).split(' '),
);

/** PostgreSQL's code for text with U+0000, which it cannot hold. */
const CHARACTER_REFUSED = '22021';

/** Driver messages without a code for broken or failed connections. */
const TRANSIENT_MESSAGE =
  /^(?:Connection terminated|Client has encountered a connection error|Client was closed|timeout )/;

/**
 * Creates Kysely's PostgreSQL dialect for a connection URL. Integers (times, bytes) stay below 2^53, so they are read
 * as numbers, as with SQLite.
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
  // An unhandled error event would end the process. The pool replaces broken idle connections; a broken connection in
  // use fails its next statement. Errors while the pool closes are expected.
  pool.on('error', (error) => {
    if (!pool.ending) onError(error);
  });
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
    client.query = explainFailure(client.query.bind(client));
  });
  return new PostgresDialect({ pool: new RetryingPool(pool) });
}

class RetryingPool implements PostgresPool {
  readonly options: PostgresPool['options'];
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
    this.options = pool.options;
  }

  async connect(): Promise<PostgresPoolClient> {
    const until = performance.now() + RETRY_FOR_MS;
    for (;;) {
      try {
        return await this.#pool.connect();
      } catch (error) {
        if (!isTransient(error)) throw error;
        if (performance.now() > until) throw unreachable(error);
        await sleep(RETRY_PAUSE_MS);
      }
    }
  }

  end(): Promise<void> {
    return this.#pool.end();
  }
}

/**
 * Converts failures of statements to domain errors. A statement whose connection breaks is not repeated, since it may
 * have been executed.
 */
function explainFailure<Q extends (...given: never[]) => unknown>(query: Q): Q {
  const explained = (...given: Parameters<Q>): unknown => {
    const answer = query(...given);
    if (!(answer instanceof Promise)) return answer;
    return answer.catch((error: unknown) => {
      if (isTransient(error)) throw unreachable(error);
      if (codeOf(error) !== CHARACTER_REFUSED) throw error;
      const message = 'a text of the request contains the character U+0000';
      throw new AppError('invalid_request', message, { cause: error });
    });
  };
  return explained as Q;
}

function unreachable(error: unknown): AppError {
  const message = `the database does not answer (${codeOrMessageOf(error)})`;
  return new AppError('overloaded', message, { retryAfterSeconds: 1, cause: error });
}

function isTransient(error: unknown): boolean {
  const code = codeOf(error);
  return code === undefined ? TRANSIENT_MESSAGE.test(codeOrMessageOf(error)) : TRANSIENT_CODES.has(code);
}

function codeOrMessageOf(error: unknown): string {
  return codeOf(error) ?? messageOf(error);
}

function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown }).code;
  return typeof code === 'string' ? code : undefined;
}
