import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { Piscina } from 'piscina';
import { currentTenant } from '../domain/admission/current-tenant.ts';
import type { StoredContent } from '../domain/storage/attachments.ts';
import type { SnapshotContent } from '../domain/storage/snapshot-ports.ts';
import { GroupCommitScheduler } from '../sqlite/group-commit-scheduler.ts';
import { isDamage } from '../sqlite/sqlite-damage.ts';
import { explainFault, retryWhileBusy, type OnStorageError } from '../sqlite/sqlite-faults.ts';
import { type TransferCell, takeContent } from '../domain/shared/transfer-cell.ts';
import type { ContentTask, ListedContent, ListTask, PutOutcome, PutTask, RemoveTask } from './content-tasks.ts';
import { checkFreeSpace } from './free-space.ts';
import { CONTENT_DATABASE } from './open-content.ts';

/** A new thread is slow until V8 has compiled its code. */
const IDLE_TIMEOUT_MS = 120_000;

const LISTING_IDLE_TIMEOUT_MS = 1000;

/** MB; V8's default of 48 adds 150 MB to the process. */
const YOUNG_GENERATION_MB = 4;

const MAX_TASKS = 64;

/** A longer text is stored alone. */
const MAX_CHARACTERS_TOGETHER = 16_777_216;

interface WaitingPut extends PromiseWithResolvers<StoredContent> {
  readonly html: string;
}

/**
 * Snapshots in the SQLite database `content.db`: a file per text costs six times the CPU and four waits for the disk.
 * Concurrent puts share one sync.
 *
 * One thread runs puts and deletes, so they never race. A second, short-lived one lists content.
 */
export class LocalSnapshotContent implements SnapshotContent {
  readonly #folder: string;
  readonly #onStorageError: OnStorageError | undefined;
  readonly #thread = createThread(IDLE_TIMEOUT_MS);
  readonly #listing = createThread(LISTING_IDLE_TIMEOUT_MS);
  #isDamaged = false;
  readonly #schedule = new GroupCommitScheduler();
  readonly #waiting: WaitingPut[] = [];
  #handing: Promise<void> | undefined;

  /** @param onStorageError receives failures by a lock or a full disk */
  constructor(folder: string, onStorageError?: OnStorageError) {
    this.#folder = folder;
    this.#onStorageError = onStorageError;
  }

  get file(): string {
    return path.join(this.#folder, CONTENT_DATABASE);
  }

  put(html: string): Promise<StoredContent> {
    const one = { html, ...Promise.withResolvers<StoredContent>() };
    this.#waiting.push(one);
    this.#schedule.expect(currentTenant().key);
    this.#handing ??= this.#handOver();
    return one.promise;
  }

  async get(hash: string): Promise<string | undefined> {
    const task: ContentTask = { folder: this.#folder, hash };
    return takeContent(await this.#run<TransferCell<string | undefined>>('get', task));
  }

  async delete(hash: string, putBefore?: Date): Promise<void> {
    await this.#run('remove', { folder: this.#folder, hash, putBefore } satisfies RemoveTask);
  }

  async *listPutBefore(time: Date): AsyncGenerator<readonly string[]> {
    // Saves a thread on a first start.
    if (!existsSync(this.file)) return;
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
      // Access rights do not reveal a file system that the kernel made read-only.
      await rmdir(await mkdtemp(path.join(this.#folder, '.check-')));
      checkFreeSpace(this.#folder);
    } catch (error) {
      // An open database would still work in a folder hidden by a mount.
      if (this.#thread.threads.length > 0) await this.#run('distrustContent', null);
      throw error;
    }
    if (!this.#isDamaged) return;
    await this.#run('examine', this.#folder);
    this.#isDamaged = false;
  }

  async close(): Promise<void> {
    await this.#handing;
    await Promise.all([this.#thread.close(), this.#listing.close()]);
  }

  async #handOver(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#schedule.turn();
      const group = this.#takeGroup();
      const task: PutTask = { folder: this.#folder, texts: group.map(({ html }) => html) };
      try {
        const outcomes = await this.#run<readonly PutOutcome[]>('put', task);
        for (const [index, one] of group.entries()) this.#settle(one, outcomes[index]);
      } catch (error) {
        for (const one of group) one.reject(error);
      }
    }
    // Same tick as the emptiness check, so that a later put starts a new hand-over.
    this.#handing = undefined;
  }

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
      return await retryWhileBusy(async () => (await thread.run(task, { name })) as Result);
    } catch (error) {
      throw this.#explain(error);
    }
  }

  #explain(error: unknown): unknown {
    this.#isDamaged ||= isDamage(error);
    return explainFault(error, 'snapshot', this.#onStorageError);
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
