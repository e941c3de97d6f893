/** Two nodes of one deployment, as far as the store is concerned: each with its own connections to one PostgreSQL. */
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

  /** Why there can be none here. */
  get skip(): string | false {
    return this.#programs === undefined ? 'PostgreSQL is not installed (Debian: apt install postgresql)' : false;
  }

  start(): Promise<readonly [SharedState, SharedState]> {
    this.#started ??= this.#start();
    return this.#started;
  }

  /** What a node does for all, now and then. */
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
    if (store.shared === undefined) throw new Error('nodes on PostgreSQL agree through it');
    return store.shared;
  }
}
