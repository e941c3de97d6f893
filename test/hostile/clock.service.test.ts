/** The wall clock of the service jumps by a day and more, in both directions. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { LocalSnapshotContent } from '../../packages/server/src/snapshots/local-snapshot-content.ts';
import { SnapshotSweeper } from '../../packages/server/src/snapshots/snapshot-sweeper.ts';
import { startSite } from '../batches/batch-site.ts';
import type { BatchSite } from '../batches/batch-site.ts';
import { readReadiness } from '../support/read-readiness.ts';
import { startRunning } from '../support/running-service.ts';
import type { Running } from '../support/running-service.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const RealDate = Date;
let shiftMs = 0;

/** Wall-clock time after a jump; monotonic clocks and timers are unaffected. */
class ShiftedDate extends RealDate {
  constructor(...parts: unknown[]) {
    super(...((parts.length === 0 ? [ShiftedDate.now()] : parts) as [number]));
  }

  static override now(): number {
    return RealDate.now() + shiftMs;
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return RealDate.prototype.isPrototypeOf(value as object);
  }
}

let running: Running;
let site: BatchSite;
before(async () => {
  globalThis.Date = ShiftedDate as DateConstructor;
  [running, site] = await Promise.all([startRunning({ WINNOW_HOST_SPACING: '0s' }), startSite({ slowMs: 400 })]);
});
afterEach(() => {
  shiftMs = 0;
});
after(async () => {
  await running.close();
  await site.close();
  globalThis.Date = RealDate;
});

async function dump(url: string, key?: string) {
  const order = { url, options: { engine_preference: 'http' } };
  return running.call('/v1/dom/dump', order, key === undefined ? {} : { as: 'none', headers: { 'X-API-Key': key } });
}

const extract = (domId: string) => running.call('/v1/extract', { extract: { dom_id: domId } });

for (const [name, jumpMs] of [
  ['back by a day', -DAY_MS],
  ['forward by a day', DAY_MS],
] as const) {
  // Checks: threat-clock
  test(`requests continue when the clock jumps ${name}, including running requests`, async () => {
    const kept = await dump(site.pageUrl(1));
    assert.equal(kept.status, 200);
    const underWay = dump(site.slowUrl(2));
    while (running.log.filter((line) => line.includes('"incoming request"')).length < 2) await sleep(5);
    shiftMs = jumpMs;
    assert.equal((await underWay).status, 200);
    assert.equal((await extract(kept.body.dom_id)).status, 200);
    assert.equal((await dump(site.pageUrl(3))).status, 200);
    assert.equal((await readReadiness(running.url)).code, 200);
  });

  // Checks: threat-clock
  test(`a batch completes, with each page once in its results, when the clock jumps ${name} meanwhile`, async () => {
    const urls = Array.from({ length: 12 }, (_, index) => site.slowUrl(index));
    const created = await running.call('/v1/batches', { urls });
    const { id } = (created.body as unknown as { batch: { id: string } }).batch;
    const read = async () => {
      const { body } = await running.call(`/v1/batches/${id}`, undefined, { method: 'GET' });
      return (body as unknown as { batch: { state: string; counts: { done: number } } }).batch;
    };
    while ((await read()).counts.done < 2) await sleep(20);
    shiftMs = jumpMs;
    let batch = await read();
    for (; batch.state === 'running'; batch = await read()) await sleep(50);
    assert.deepEqual(batch.counts, { queued: 0, running: 0, done: 12, failed: 0, cancelled: 0 });
  });

  // Checks: threat-clock
  test(`a used-up quota refuses for at most a minute when the clock jumps ${name}`, async () => {
    const key = await running.addKey({ projectId: running.projectId, kind: 'key_only', quotaPerMinute: 1 });
    assert.equal((await dump(site.pageUrl(4), key)).status, 200);
    shiftMs = jumpMs;
    const { status, headers } = await dump(site.pageUrl(4), key);
    if (status !== 200) {
      assert.equal(status, 429);
      assert.ok(Number(headers.get('Retry-After')) <= 60, `Retry-After: ${headers.get('Retry-After')}`);
    }
  });
}

// Checks: threat-clock
test('a key is refused after its expiry and not before, by the current clock', async () => {
  const expiresAt = new Date(Date.now() + HOUR_MS);
  const key = await running.addKey({ projectId: running.projectId, kind: 'key_only', expiresAt });
  assert.equal((await dump(site.pageUrl(5), key)).status, 200);
  shiftMs = 2 * HOUR_MS;
  assert.equal((await dump(site.pageUrl(5), key)).status, 401);
  shiftMs = -2 * HOUR_MS;
  assert.equal((await dump(site.pageUrl(5), key)).status, 200);
});

// Checks: threat-clock
test('a console session expires by its age, and setting the clock back does not end it', async () => {
  const token = (running.service.setupUrl ?? '').split('#')[1];
  const accepted = await fetch(`${running.url}/admin/v1/links/accept`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ token, email: 'admin@example.com', password: 'a horse that staples' }),
  });
  assert.equal(accepted.status, 200);
  const cookie = (accepted.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '';
  const ask = async () => (await fetch(`${running.url}/admin/v1/session`, { headers: { cookie } })).status;
  assert.equal(await ask(), 200);
  shiftMs = -DAY_MS;
  assert.equal(await ask(), 200);
  shiftMs = 400 * DAY_MS;
  assert.equal(await ask(), 401);
});

// Checks: threat-clock
test('lists return each row from before and after a clock jump once', async () => {
  for (const jumpMs of [0, -DAY_MS, DAY_MS, -2 * DAY_MS, 0]) {
    shiftMs = jumpMs;
    assert.equal((await dump(site.pageUrl(6))).status, 200);
  }
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await running.store.snapshots.list(running.projectId, {}, { limit: 2, ...(cursor ? { cursor } : {}) });
    seen.push(...page.items.map(({ domId }) => domId));
    cursor = page.nextCursor ?? undefined;
    // The clock also jumps between pages.
    shiftMs = -shiftMs - DAY_MS;
  } while (cursor !== undefined);
  assert.ok(seen.length >= 5);
  assert.equal(new Set(seen).size, seen.length);
});

// Checks: threat-clock
test('retention removes snapshots by age on the current clock, and none after the clock is set back', async () => {
  const content = new LocalSnapshotContent(path.join(running.folder, 'snapshots'));
  const sweeper = new SnapshotSweeper(running.store.snapshots, content, { maxAgeMs: 7 * DAY_MS });
  const kept = (await dump(site.pageUrl(7))).body.dom_id;
  const sweep = async () => (await sweeper.sweep(new AbortController().signal)).removedByAge;
  shiftMs = -30 * DAY_MS;
  assert.equal(await sweep(), 0);
  assert.equal((await extract(kept)).status, 200);
  shiftMs = 30 * DAY_MS;
  assert.ok((await sweep()) > 0);
  assert.equal((await extract(kept)).status, 404);
});
