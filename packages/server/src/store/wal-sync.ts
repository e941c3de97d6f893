import { fdatasync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { CommitPace } from '../sqlite/commit-pace.ts';

const syncData = promisify(fdatasync);

/**
 * Syncs SQLite's write-ahead log in the thread pool, so that no commit makes the event loop wait for the
 * disk. A commit is complete in the log when it returns; it outlives a power cut once a sync that began
 * after it is done. Commits that come while a sync runs share the next one.
 *
 * The log may be opened beside SQLite: its locks lie on the database and the `-shm` file, never on the log
 * (https://www.sqlite.org/wal.html). It exists, as the same file, as long as the database is open.
 */
export class WalSync {
  readonly #file: string;
  #handle: Promise<FileHandle> | undefined;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  readonly #pace = new CommitPace();

  /** @param databaseFile path of the database, which must be open in WAL mode */
  constructor(databaseFile: string) {
    this.#file = `${databaseFile}-wal`;
  }

  /**
   * Resolves when everything that was committed before the call is on the disk.
   * @param lane whose commit it was, for the pace
   */
  sync(lane: string): Promise<void> {
    this.#pace.expect(lane);
    this.#next ??= this.#follow(this.#running);
    return this.#next;
  }

  async close(): Promise<void> {
    await this.#next?.catch(() => undefined);
    await this.#running?.catch(() => undefined);
    await (await this.#handle)?.close();
  }

  async #follow(before: Promise<void> | undefined): Promise<void> {
    // Who waited for the one before has heard of its failure.
    await before?.catch(() => undefined);
    await this.#pace.turn();
    this.#running = this.#run();
    this.#next = undefined;
    await this.#running;
  }

  async #run(): Promise<void> {
    this.#handle ??= this.#open();
    await syncData((await this.#handle).fd);
  }

  /** The log's own entry in its folder is synced too, or the log could vanish as a whole. */
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
