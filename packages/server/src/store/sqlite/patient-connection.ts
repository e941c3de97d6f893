import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import { outwaitLock } from '../../sqlite/outwait-lock.ts';

export interface Patience {
  /** Waits the given milliseconds before a locked statement is retried. */
  readonly pause: (ms: number) => Promise<void>;
  /** Converts an error before it is thrown. */
  readonly explain: (error: unknown) => unknown;
}

/** A connection that retries statements blocked by locks of other processes. */
export class PatientConnection implements DatabaseConnection {
  readonly #connection: DatabaseConnection;
  readonly #patience: Patience;

  constructor(connection: DatabaseConnection, patience: Patience) {
    this.#connection = connection;
    this.#patience = patience;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const { pause, explain } = this.#patience;
    try {
      return await outwaitLock(() => this.#connection.executeQuery<Row>(query), pause);
    } catch (error) {
      throw explain(error);
    }
  }

  streamQuery<Row>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<Row>> {
    return this.#connection.streamQuery(query, chunkSize);
  }
}
