import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PageChange } from '@winnow/contract';
import type { Kysely } from 'kysely';
import { foundItemBytes, type BatchOptions, type ClaimedItem } from '../../domain/batches/batch-ports.ts';
import { noChanges, noneSkipped, SKIP_REASONS } from '../../domain/crawls/crawl-ports.ts';
import type { ChangeCounts, Findings, FoundPage, SkipReason, Skipped } from '../../domain/crawls/crawl-ports.ts';
import type { Database } from '../schema/schema.ts';
import { changeStorage } from './storage-repository.ts';

/** Keys in one statement, and rows in one insert: below the parameter limit of both databases. */
const ROWS = 400;

type Transaction = Kysely<Database>;

/**
 * Adds the pages that a page of a crawl links to, in the transaction that finishes the page and holds the lock of the
 * batch: a page is either unfinished, or all that it links to is known.
 */
export async function addFound(transaction: Transaction, item: ClaimedItem, found: Findings, now: Date): Promise<void> {
  const { batchId: id, index } = item;
  const row = await transaction
    .selectFrom('batches')
    .select(['state', 'total', 'options', 'skipped', 'changes'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const options = JSON.parse(row.options) as BatchOptions;
  if (row.state !== 'running' || options.crawl === undefined) return;
  const skipped = { ...noneSkipped(), ...(JSON.parse(row.skipped ?? '{}') as Partial<Skipped>) };
  for (const reason of SKIP_REASONS) skipped[reason] += found.skipped[reason];
  const [own, ...others] = found.keys;
  const known = await readSeen(transaction, id, [...found.keys, ...found.pages.map(({ key }) => key)]);
  // It led to a page that the crawl knows by another address.
  if (others.some((key) => key !== own && known.has(key))) skipped.duplicate += 1;
  const added = new Map<string, number>(found.keys.filter((key) => !known.has(key)).map((key) => [key, index]));
  const fresh = found.pages.filter(({ key }) => !known.has(key) && !added.has(key));
  const room = Math.max(0, options.crawl.limit - row.total);
  const shapeKeys = new Set(fresh.flatMap((page) => page.shapes.map(({ key }) => key)));
  const { pages, shapes } = admit(fresh, room, await readSeen(transaction, id, [...shapeKeys]), skipped);
  for (const [offset, { key }] of pages.entries()) added.set(key, row.total + offset);
  const queued = { state: 'queued', attempts: 0, lease_owner: null, lease_until: null } as const;
  const items = pages.map(({ url }, offset) => {
    const target = { kind: 'url', value: url } as const;
    return { batch_id: id, position: row.total + offset, ...target, ...queued, depth: found.depth, found_on: index };
  });
  for await (const some of slice(items)) await transaction.insertInto('batch_items').values(some).execute();
  await setSeen(transaction, id, [
    ...[...added].map(([key, position]) => ({ key, pages: 1, position })),
    ...[...shapes].map(([key, count]) => ({ key, pages: count, position: null })),
  ]);
  const counts = JSON.stringify(skipped);
  // Most pages lead to nothing new.
  const delayMs = Math.max(options.crawl.delayMs ?? 0, found.delayMs ?? 0);
  if (
    pages.length === 0 &&
    found.site === undefined &&
    counts === row.skipped &&
    delayMs === 0 &&
    found.change === undefined
  )
    return;
  const bytes = pages.reduce((sum, { url }) => sum + foundItemBytes({ value: url }), 0);
  const crawl = { ...options.crawl, url: found.site ?? options.crawl.url, delayMs };
  const isNew = crawl.url !== options.crawl.url || delayMs !== (options.crawl.delayMs ?? 0);
  await transaction
    .updateTable('batches')
    .set((build) => ({
      total: row.total + pages.length,
      skipped: counts,
      bytes: build('bytes', '+', bytes),
      ...(isNew && { options: JSON.stringify({ ...options, crawl }) }),
      ...(found.change && { changes: countChange(row.changes, found.change) }),
      ...(delayMs > 0 && { next_claim: now.getTime() + delayMs }),
    }))
    .where('id', '=', id)
    .execute();
  if (bytes > 0) await changeStorage(transaction, item.projectId, { batch_bytes: bytes });
}

function countChange(counts: string | null, change: PageChange): string {
  const changes = { ...noChanges(), ...(counts === null ? {} : (JSON.parse(counts) as ChangeCounts)) };
  changes[change] += 1;
  return JSON.stringify(changes);
}

/** Chooses the pages within the limit of the crawl and the bounds of their shapes, and counts the others. */
function admit(
  fresh: readonly FoundPage[],
  room: number,
  counts: ReadonlyMap<string, number>,
  skipped: Record<SkipReason, number>,
): { readonly pages: FoundPage[]; readonly shapes: ReadonlyMap<string, number> } {
  const pages: FoundPage[] = [];
  const shapes = new Map<string, number>();
  const countOf = (key: string): number => shapes.get(key) ?? counts.get(key) ?? 0;
  for (const page of fresh) {
    const isFull = page.shapes.some(({ key, most }) => countOf(key) >= most);
    const reason = page.leftOut ?? (isFull ? 'trap' : pages.length >= room ? 'limit' : undefined);
    if (reason === undefined) {
      pages.push(page);
      for (const { key } of page.shapes) shapes.set(key, countOf(key) + 1);
    } else skipped[reason] += 1;
  }
  return { pages, shapes };
}

async function readSeen(transaction: Transaction, id: string, keys: readonly string[]): Promise<Map<string, number>> {
  const seen = new Map<string, number>();
  for await (const some of slice(keys)) {
    const rows = await transaction
      .selectFrom('crawl_seen')
      .select(['key', 'pages'])
      .where('batch_id', '=', id)
      .where('key', 'in', some)
      .execute();
    for (const { key, pages } of rows) seen.set(key, pages);
  }
  return seen;
}

async function setSeen(
  transaction: Transaction,
  id: string,
  seen: readonly { readonly key: string; readonly pages: number; readonly position: number | null }[],
): Promise<void> {
  for await (const some of slice(seen)) {
    await transaction
      .insertInto('crawl_seen')
      .values(some.map((row) => ({ batch_id: id, ...row })))
      .onConflict((conflict) =>
        conflict.columns(['batch_id', 'key']).doUpdateSet((build) => ({ pages: build.ref('excluded.pages') })),
      )
      .execute();
  }
}

/** Slices for one statement each; other work gets its turn in between. */
async function* slice<T>(list: readonly T[]): AsyncGenerator<T[]> {
  for (let start = 0; start < list.length; start += ROWS) {
    if (start > 0) await nextTurn();
    yield list.slice(start, start + ROWS);
  }
}
