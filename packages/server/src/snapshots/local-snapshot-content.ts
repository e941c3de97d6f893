import { mkdir, mkdtemp, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { Piscina } from 'piscina';
import type { SnapshotContent, StoredContent } from '../domain/ports.ts';
import { isDamage } from '../sqlite/sqlite-damage.ts';
import { type Box, unbox } from '../domain/box.ts';
import type { ContentTask, ListedContent, ListTask, PutTask, RemoveTask } from './content-tasks.ts';
import { checkFreeSpace } from './free-space.ts';

/** Milliseconds after which the idle thread ends, with its memory; what replaces it runs slowly until V8 knows its code. */
const IDLE_TIMEOUT_MS = 60_000;

/** The same of the thread that lists: a sweep asks it some thousand times or once, at the start and every few hours. */
const LISTING_IDLE_TIMEOUT_MS = 1000;

/** Megabytes: texts that are done with are given back soon. With V8's own 48 the process grows by another 150 MB. */
const YOUNG_GENERATION_MB = 4;

/** Puts that the thread may have before it: those that wait in it together are written together. */
const MAX_TOGETHER = 64;

/**
 * Snapshots in a folder of this machine: a SQLite database of their own, `content.db`, with one row for each text, by
 * its address. A put is one append to the log and one sync, shared by all that come together; a file for each
 * text costs some six times the processor and waits for the disk four times.
 *
 * One thread does all of it, one thing after the other: a put and a delete never meet. Only lists are read by another,
 * which ends when it is done: a start, or a sweep of a service at rest, leaves no thread behind for a minute.
 */
export class LocalSnapshotContent implements SnapshotContent {
  readonly #folder: string;
  readonly #thread = createThread(IDLE_TIMEOUT_MS);
  readonly #listing = createThread(LISTING_IDLE_TIMEOUT_MS);
  /** A task met a damaged database, and none has found it whole since. */
  #isDamaged = false;

  constructor(folder: string) {
    this.#folder = folder;
  }

  put(html: string): Promise<StoredContent> {
    return this.#run('put', { folder: this.#folder, html } satisfies PutTask);
  }

  async get(hash: string): Promise<string | undefined> {
    const task: ContentTask = { folder: this.#folder, hash };
    return unbox(await this.#run<Box<string | undefined>>('get', task));
  }

  async delete(hash: string, putBefore?: Date): Promise<void> {
    await this.#run('remove', { folder: this.#folder, hash, putBefore } satisfies RemoveTask);
  }

  async *listPutBefore(time: Date): AsyncGenerator<readonly string[]> {
    for (let afterId = 0; ;) {
      const task: ListTask = { folder: this.#folder, putBefore: time, afterId };
      const { hashes, lastId } = await this.#run<ListedContent>('list', task, this.#listing);
      if (hashes.length === 0) return;
      yield hashes;
      afterId = lastId;
    }
  }

  async check(): Promise<void> {
    try {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      // Rights say too little: a file system that the kernel has given up tells nobody before it is written to.
      await rmdir(await mkdtemp(path.join(this.#folder, '.check-')));
      checkFreeSpace(this.#folder);
    } catch (error) {
      // A database that is open may go on as if nothing had happened, under a folder that is covered.
      if (this.#thread.threads.length > 0) await this.#run('distrustContent', null);
      throw error;
    }
    if (!this.#isDamaged) return;
    await this.#run('examine', this.#folder);
    this.#isDamaged = false;
  }

  /** Ends the threads; what was put is stored by then. */
  async close(): Promise<void> {
    await Promise.all([this.#thread.close(), this.#listing.close()]);
  }

  async #run<Result>(name: string, task: unknown, thread = this.#thread): Promise<Result> {
    try {
      return (await thread.run(task, { name })) as Result;
    } catch (error) {
      this.#isDamaged ||= isDamage(error);
      throw error;
    }
  }
}

function createThread(idleTimeout: number): Piscina {
  return new Piscina({
    filename: new URL('./content-tasks.ts', import.meta.url).href,
    minThreads: 0,
    recordTiming: false,
    maxThreads: 1,
    concurrentTasksPerWorker: MAX_TOGETHER,
    idleTimeout,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  });
}
