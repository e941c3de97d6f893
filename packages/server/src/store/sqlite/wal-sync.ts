import { fdatasync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { GroupCommitScheduler } from '../../sqlite/group-commit-scheduler.ts';

const syncData = promisify(fdatasync);

/**
 * Syncs SQLite's write-ahead log in the thread pool, so that commits do not block the event loop. A commit survives a
 * power cut once a sync that began after it completes; commits during a sync share the next one.
 *
 * A second handle is safe: SQLite locks other files (https://www.sqlite.org/wal.html) and never replaces an open log.
 */
export class WalSync {
  readonly #file: string;
  #handle: Promise<FileHandle> | undefined;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  readonly #schedule = new GroupCommitScheduler();

  /** @param databaseFile path of the database, which must be open in WAL mode */
  constructor(databaseFile: string) {
    this.#file = `${databaseFile}-wal`;
  }

  /**
   * Resolves when everything committed before the call is on the disk.
   * @param tenant tenant of the commit, for the group commit schedule
   */
  sync(tenant: string): Promise<void> {
    this.#schedule.expect(tenant);
    this.#next ??= this.#follow(this.#running);
    return this.#next;
  }

  async close(): Promise<void> {
    await this.#next?.catch(() => undefined);
    await this.#running?.catch(() => undefined);
    await (await this.#handle)?.close();
  }

  async #follow(before: Promise<void> | undefined): Promise<void> {
    // The callers of the previous sync received its failure.
    await before?.catch(() => undefined);
    await this.#schedule.turn();
    this.#running = this.#run();
    this.#next = undefined;
    await this.#running;
  }

  async #run(): Promise<void> {
    this.#handle ??= this.#open();
    await syncData((await this.#handle).fd);
  }

  /** Opens the log and syncs its directory entry, or the whole log could vanish. */
  async #open(): Promise<FileHandle> {
    try {
      await using folder = await open(path.dirname(this.#file), 'r');
      await folder.sync();
      return await open(this.#file, 'r+');
    } catch (error) {
      this.#handle = undefined;
      throw error;
    }
  }
}
