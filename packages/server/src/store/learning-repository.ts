import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { FIRST_ATTEMPT, MAX_KEPT_PAGES } from '../domain/templates/learn-site.ts';
import type { LearningRepository, LearningState, SeenPage } from '../domain/templates/template-ports.ts';
import { InsertBatcher } from './insert-batcher.ts';
import type { Database } from './schema.ts';
import type { LearningPageTable } from './template-schema.ts';

/** Pages in one transaction, and the milliseconds for which they are gathered: no reply waits for them. */
const MAX_BATCH = 50;
const GATHER_MS = 50;

/** Bytes of host and URL together, which are a key; PostgreSQL has none of more than 2,704. */
const MAX_KEY_BYTES = 2000;

/** Hosts that one statement looks at, so that none holds the event loop for long. */
export const SLICE_HOSTS = 10_000;

/** A page that waits to be noted; its state is set once it is. */
interface Note {
  readonly page: SeenPage;
  state: LearningState | undefined;
}

export class SqlLearningRepository implements LearningRepository {
  readonly #db: Kysely<Database>;
  readonly #now: () => number;
  readonly #notes: InsertBatcher<Note>;

  constructor(db: Kysely<Database>, now: () => number = Date.now) {
    this.#db = db;
    this.#now = now;
    this.#notes = new InsertBatcher((notes) => writeNotes(db, notes), MAX_BATCH, GATHER_MS);
  }

  async notePage(page: SeenPage): Promise<LearningState | undefined> {
    if (!isNotable(page)) return undefined;
    const note: Note = { page, state: undefined };
    await this.#notes.add(note);
    if (note.state === undefined) throw new Error('a page was noted without its host');
    return note.state;
  }

  async listPages(host: string, limit: number): Promise<SeenPage[]> {
    const rows = await this.#db
      .selectFrom('learning_pages')
      .selectAll()
      .where('host', '=', host)
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

  async getState(host: string): Promise<LearningState | undefined> {
    const row = await this.#db.selectFrom('learning_hosts').selectAll().where('host', '=', host).executeTakeFirst();
    return row && { pages: row.pages, nextAttempt: row.next_attempt };
  }

  async lease(host: string, owner: string, durationMs: number): Promise<LearningState | undefined> {
    const now = this.#now();
    const result = await this.#db
      .updateTable('learning_hosts')
      .set({ lease_owner: owner, lease_until: now + durationMs })
      .where('host', '=', host)
      .where('lease_until', '<', now)
      .whereRef('pages', '>=', 'next_attempt')
      .executeTakeFirst();
    return result.numUpdatedRows > 0n ? this.getState(host) : undefined;
  }

  async renew(host: string, owner: string, durationMs: number): Promise<void> {
    await this.#db
      .updateTable('learning_hosts')
      .set({ lease_until: this.#now() + durationMs })
      .where('host', '=', host)
      .where('lease_owner', '=', owner)
      .execute();
  }

  async release(host: string, owner: string, nextAttempt: number, usedUrls: readonly string[]): Promise<void> {
    await this.#db.transaction().execute(async (trx) => {
      if (usedUrls.length > 0) {
        await trx.deleteFrom('learning_pages').where('host', '=', host).where('url', 'in', usedUrls).execute();
      }
      await trx
        .updateTable('learning_hosts')
        .set({ lease_owner: null, lease_until: 0, next_attempt: nextAttempt })
        .where('host', '=', host)
        .where('lease_owner', '=', owner)
        .execute();
      await countPages(trx, host);
    });
  }

  /** Settles when every page that was noted is written. */
  async drain(): Promise<void> {
    await this.#notes.drain();
  }

  async forgetBefore(time: Date): Promise<void> {
    await this.#db.deleteFrom('learning_pages').where('seen_at', '<', time.getTime()).execute();
    for (let after: string | null = ''; after !== null;) {
      const next = await this.#endOfSlice(after);
      if (next !== null) await this.#forgetHosts(after, next);
      after = next;
      await nextTurn();
    }
  }

  /** The last of the next hosts, by name; null when there are none. */
  async #endOfSlice(after: string): Promise<string | null> {
    const slice = this.#db
      .selectFrom('learning_hosts')
      .select('host')
      .where('host', '>', after)
      .orderBy('host')
      .limit(SLICE_HOSTS)
      .as('slice');
    const row = await this.#db
      .selectFrom(slice)
      .select(({ fn }) => fn.max<string | null>('host').as('last'))
      .executeTakeFirst();
    return row?.last ?? null;
  }

  /** Removes those of a slice that have no pages, and that nobody learns from. */
  async #forgetHosts(after: string, last: string): Promise<void> {
    await this.#db
      .deleteFrom('learning_hosts')
      .where('host', '>', after)
      .where('host', '<=', last)
      .where('lease_until', '<', this.#now())
      .where((where) =>
        where.not(
          where.exists(
            where
              .selectFrom('learning_pages')
              .select('url')
              .whereRef('learning_pages.host', '=', 'learning_hosts.host'),
          ),
        ),
      )
      .execute();
  }
}

/** False for a page whose address is too long for the key; also on SQLite, so that every row can move to PostgreSQL. */
export function isNotable({ host, url }: { readonly host: string; readonly url: string }): boolean {
  return Buffer.byteLength(host) + Buffer.byteLength(url) <= MAX_KEY_BYTES;
}

async function writeNotes(db: Kysely<Database>, notes: readonly Note[]): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await trx
      .insertInto('learning_pages')
      .values(lastOfEachUrl(notes).map(toTable))
      .onConflict((conflict) =>
        conflict.columns(['host', 'url']).doUpdateSet((eb) => ({
          project_id: eb.ref('excluded.project_id'),
          dom_id: eb.ref('excluded.dom_id'),
          confidence: eb.ref('excluded.confidence'),
          seen_at: eb.ref('excluded.seen_at'),
        })),
      )
      .execute();
    const byHost = [...Map.groupBy(notes, ({ page }) => page.host)].toSorted(([a], [b]) => (a < b ? -1 : 1));
    for (const [host, sameHost] of byHost) {
      await removeOldest(trx, host);
      const state = await countPages(trx, host);
      for (const note of sameHost) note.state = state;
    }
  });
}

/** One statement must not write the same row twice; in one order, so that two processes never wait for each other. */
function lastOfEachUrl(notes: readonly Note[]): SeenPage[] {
  const byAddress = new Map(notes.map(({ page }) => [JSON.stringify([page.host, page.url]), page]));
  return [...byAddress].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, page]) => page);
}

function toTable(page: SeenPage): LearningPageTable {
  return {
    host: page.host,
    url: page.url,
    project_id: page.projectId,
    dom_id: page.domId,
    confidence: page.confidence,
    seen_at: page.seenAt.getTime(),
  };
}

async function removeOldest(db: Kysely<Database>, host: string): Promise<void> {
  const kept = db
    .selectFrom('learning_pages')
    .select('url')
    .where('host', '=', host)
    .orderBy('seen_at', 'desc')
    .orderBy('url', 'desc')
    .limit(MAX_KEPT_PAGES);
  await db.deleteFrom('learning_pages').where('host', '=', host).where('url', 'not in', kept).execute();
}

/** Writes how many pages the host has. */
async function countPages(db: Kysely<Database>, host: string): Promise<LearningState> {
  const count = sql<number>`(select count(*) from learning_pages where host = ${host})`;
  const row = await db
    .insertInto('learning_hosts')
    .values({ host, pages: count, next_attempt: FIRST_ATTEMPT, lease_owner: null, lease_until: 0 })
    .onConflict((conflict) => conflict.column('host').doUpdateSet({ pages: count }))
    .returning(['pages', 'next_attempt'])
    .executeTakeFirstOrThrow();
  return { pages: row.pages, nextAttempt: row.next_attempt };
}
