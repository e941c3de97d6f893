import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Insertable, type Kysely, sql } from 'kysely';
import type {
  EvidencePlace,
  NotedPage,
  NotedPlace,
  PlaceNotes,
  SiteNotesRepository,
  SitePlace,
} from '../../domain/templates/template-ports.ts';
import { InsertBatcher } from '../queries/insert-batcher.ts';
import { toStorable } from '../schema/rows.ts';
import type { Database } from '../schema/schema.ts';
import { SqlRepository } from '../queries/sql-repository.ts';

/** Pages in one transaction, and their gathering time in milliseconds: no reply waits for them. */
const MAX_BATCH = 50;
const GATHER_MS = 50;

/** Newest pages kept of a place, and of a host over all its shapes. */
const MAX_OF_PLACE = 20;
const MAX_OF_HOST = 400;

/** Rows in one delete, which limits blocking of the event loop. */
const DELETE_ROWS = 1000;

export class SqlSiteNotesRepository extends SqlRepository implements SiteNotesRepository {
  readonly #pages: InsertBatcher<NotedPage>;

  constructor(db: Kysely<Database>) {
    super(db);
    this.#pages = new InsertBatcher((pages) => writePages(db, pages), MAX_BATCH, GATHER_MS);
  }

  add(page: NotedPage): Promise<void> {
    return this.#pages.add(page);
  }

  async count(place: EvidencePlace, except: string): Promise<number> {
    const { pages } = await ofPlace(this.db, place)
      .select(({ fn }) => fn.countAll<number>().as('pages'))
      .where('id', '!=', except)
      .executeTakeFirstOrThrow();
    return pages;
  }

  async read(place: EvidencePlace, except: string): Promise<PlaceNotes> {
    const others = ofPlace(this.db, place).where('id', '!=', except);
    // Serial numbers are those of a shape. The ids alone first: sorting would read the notes of all pages.
    const newest = others
      .select('id')
      .orderBy(place.shape === null ? 'seen_at' : 'serial', 'desc')
      .limit(MAX_OF_PLACE);
    const rows = await this.db
      .selectFrom('site_notes')
      .select(['id', 'notes'])
      .where('id', 'in', newest)
      .orderBy(place.shape === null ? 'seen_at' : 'serial', 'desc')
      .execute();
    const serials = await others
      .select(({ fn }) => fn.max('serial').as('last'))
      .groupBy('shape')
      .execute();
    return {
      version: serials.reduce((sum, { last }) => sum + last, 0),
      notes: rows.toReversed().map(({ notes }) => notes),
      ids: new Set(rows.map(({ id }) => id)),
    };
  }

  async listPlaces({
    projectId,
    domain,
    limit,
  }: Parameters<SiteNotesRepository['listPlaces']>[0]): Promise<NotedPlace[]> {
    let query = this.db
      .selectFrom('site_notes')
      .select(({ fn }) => [
        'host',
        'shape',
        fn.countAll<number>().as('pages'),
        fn.max('serial').as('version'),
        fn.max('seen_at').as('seen_at'),
      ])
      .where('project_id', '=', projectId)
      .groupBy(['host', 'shape'])
      .orderBy('seen_at', 'desc')
      .orderBy('host')
      .orderBy('shape')
      .limit(limit);
    if (domain !== undefined) {
      // Ports are part of hosts.
      const name = sql<string>`'.' || host || ':'`;
      query = query.where(
        sql<boolean>`${name} like ${`%.${domain.replaceAll(/[\\%_]/g, String.raw`\$&`)}:%`} escape '\\'`,
      );
    }
    const rows = await query.execute();
    return rows.map(({ seen_at: seenAt, ...row }) => ({ projectId, ...row, seenAt: new Date(seenAt) }));
  }

  /** Settles when all pages are written. */
  async drain(): Promise<void> {
    await this.#pages.drain();
  }

  async forgetBefore(time: Date): Promise<void> {
    for (;;) {
      const { numDeletedRows } = await this.db
        .deleteFrom('site_notes')
        .where('id', 'in', (eb) =>
          eb.selectFrom('site_notes').select('id').where('seen_at', '<', time.getTime()).limit(DELETE_ROWS),
        )
        .executeTakeFirst();
      if (numDeletedRows < DELETE_ROWS) return;
      await nextTurn();
    }
  }
}

function ofPlace(db: Kysely<Database>, { projectId, host, shape }: EvidencePlace) {
  const ofHost = db.selectFrom('site_notes').where('project_id', '=', projectId).where('host', '=', host);
  return shape === null ? ofHost : ofHost.where('shape', '=', toStorable(shape));
}

async function writePages(db: Kysely<Database>, pages: readonly NotedPage[]): Promise<void> {
  const newest = [...new Map(pages.map((page) => [page.id, page])).values()];
  const places = [
    ...Map.groupBy(newest, ({ projectId, host, shape }) => JSON.stringify([projectId, host, shape])).values(),
  ];
  await db.transaction().execute(async (trx) => {
    const rows = [];
    for (const ofOne of places) rows.push(...(await numberPages(trx, ofOne)));
    // Two processes cannot deadlock: each takes its rows in this order.
    rows.sort((one, other) => (one.id < other.id ? -1 : 1));
    await trx
      .insertInto('site_notes')
      .values(rows)
      .onConflict((conflict) =>
        conflict.column('id').doUpdateSet((eb) => ({
          serial: eb.ref('excluded.serial'),
          notes: eb.ref('excluded.notes'),
          seen_at: eb.ref('excluded.seen_at'),
        })),
      )
      .execute();
    for (const [page] of places) if (page !== undefined) await forgetOldest(trx, page);
  });
}

/** Returns the rows of new pages of one place, with the numbers after its last. */
async function numberPages(
  db: Kysely<Database>,
  pages: readonly NotedPage[],
): Promise<Insertable<Database['site_notes']>[]> {
  const [place] = pages;
  if (place === undefined) return [];
  const { last } = await ofPlace(db, place)
    .select(({ fn }) => fn.max<number | null>('serial').as('last'))
    .executeTakeFirstOrThrow();
  return pages.map(({ id, projectId, host, shape, notes, seenAt }, index) => ({
    id,
    project_id: projectId,
    host,
    shape: toStorable(shape),
    serial: (last ?? 0) + 1 + index,
    notes: JSON.stringify(notes),
    seen_at: seenAt.getTime(),
  }));
}

async function forgetOldest(db: Kysely<Database>, place: SitePlace): Promise<void> {
  const ofHost = db.selectFrom('site_notes').where('project_id', '=', place.projectId).where('host', '=', place.host);
  const excess = [
    ofPlace(db, place).select('id').orderBy('serial', 'desc').offset(MAX_OF_PLACE),
    ofHost.select('id').orderBy('seen_at', 'desc').offset(MAX_OF_HOST),
  ];
  // A limit, since SQLite knows no offset without one.
  for (const rows of excess) await db.deleteFrom('site_notes').where('id', 'in', rows.limit(DELETE_ROWS)).execute();
}
