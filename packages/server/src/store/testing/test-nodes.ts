/** Stores of two nodes, each with its own connections to one PostgreSQL database. */
import { openStore } from '../open-store.ts';
import type { SharedState, Store } from '../open-store.ts';
import { findPostgresPrograms, startTestPostgres } from './test-postgres.ts';
import type { TestPostgres } from './test-postgres.ts';

export class TestNodes {
  databaseUrl = '';
  readonly #programs = findPostgresPrograms();
  readonly #stores: Store[] = [];
  #server: TestPostgres | undefined;
  #started: Promise<readonly [SharedState, SharedState]> | undefined;

  /** Why nodes are unavailable. */
  get skip(): string | false {
    return this.#programs === undefined ? 'PostgreSQL is not installed (Debian: apt install postgresql)' : false;
  }

  start(): Promise<readonly [SharedState, SharedState]> {
    this.#started ??= this.#start();
    return this.#started;
  }

  /** Runs the periodic maintenance of a node. */
  async tidy(): Promise<void> {
    await this.#stores[0]?.tidy();
  }

  async stop(): Promise<void> {
    for (const store of this.#stores) await store.close();
    await this.#server?.stop();
  }

  async #start(): Promise<readonly [SharedState, SharedState]> {
    this.#server = await startTestPostgres(this.#programs ?? '');
    this.databaseUrl = await this.#server.createDatabase();
    return [await this.#open(), await this.#open()];
  }

  async #open(): Promise<SharedState> {
    const store = await openStore({
      location: { databaseUrl: this.databaseUrl },
      onError: (error) => {
        throw error;
      },
    });
    this.#stores.push(store);
    if (store.shared === undefined) throw new Error('nodes on PostgreSQL need shared state');
    return store.shared;
  }
}
