import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { FIRST_ATTEMPT, MAX_KEPT_PAGES } from '../../domain/templates/learn-site.ts';
import type {
  LearningRepository,
  LearningSite,
  LearningState,
  SeenPage,
} from '../../domain/templates/template-ports.ts';
import { InsertBatcher } from '../queries/insert-batcher.ts';
import type { Database, LearningHostTable, LearningPageTable } from '../schema/schema.ts';
import { toStorable } from '../queries/stored-size.ts';

/** Pages in one transaction, and their gathering time in milliseconds: no reply waits for them. */
const MAX_BATCH = 50;
const GATHER_MS = 50;

/** Maximum bytes of host and URL, which form a key; PostgreSQL allows 2,704. */
const MAX_KEY_BYTES = 2000;

/** Hosts read by one statement, which limits the time it blocks the event loop. */
export const SLICE_HOSTS = 10_000;

/** Maximum pages of a project over all hosts. */
const MAX_PAGES_OF_PROJECT = 100_000;

export interface LearningOptions {
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  readonly maxPages?: number;
}

/** A page to store; its state is set once it is stored. */
interface Note {
  readonly page: SeenPage;
  state: LearningState | undefined;
}

export class SqlLearningRepository implements LearningRepository {
  readonly #db: Kysely<Database>;
  readonly #now: () => number;
  readonly #notes: InsertBatcher<Note>;
  readonly #maxPages: number;

  constructor(db: Kysely<Database>, { now = Date.now, maxPages = MAX_PAGES_OF_PROJECT }: LearningOptions = {}) {
    this.#db = db;
    this.#now = now;
    this.#maxPages = maxPages;
    this.#notes = new InsertBatcher((notes) => writeNotes(db, notes), MAX_BATCH, GATHER_MS);
  }

  async notePage(page: SeenPage): Promise<LearningState | undefined> {
    if (!isNotable(page)) return undefined;
    const note: Note = { page, state: undefined };
    await this.#notes.add(note);
    if (note.state === undefined) throw new Error('page stored without its host');
    return note.state;
  }

  async listPages(site: LearningSite, limit: number): Promise<SeenPage[]> {
    const rows = await this.#db
      .selectFrom('project_learning_pages')
      .selectAll()
      .where('project_id', '=', site.projectId)
      .where('host', '=', site.host)
      .orderBy('seen_at', 'desc')
      .orderBy('url', 'desc')
      .limit(limit)
      .execute();
    return rows.toReversed().map((row) => ({
      host: row.host,
      url: row.url,
      projectId: row.project_id,
      domId: row.dom_id,
      confidence: row.confidence,
      seenAt: new Date(row.seen_at),
    }));
  }

  async getState(site: LearningSite): Promise<LearningState | undefined> {
    const row = await this.#db
      .selectFrom('project_learning_hosts')
      .selectAll()
      .where('project_id', '=', site.projectId)
      .where('host', '=', site.host)
      .executeTakeFirst();
    return row && { pages: row.pages, nextAttempt: row.next_attempt };
  }

  async lease(site: LearningSite, owner: string, durationMs: number): Promise<LearningState | undefined> {
    const now = this.#now();
    const result = await this.#db
      .updateTable('project_learning_hosts')
      .set({ lease_owner: owner, lease_until: now + durationMs })
      .where('project_id', '=', site.projectId)
      .where('host', '=', site.host)
      .where('lease_until', '<', now)
      .whereRef('pages', '>=', 'next_attempt')
      .executeTakeFirst();
    return result.numUpdatedRows > 0n ? this.getState(site) : undefined;
  }

  async renew(site: LearningSite, owner: string, durationMs: number): Promise<void> {
    await this.#db
      .updateTable('project_learning_hosts')
      .set({ lease_until: this.#now() + durationMs })
      .where('project_id', '=', site.projectId)
      .where('host', '=', site.host)
      .where('lease_owner', '=', owner)
      .execute();
  }

  async release(site: LearningSite, owner: string, nextAttempt: number, usedUrls: readonly string[]): Promise<void> {
    await this.#db.transaction().execute(async (trx) => {
      if (usedUrls.length > 0) {
        await trx
          .deleteFrom('project_learning_pages')
          .where('project_id', '=', site.projectId)
          .where('host', '=', site.host)
          .where('url', 'in', usedUrls)
          .execute();
      }
      await trx
        .updateTable('project_learning_hosts')
        .set({ lease_owner: null, lease_until: 0, next_attempt: nextAttempt })
        .where('project_id', '=', site.projectId)
        .where('host', '=', site.host)
        .where('lease_owner', '=', owner)
        .execute();
      await countPages(trx, site);
    });
  }

  /** Settles when all pages are written. */
  async drain(): Promise<void> {
    await this.#notes.drain();
  }

  async forgetBefore(time: Date): Promise<void> {
    await this.#db.deleteFrom('project_learning_pages').where('seen_at', '<', time.getTime()).execute();
    await this.#forgetExcess();
    for (let after: LearningSite | undefined = { projectId: '', host: '' }; after !== undefined;) {
      const last: LearningSite | undefined = await this.#endOfSlice(after);
      if (last !== undefined) await this.#forgetHosts(after, last);
      after = last;
      await nextTurn();
    }
  }

  /** Limits the pages of each project. */
  async #forgetExcess(): Promise<void> {
    const crowded = await this.#db
      .selectFrom('project_learning_hosts')
      .select(['project_id', ({ fn }) => fn.sum<number>('pages').as('pages')])
      .groupBy('project_id')
      .having(({ fn }) => fn.sum<number>('pages'), '>', this.#maxPages)
      .execute();
    for (const { project_id: projectId } of crowded) {
      const newest = this.#db
        .selectFrom('project_learning_pages')
        .select('seen_at')
        .where('project_id', '=', projectId)
        .orderBy('seen_at', 'desc')
        .offset(this.#maxPages)
        .limit(1);
      await this.#db
        .deleteFrom('project_learning_pages')
        .where('project_id', '=', projectId)
        .where('seen_at', '<=', newest)
        .execute();
      await nextTurn();
    }
  }

  /** Returns the last host of the next slice, ordered by project and name; undefined at the end. */
  async #endOfSlice(after: LearningSite): Promise<LearningSite | undefined> {
    const rows = await this.#db
      .selectFrom('project_learning_hosts')
      .select(['project_id', 'host'])
      .where((eb) => eb(eb.refTuple('project_id', 'host'), '>', eb.tuple(after.projectId, after.host)))
      .orderBy('project_id')
      .orderBy('host')
      .limit(1)
      .offset(SLICE_HOSTS - 1)
      .execute();
    const last = rows[0] ?? (await this.#findLastHost(after));
    return last && { projectId: last.project_id, host: last.host };
  }

  async #findLastHost(after: LearningSite): Promise<Pick<LearningHostTable, 'project_id' | 'host'> | undefined> {
    return this.#db
      .selectFrom('project_learning_hosts')
      .select(['project_id', 'host'])
      .where((eb) => eb(eb.refTuple('project_id', 'host'), '>', eb.tuple(after.projectId, after.host)))
      .orderBy('project_id', 'desc')
      .orderBy('host', 'desc')
      .limit(1)
      .executeTakeFirst();
  }

  /** Removes hosts of a slice that have no pages and no learning lease. */
  async #forgetHosts(after: LearningSite, last: LearningSite): Promise<void> {
    await this.#db
      .deleteFrom('project_learning_hosts')
      .where((eb) => eb(eb.refTuple('project_id', 'host'), '>', eb.tuple(after.projectId, after.host)))
      .where((eb) => eb(eb.refTuple('project_id', 'host'), '<=', eb.tuple(last.projectId, last.host)))
      .where('lease_until', '<', this.#now())
      .where((where) =>
        where.not(
          where.exists(
            where
              .selectFrom('project_learning_pages')
              .select('url')
              .whereRef('project_learning_pages.project_id', '=', 'project_learning_hosts.project_id')
              .whereRef('project_learning_pages.host', '=', 'project_learning_hosts.host'),
          ),
        ),
      )
      .execute();
  }
}

/**
 * Returns false for a page whose address is too long for the key; also on SQLite, so that every row can move to
 * PostgreSQL.
 */
export function isNotable({ host, url }: { readonly host: string; readonly url: string }): boolean {
  return Buffer.byteLength(host) + Buffer.byteLength(url) <= MAX_KEY_BYTES;
}

async function writeNotes(db: Kysely<Database>, notes: readonly Note[]): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await trx
      .insertInto('project_learning_pages')
      .values(lastOfEachUrl(notes).map(toTable))
      .onConflict((conflict) =>
        conflict.columns(['project_id', 'host', 'url']).doUpdateSet((eb) => ({
          dom_id: eb.ref('excluded.dom_id'),
          confidence: eb.ref('excluded.confidence'),
          seen_at: eb.ref('excluded.seen_at'),
        })),
      )
      .execute();
    const bySite = [...Map.groupBy(notes, ({ page }) => JSON.stringify([page.projectId, page.host]))];
    for (const [, sameSite] of bySite.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      const site = sameSite[0]!.page;
      await removeOldest(trx, site);
      const state = await countPages(trx, site);
      for (const note of sameSite) note.state = state;
    }
  });
}

/**
 * Keeps the last page of each URL, since a statement must not write a row twice. Sorts, so that two processes cannot
 * deadlock.
 */
function lastOfEachUrl(notes: readonly Note[]): SeenPage[] {
  const byAddress = new Map(notes.map(({ page }) => [JSON.stringify([page.projectId, page.host, page.url]), page]));
  return [...byAddress].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, page]) => page);
}

function toTable(page: SeenPage): LearningPageTable {
  return {
    host: page.host,
    url: toStorable(page.url),
    project_id: page.projectId,
    dom_id: page.domId,
    confidence: page.confidence,
    seen_at: page.seenAt.getTime(),
  };
}

async function removeOldest(db: Kysely<Database>, { projectId, host }: LearningSite): Promise<void> {
  const kept = db
    .selectFrom('project_learning_pages')
    .select('url')
    .where('project_id', '=', projectId)
    .where('host', '=', host)
    .orderBy('seen_at', 'desc')
    .orderBy('url', 'desc')
    .limit(MAX_KEPT_PAGES);
  await db
    .deleteFrom('project_learning_pages')
    .where('project_id', '=', projectId)
    .where('host', '=', host)
    .where('url', 'not in', kept)
    .execute();
}

/** Updates the host's page count for the project. */
async function countPages(db: Kysely<Database>, { projectId, host }: LearningSite): Promise<LearningState> {
  const count = sql<number>`(select count(*) from project_learning_pages
    where project_id = ${projectId} and host = ${host})`;
  const row = await db
    .insertInto('project_learning_hosts')
    .values({
      project_id: projectId,
      host,
      pages: count,
      next_attempt: FIRST_ATTEMPT,
      lease_owner: null,
      lease_until: 0,
    })
    .onConflict((conflict) => conflict.columns(['project_id', 'host']).doUpdateSet({ pages: count }))
    .returning(['pages', 'next_attempt'])
    .executeTakeFirstOrThrow();
  return { pages: row.pages, nextAttempt: row.next_attempt };
}
