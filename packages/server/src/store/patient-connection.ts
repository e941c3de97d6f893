import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import { outwaitLock } from '../sqlite/outwait-lock.ts';

export interface Patience {
  /** Waits for so many milliseconds until a statement that met a lock is tried again. */
  readonly pause: (ms: number) => Promise<void>;
  /** What the caller gets in the place of an error. */
  readonly explain: (error: unknown) => unknown;
}

/** A connection whose statements outwait the locks of other processes. */
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
