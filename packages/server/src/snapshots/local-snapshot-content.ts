import { mkdir, mkdtemp, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { Piscina } from 'piscina';
import { currentParty } from '../domain/admission/current-party.ts';
import type { SnapshotContent, StoredContent } from '../domain/ports.ts';
import { CommitPace } from '../sqlite/commit-pace.ts';
import { outwaitLock } from '../sqlite/outwait-lock.ts';
import { isDamage } from '../sqlite/sqlite-damage.ts';
import { explainFault } from '../sqlite/sqlite-faults.ts';
import type { OnTrouble } from '../sqlite/sqlite-faults.ts';
import { type Box, unbox } from '../domain/box.ts';
import type { ContentTask, ListedContent, ListTask, PutOutcome, PutTask, RemoveTask } from './content-tasks.ts';
import { checkFreeSpace } from './free-space.ts';
import { CONTENT_DATABASE } from './open-content.ts';

/** Milliseconds after which the idle thread ends, with its memory; what replaces it runs slowly until V8 knows its code. */
const IDLE_TIMEOUT_MS = 120_000;

/** The same of the thread that lists: a sweep asks it some thousand times or once, at the start and every few hours. */
const LISTING_IDLE_TIMEOUT_MS = 1000;

/** Megabytes: texts that are done with are given back soon. With V8's own 48 the process grows by another 150 MB. */
const YOUNG_GENERATION_MB = 4;

/** Tasks that the thread may have before it: what is read is unpacked beside it. */
const MAX_TASKS = 64;

/** Characters of the texts that are handed to the thread at once; one that is longer goes alone. */
const MAX_CHARACTERS_TOGETHER = 16_777_216;

/** A text that waits to be handed to the thread. */
interface WaitingPut extends PromiseWithResolvers<StoredContent> {
  readonly html: string;
}

/**
 * Snapshots in a folder of this machine: a SQLite database of their own, `content.db`, with one row for each text, by
 * its address. A put is one append to the log and one sync, shared by all that come together; a file for each
 * text costs some six times the processor and waits for the disk four times. What comes while the thread writes, or
 * within its pace, is handed to it together: waking a thread costs more than storing a page.
 *
 * One thread does all of it, one thing after the other: a put and a delete never meet. Only lists are read by another,
 * which ends when it is done: a start, or a sweep of a service at rest, leaves no thread behind for a minute.
 */
export class LocalSnapshotContent implements SnapshotContent {
  readonly #folder: string;
  readonly #onTrouble: OnTrouble | undefined;
  readonly #thread = createThread(IDLE_TIMEOUT_MS);
  readonly #listing = createThread(LISTING_IDLE_TIMEOUT_MS);
  /** A task met a damaged database, and none has found it whole since. */
  #isDamaged = false;
  readonly #pace = new CommitPace();
  readonly #waiting: WaitingPut[] = [];
  /** Settles when nothing waits any more. */
  #handing: Promise<void> | undefined;

  /** @param onTrouble hears of each task that a lock or a full disk has failed */
  constructor(folder: string, onTrouble?: OnTrouble) {
    this.#folder = folder;
    this.#onTrouble = onTrouble;
  }

  /** The database, which may not be there yet. */
  get file(): string {
    return path.join(this.#folder, CONTENT_DATABASE);
  }

  put(html: string): Promise<StoredContent> {
    const one = { html, ...Promise.withResolvers<StoredContent>() };
    this.#waiting.push(one);
    this.#pace.expect(currentParty().lane);
    this.#handing ??= this.#handOver();
    return one.promise;
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
    await this.#handing;
    await Promise.all([this.#thread.close(), this.#listing.close()]);
  }

  /** Hands what waits to the thread, a group at a time, until nothing does. */
  async #handOver(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#pace.turn();
      const group = this.#takeGroup();
      const task: PutTask = { folder: this.#folder, texts: group.map(({ html }) => html) };
      try {
        const outcomes = await this.#run<readonly PutOutcome[]>('put', task);
        for (const [index, one] of group.entries()) this.#settle(one, outcomes[index]);
      } catch (error) {
        for (const one of group) one.reject(error);
      }
    }
    // In the same turn as the look at what waits: what comes later begins anew.
    this.#handing = undefined;
  }

  /** Takes the first that wait, in their order, as many as go together. */
  #takeGroup(): WaitingPut[] {
    let characters = 0;
    const end = this.#waiting.findIndex(({ html }, index) => {
      characters += html.length;
      return index > 0 && characters > MAX_CHARACTERS_TOGETHER;
    });
    return this.#waiting.splice(0, end === -1 ? Infinity : end);
  }

  #settle(one: WaitingPut, outcome: PutOutcome | undefined): void {
    if (outcome?.stored !== undefined) return one.resolve(outcome.stored);
    one.reject(this.#explain(outcome?.error));
  }

  async #run<Result>(name: string, task: unknown, thread = this.#thread): Promise<Result> {
    try {
      return await outwaitLock(async () => (await thread.run(task, { name })) as Result);
    } catch (error) {
      throw this.#explain(error);
    }
  }

  #explain(error: unknown): unknown {
    this.#isDamaged ||= isDamage(error);
    return explainFault(error, 'snapshot', this.#onTrouble);
  }
}

function createThread(idleTimeout: number): Piscina {
  return new Piscina({
    filename: new URL('./content-tasks.ts', import.meta.url).href,
    minThreads: 0,
    recordTiming: false,
    maxThreads: 1,
    concurrentTasksPerWorker: MAX_TASKS,
    idleTimeout,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  });
}
