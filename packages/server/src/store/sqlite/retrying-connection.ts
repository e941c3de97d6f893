import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import { retryWhileBusy } from '../../sqlite/retry-while-busy.ts';

export interface RetryOptions {
  /** Waits the given milliseconds before a locked statement is retried. */
  readonly pause: (ms: number) => Promise<void>;
  /** Converts an error before it is thrown. */
  readonly explain: (error: unknown) => unknown;
}

/** A connection that retries statements blocked by locks of other processes. */
export class RetryingConnection implements DatabaseConnection {
  readonly #connection: DatabaseConnection;
  readonly #retry: RetryOptions;

  constructor(connection: DatabaseConnection, retry: RetryOptions) {
    this.#connection = connection;
    this.#retry = retry;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const { pause, explain } = this.#retry;
    try {
      return await retryWhileBusy(() => this.#connection.executeQuery<Row>(query), pause);
    } catch (error) {
      throw explain(error);
    }
  }

  streamQuery<Row>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<Row>> {
    return this.#connection.streamQuery(query, chunkSize);
  }
}
