/** Contract of the batch queue for every database. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import { noneSkipped } from '../../domain/crawls/crawl-ports.ts';
import type { Findings, FoundPage } from '../../domain/crawls/crawl-ports.ts';
import type { BatchQueue, ClaimedItem, NewBatch } from '../../domain/batches/batch-ports.ts';
import { openStore } from '../open-store.ts';
import type { Store, StoreOptions } from '../open-store.ts';
import { TEST_DATABASES } from '../testing/test-databases.ts';
import type { TestServer } from '../testing/test-databases.ts';

const T0 = Date.UTC(2026, 0, 1);
const LATER = new Date(T0 + 30_000);
const anyone = (): boolean => true;
const LINE = { failed: false, line: '{"index":0}' };

for (const kind of TEST_DATABASES) {
  describe(`batches on ${kind.name}`, { skip: kind.skip ?? false }, () => {
    let server: TestServer;
    let location: StoreOptions['location'];
    const stores: Store[] = [];
    let one: Store;
    let two: Store;
    let count = 0;

    const open = async (): Promise<Store> => {
      const store = await openStore({
        location,
        onError: (error) => {
          throw error;
        },
      });
      stores.push(store);
      return store;
    };

    before(async () => {
      server = await kind.start();
      location = await server.create();
      one = await open();
      for (const id of ['prj_a', 'prj_b']) {
        await one.projects.insert({ id, name: id, createdAt: new Date(T0), archivedAt: null });
      }
      two = await open();
    });
    after(async () => {
      for (const store of stores) await store.close();
      await server.stop();
    });

    const newBatch = (items: number, fields: Partial<NewBatch> = {}): NewBatch => {
      count += 1;
      return {
        id: `bat_${count}`,
        projectId: 'prj_a',
        idempotencyKey: null,
        fingerprint: 'same',
        options: { formats: [], respectRobots: true },
        webhook: null,
        createdAt: new Date(T0 + count),
        items: Array.from({ length: items }, (_, index) => ({ kind: 'url', value: `https://a.example/${index}` })),
        ...fields,
      };
    };

    const finishAll = async (owner: string, items: readonly ClaimedItem[]): Promise<void> => {
      for (const item of items) assert.equal(await one.batchQueue.finish(item, owner, LINE), true);
    };

    test('batches that must wait are skipped and do not delay other batches', async () => {
      const by = (id: string): Partial<NewBatch> => ({
        options: { formats: [], respectRobots: true, key: { id, quotaPerMinute: 5 } },
      });
      const waiting = await one.batches.create(newBatch(1, by('key_used_up')));
      const same = await one.batches.create(newBatch(1, by('key_other')));
      const other = await one.batches.create(newBatch(1, { ...by('key_third'), projectId: 'prj_b' }));
      const claimed: ClaimedItem[] = [];
      for (let items: ClaimedItem[]; ; claimed.push(...items)) {
        items = await two.batchQueue.claim({ owner: 'n1', until: LATER }, 5, ({ key }) => key?.id === 'key_used_up');
        if (items.length === 0) break;
      }
      assert.deepEqual(claimed.map(({ batchId }) => batchId).toSorted(), [same.id, other.id].toSorted());
      assert.deepEqual(
        claimed.map(({ options }) => options.key?.quotaPerMinute),
        [5, 5],
      );
      const last = await two.batchQueue.claim({ owner: 'n1', until: LATER }, 5, () => false);
      assert.deepEqual(
        last.map(({ batchId }) => batchId),
        [waiting.id],
      );
      await finishAll('n1', [...claimed, ...last]);
      await one.batches.completeFinished(LATER);
    });

    // Checks: threat-expensive-reads
    test('a claim reads the options of few batches, however many are waiting', async (t) => {
      const batches = await Promise.all(Array.from({ length: 12 }, () => one.batches.create(newBatch(1))));
      const read = t.mock.method(JSON, 'parse');
      const claim = () => two.batchQueue.claim({ owner: 'n1', until: LATER }, 5, () => false);
      assert.equal((await claim()).length, 1);
      const parsed = read.mock.calls.filter(({ arguments: [text] }) => text.includes('respectRobots'));
      assert.ok(parsed.length < 12, String(parsed.length));
      await Promise.all(batches.map(({ id }) => one.batches.cancel('prj_a', id, new Date(T0))));
      await one.batchQueue.reclaim(new Date(T0 + 60_000));
    });

    test('every item is claimed exactly once by concurrent claimers', async () => {
      const { id } = await one.batches.create(newBatch(900));
      const claimed: ClaimedItem[] = [];
      const work = async (queue: BatchQueue, owner: string): Promise<void> => {
        for (;;) {
          const items = await queue.claim({ owner, until: LATER }, 40);
          if (items.length === 0) return;
          claimed.push(...items);
          await finishAll(owner, items.slice(0, 1));
        }
      };
      await Promise.all([work(one.batchQueue, 'n1'), work(two.batchQueue, 'n2'), work(two.batchQueue, 'n3')]);
      assert.equal(claimed.length, 900);
      assert.equal(new Set(claimed.map((item) => item.index)).size, 900);
      const counts = await one.batches.count(id);
      assert.equal(counts.queued, 0);
      assert.equal(counts.running + counts.done, 900);
      await one.batches.cancel('prj_a', id, new Date(T0));
      await one.batchQueue.reclaim(new Date(T0 + 60_000));
    });

    test('an expired lease gives the item to another worker, and the result of the first is rejected', async () => {
      const { id } = await one.batches.create(newBatch(1));
      const [lost] = await one.batchQueue.claim({ owner: 'dead', until: LATER }, 5);
      assert.ok(lost);
      assert.equal(await one.batchQueue.reclaim(new Date(LATER.getTime() - 1)), 0);
      assert.deepEqual(await two.batchQueue.claim({ owner: 'alive', until: LATER }, 5), []);
      assert.equal(await two.batchQueue.reclaim(new Date(LATER.getTime() + 1)), 1);
      const [again] = await two.batchQueue.claim({ owner: 'alive', until: LATER }, 5);
      assert.equal(again?.attempt, 2);
      assert.equal(await one.batchQueue.finish(lost, 'dead', LINE), false);
      assert.equal(await two.batchQueue.finish(again, 'alive', { failed: true, line: '{"index":0,"error":{}}' }), true);
      assert.equal(await two.batchQueue.finish(again, 'alive', LINE), false, 'a second result of an item is rejected');
      assert.deepEqual(await Readable.from(one.batches.results(id, -1, 10)).toArray(), [
        { index: 0, line: '{"index":0,"error":{}}' },
      ]);
      await one.batches.completeFinished(new Date(T0 + 9));
      const batch = await one.batches.find('prj_a', id);
      assert.equal(batch?.state, 'completed');
      assert.deepEqual(batch.finishedAt, new Date(T0 + 9));
    });

    test('a renewed lease stays valid, and a released item is available at once', async () => {
      const { id } = await one.batches.create(newBatch(2));
      const items = await one.batchQueue.claim({ owner: 'n1', until: LATER }, 2);
      await one.batchQueue.renew({ owner: 'n1', until: new Date(LATER.getTime() + 5000) });
      assert.equal(await one.batchQueue.reclaim(new Date(LATER.getTime() + 1)), 0);
      assert.ok(items[1]);
      await one.batchQueue.release(items[1], 'n1');
      const [again] = await two.batchQueue.claim({ owner: 'n2', until: LATER }, 2);
      assert.equal(again?.attempt, 1);
      await finishAll('n1', items.slice(0, 1));
      assert.equal(await two.batchQueue.finish(again, 'n2', LINE), true);
      assert.deepEqual(await one.batches.count(id), { queued: 0, running: 0, done: 2, failed: 0, cancelled: 0 });
      await one.batches.completeFinished(new Date(T0));
    });

    test('an idempotency key returns the first batch and completes an interrupted insertion', async () => {
      const first = await one.batches.create(newBatch(3, { idempotencyKey: 'k1' }));
      const second = await two.batches.create(newBatch(3, { idempotencyKey: 'k1' }));
      assert.equal(second.id, first.id);
      assert.equal(
        (await one.batches.create(newBatch(1, { idempotencyKey: 'k1', fingerprint: 'other' }))).fingerprint,
        'same',
      );
      const other = await one.batches.create(newBatch(1, { idempotencyKey: 'k1', projectId: 'prj_b' }));
      assert.notEqual(other.id, first.id);
      const both = await Promise.all(
        [one, two].map((each) => each.batches.create(newBatch(500, { idempotencyKey: 'k2' }))),
      );
      assert.equal(both[0]?.id, both[1]?.id);
      assert.equal((await one.batches.count(both[0]?.id ?? '')).queued, 500);
      for (const batch of [first, ...both]) await one.batches.cancel('prj_a', batch.id, new Date(T0));
      await one.batches.cancel('prj_b', other.id, new Date(T0));
    });

    test('projects are served in turn and see only their own batches', async () => {
      const a = await one.batches.create(newBatch(4));
      const b = await one.batches.create(newBatch(4, { projectId: 'prj_b' }));
      const served = { prj_a: 0, prj_b: 0 };
      for (let round = 0; round < 6; round += 1) {
        const [item] = await one.batchQueue.claim({ owner: 'n1', until: LATER }, 1);
        served[item?.projectId as keyof typeof served] += 1;
      }
      assert.deepEqual(served, { prj_a: 3, prj_b: 3 });
      assert.equal(await one.batches.find('prj_b', a.id), undefined);
      assert.equal(await one.batches.cancel('prj_b', a.id, new Date(T0)), false);
      assert.equal(await one.batches.cancel('prj_a', a.id, new Date(T0)), true);
      assert.equal(await one.batches.cancel('prj_b', b.id, new Date(T0)), true);
      assert.deepEqual(await one.batchQueue.claim({ owner: 'n1', until: LATER }, 10), []);
      assert.deepEqual(await one.batches.count(a.id), { queued: 0, running: 3, done: 0, failed: 0, cancelled: 1 });
      await one.batchQueue.reclaim(new Date(LATER.getTime() + 1));
      assert.equal((await one.batches.count(a.id)).cancelled, 4, 'running items of a dead process are not restarted');
    });

    test('batches of an archived project wait until the project is restored', async () => {
      const { projects } = one;
      const a = await one.batches.create(newBatch(2));
      const [item] = await one.batchQueue.claim({ owner: 'n1', until: LATER }, 1);
      assert.ok(item);
      await projects.update('prj_a', { archivedAt: new Date(T0) });
      const b = await one.batches.create(newBatch(1, { projectId: 'prj_b' }));
      assert.deepEqual(
        (await two.batchQueue.claim({ owner: 'n2', until: LATER }, 5)).map(({ batchId }) => batchId),
        [b.id],
      );
      assert.deepEqual(await two.batchQueue.claim({ owner: 'n2', until: LATER }, 5), []);
      await finishAll('n1', [item]);
      assert.deepEqual(await one.batches.count(a.id), { queued: 1, running: 0, done: 1, failed: 0, cancelled: 0 });
      await projects.update('prj_a', { archivedAt: null });
      assert.deepEqual(
        (await two.batchQueue.claim({ owner: 'n2', until: LATER }, 5)).map(({ batchId }) => batchId),
        [a.id],
      );
      await one.batches.cancel('prj_a', a.id, new Date(T0));
      await one.batches.cancel('prj_b', b.id, new Date(T0));
      await one.batchQueue.reclaim(new Date(LATER.getTime() + 1));
    });

    test('items released during the cancellation of their batch are not restarted', async () => {
      const { id } = await one.batches.create(newBatch(4000));
      const items = await one.batchQueue.claim({ owner: 'n2', until: LATER }, 60);
      const lost = await one.batchQueue.claim({ owner: 'dead', until: new Date(T0) }, 60);
      const cancelling = one.batches.cancel('prj_a', id, new Date(T0));
      for (const item of items) await one.batchQueue.release(item, 'n2');
      await one.batchQueue.reclaim(new Date(T0 + 1));
      await cancelling;
      assert.equal(items.length + lost.length, 120);
      assert.deepEqual(await one.batches.count(id), { queued: 0, running: 0, done: 0, failed: 0, cancelled: 4000 });
    });

    test('a webhook is due once the batch is completed, for one caller at a time, until it is delivered', async () => {
      const webhook = { url: 'https://hook.example/', secret: 'whsec_x' };
      const { id } = await one.batches.create(newBatch(1, { webhook }));
      const now = new Date(T0 + 1000);
      assert.equal(await one.batchWebhooks.claimDue(now, LATER, anyone), undefined);
      await finishAll('n1', await one.batchQueue.claim({ owner: 'n1', until: LATER }, 1));
      await one.batches.completeFinished(now);
      assert.equal((await one.batchWebhooks.claimDue(now, LATER, anyone))?.id, id);
      assert.equal(await two.batchWebhooks.claimDue(now, LATER, anyone), undefined);
      await one.batchWebhooks.noteCall(id, false, new Date(T0 + 5000));
      const again = await two.batchWebhooks.claimDue(new Date(T0 + 5000), LATER, anyone);
      assert.deepEqual(again?.webhook, { ...webhook, state: 'waiting', attempts: 2 });
      await two.batchWebhooks.noteCall(id, true, null);
      assert.equal((await one.batches.find('prj_a', id))?.webhook?.state, 'delivered');
      assert.equal(await one.batchWebhooks.claimDue(new Date(T0 + 99_999_999), LATER, anyone), undefined);
    });

    test('the webhook of a cancelled batch is due once none of its items run; webhooks that must not be called are skipped', async () => {
      const webhook = { url: 'https://hook.example/', secret: 'whsec_x' };
      const now = new Date(T0 + 1000);
      const cancelled = await one.batches.create(newBatch(3, { webhook }));
      const [item] = await one.batchQueue.claim({ owner: 'n1', until: LATER }, 1);
      assert.ok(item);
      await one.batches.cancel('prj_a', cancelled.id, now);
      assert.equal(await one.batchWebhooks.claimDue(now, LATER, anyone), undefined);
      await finishAll('n1', [item]);
      const other = await one.batches.create(newBatch(1, { webhook: { ...webhook, url: 'https://other.example/' } }));
      await one.batches.cancel('prj_a', other.id, new Date(T0 + 1001));
      const later = new Date(T0 + 1001);
      assert.equal((await one.batchWebhooks.claimDue(later, LATER, (url) => url !== webhook.url))?.id, other.id);
      const due = await one.batchWebhooks.claimDue(later, LATER, anyone);
      assert.equal(due?.id, cancelled.id);
      assert.equal(due.state, 'cancelled');
      assert.deepEqual(await one.batches.count(cancelled.id), {
        queued: 0,
        running: 0,
        done: 1,
        failed: 0,
        cancelled: 2,
      });
      for (const id of [cancelled.id, other.id]) await one.batchWebhooks.noteCall(id, true, null);
    });

    // Checks: threat-expensive-reads
    test('a search through many webhooks that must not be called leaves turns of the event loop to others', async () => {
      const webhook = { url: 'https://silent.example/', secret: 'whsec_x' };
      const batches = await Promise.all(Array.from({ length: 51 }, () => one.batches.create(newBatch(1, { webhook }))));
      await Promise.all(batches.map(({ id }) => one.batches.cancel('prj_a', id, new Date(T0))));
      let turns = 0;
      let turn = setImmediate(function takeTurn() {
        turns += 1;
        turn = setImmediate(takeTurn);
      });
      const asked: string[] = [];
      const mayCall = (_url: string, projectId: string): boolean => asked.push(projectId) < 0;
      assert.equal(await one.batchWebhooks.claimDue(new Date(T0), LATER, mayCall), undefined);
      clearImmediate(turn);
      assert.deepEqual([asked.length, new Set(asked)], [51, new Set(['prj_a'])]);
      assert.ok(turns > 0);
      await Promise.all(batches.map(({ id }) => one.batchWebhooks.noteCall(id, true, null)));
    });

    test('deleting old batches removes all their rows', async () => {
      const { id } = await one.batches.create(newBatch(1));
      await finishAll('n1', await one.batchQueue.claim({ owner: 'n1', until: LATER }, 1));
      await one.batches.completeFinished(new Date(T0 + 50));
      await one.batches.forgetBefore(new Date(T0 + 50));
      assert.ok(await one.batches.find('prj_a', id));
      await one.batches.forgetBefore(new Date(T0 + 51));
      assert.equal(await one.batches.find('prj_a', id), undefined);
      assert.deepEqual(await Readable.from(one.batches.results(id, -1, 10)).toArray(), []);
    });

    const pageOf = (name: string, most = 1000): FoundPage => ({
      url: `https://a.example/${name}`,
      key: name,
      shapes: [{ key: 'shape', most }],
    });
    const findingsOf = (key: string, pages: readonly FoundPage[], more: Partial<Findings> = {}): Findings => ({
      keys: [key],
      depth: 1,
      pages,
      skipped: noneSkipped(),
      ...more,
    });
    const newCrawl = (limit: number): NewBatch => {
      const [url, none] = ['https://a.example/', [] as string[]];
      const crawl = { url, limit, maxDepth: 9, include: none, exclude: none, scope: 'host', sitemap: 'skip' } as const;
      return newBatch(1, { options: { formats: [], respectRobots: true, crawl } });
    };
    const claimFor = async (owner: string): Promise<ClaimedItem> => {
      const [item] = await one.batchQueue.claim({ owner, until: LATER }, 1);
      assert.ok(item);
      return item;
    };

    test('the pages that a page of a crawl leads to are added once, with its result or not at all', async () => {
      const { id } = await one.batches.create(newCrawl(6));
      const start = await claimFor('n1');
      const found = findingsOf('start', [pageOf('a'), pageOf('b'), pageOf('start')], { site: 'https://b.example/' });
      assert.equal(await one.batchQueue.finish(start, 'not its owner', { ...LINE, found }), false);
      assert.equal((await one.batches.find('prj_a', id))?.total, 1);
      assert.equal(await one.batchQueue.finish(start, 'n1', { ...LINE, found }), true);
      await one.batches.completeFinished(LATER);
      const [a, b] = [await claimFor('n1'), await claimFor('n2')];
      assert.deepEqual([a.target.value, a.depth, a.options.crawl?.url], [pageOf('a').url, 1, 'https://b.example/']);
      const leftOut = { ...pageOf('robots'), leftOut: 'robots' } as const;
      await Promise.all([
        one.batchQueue.finish(a, 'n1', { ...LINE, found: findingsOf('a', [pageOf('b'), pageOf('c'), pageOf('d')]) }),
        two.batchQueue.finish(b, 'n2', { ...LINE, found: findingsOf('b', [pageOf('c'), pageOf('d'), leftOut]) }),
      ]);
      const trap = findingsOf('c', [pageOf('e', 4), pageOf('a'), pageOf('f'), pageOf('g')], { keys: ['c', 'a'] });
      await one.batchQueue.finish(await claimFor('n1'), 'n1', { ...LINE, found: trap });
      const crawl = await one.batches.find('prj_a', id);
      assert.equal(crawl?.total, 6);
      assert.deepEqual(crawl.skipped, { ...noneSkipped(), robots: 1, duplicate: 1, trap: 1, limit: 1 });
      const rest = await one.batchQueue.claim({ owner: 'n1', until: LATER }, 9);
      assert.deepEqual(rest.map(({ target }) => target.value).toSorted(), [pageOf('d').url, pageOf('f').url]);
      await one.batches.cancel('prj_a', id, LATER);
      for (const item of rest)
        await one.batchQueue.finish(item, 'n1', { ...LINE, found: findingsOf('x', [pageOf('y')]) });
      assert.deepEqual(await one.batches.count(id), { queued: 0, running: 0, done: 6, failed: 0, cancelled: 0 });
    });

    test('pages of a crawl with a delay are claimed one by one, each after the end of the one before', async () => {
      const { options, ...batch } = newCrawl(10);
      assert.ok(options.crawl);
      const crawl = { ...options.crawl, delayMs: 500 };
      const { id } = await one.batches.create({ ...batch, options: { ...options, crawl } });
      const claimAt = (queue: BatchQueue, owner: string, ms: number): Promise<ClaimedItem[]> =>
        queue.claim({ owner, until: LATER }, 5, undefined, new Date(T0 + ms));
      const [start] = await claimAt(one.batchQueue, 'n1', 0);
      assert.ok(start);
      const found = findingsOf('start', [pageOf('a'), pageOf('b'), pageOf('c')], { delayMs: 2000 });
      await one.batchQueue.finish(start, 'n1', { ...LINE, found }, new Date(T0 + 100));
      assert.deepEqual(await claimAt(two.batchQueue, 'n2', 2000), [], 'robots.txt asks for more');
      const both = await Promise.all([claimAt(one.batchQueue, 'n1', 2100), claimAt(two.batchQueue, 'n2', 2100)]);
      const [page, ...others] = both.flat();
      assert.ok(page);
      assert.deepEqual([others.length, page.options.crawl?.delayMs], [0, 2000]);
      const owner = both[0].length === 1 ? 'n1' : 'n2';
      assert.deepEqual(await claimAt(one.batchQueue, 'n1', 9000), [], 'the page is being read');
      await one.batchQueue.release(page, owner);
      const [again] = await claimAt(one.batchQueue, 'n1', 9000);
      assert.equal(again?.index, page.index);
      await one.batchQueue.finish(again, 'n1', { ...LINE, found: findingsOf('a', []) }, new Date(T0 + 9000));
      assert.equal((await claimAt(one.batchQueue, 'n1', 10_999)).length, 0);
      assert.equal((await claimAt(one.batchQueue, 'n1', 11_000)).length, 1);
      await one.batches.delete('prj_a', id, LATER);
    });

    test('a deleted crawl leaves nothing behind, and a page may have more links than one statement takes', async () => {
      const { id } = await one.batches.create(newCrawl(100_000));
      const pages = Array.from({ length: 3000 }, (_, index) => pageOf(`many-${index}`, 100_000));
      await one.batchQueue.finish(await claimFor('n1'), 'n1', { ...LINE, found: findingsOf('start', pages) });
      assert.equal((await two.batches.find('prj_a', id))?.total, 3001);
      const full = await one.usage.find('prj_a');
      assert.equal(await one.batches.delete('prj_a', id, LATER), true);
      const empty = await one.usage.find('prj_a');
      assert.ok(full.batchBytes - empty.batchBytes > 3000 * 256);
    });
  });
}
