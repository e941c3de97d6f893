/** Contract of the storage counters for every database. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import type { BatchTarget, NewBatch } from '../domain/batches/batch-ports.ts';
import type { SnapshotRow } from '../domain/storage/snapshot-ports.ts';
import { openStore } from './open-store.ts';
import type { Store, StoreOptions } from './open-store.ts';
import { withDatabase } from './testing/open-database.ts';
import { makeSnapshotRow } from './testing/make-snapshot-row.ts';
import { TEST_DATABASES } from './testing/test-databases.ts';
import type { TestServer } from './testing/test-databases.ts';

const T0 = Date.UTC(2026, 0, 1);
const UNTIL = new Date(T0 + 30_000);
const NOTHING = { snapshots: 0, snapshotBytes: 0, batches: 0, batchBytes: 0, logBytes: 0 };

for (const kind of TEST_DATABASES) {
  describe(`storage of projects on ${kind.name}`, { skip: kind.skip ?? false }, () => {
    let server: TestServer;
    let location: StoreOptions['location'];
    let store: Store;
    let other: Store;
    let count = 0;

    before(async () => {
      server = await kind.start();
      location = await server.create();
      store = await openStore({ location, onError: failOnError });
      other = await openStore({ location, onError: failOnError });
      for (const id of ['prj_a', 'prj_b'])
        await store.projects.insert({ id, name: id, createdAt: new Date(T0), archivedAt: null });
    });
    after(async () => {
      await store.close();
      await other.close();
      await server.stop();
    });

    const insert = async (to: Store, fields: Partial<SnapshotRow>): Promise<SnapshotRow> => {
      count += 1;
      const row = makeSnapshot(`dom_${String(count).padStart(5, '0')}`, fields);
      await to.snapshots.insert(row);
      return row;
    };
    const create = (projectId: string, items: readonly BatchTarget[], fields: Partial<NewBatch> = {}) => {
      count += 1;
      return store.batches.create({
        id: `bat_${count}`,
        projectId,
        idempotencyKey: null,
        fingerprint: 'same',
        options: { formats: [], respectRobots: true },
        webhook: null,
        createdAt: new Date(T0 + count),
        items,
        ...fields,
      });
    };

    // Checks: threat-project-storage
    test('a snapshot counts its row, and its content once per project, until it is deleted', async () => {
      const own = await insert(store, { storedBytes: 1000, url: `http://site.example/${'ä'.repeat(300)}` });
      const first = await store.usage.find('prj_a');
      assert.equal(first.snapshots, 1);
      assert.ok(first.snapshotBytes > 1000 + 600 + 300, `${first.snapshotBytes}`);
      await insert(store, { hash: own.hash, storedBytes: 1000 });
      const second = await store.usage.find('prj_a');
      assert.ok(second.snapshotBytes - first.snapshotBytes < 1000, 'the content exists already');
      await insert(store, { hash: own.hash, storedBytes: 1000, projectId: 'prj_b' });
      assert.ok((await store.usage.find('prj_b')).snapshotBytes > 1000, 'each project is charged for shared content');
      assert.equal(await store.snapshots.delete('prj_a', own.domId), true);
      const third = await store.usage.find('prj_a');
      assert.ok(third.snapshotBytes > 1000, 'another snapshot still uses the content');
      await store.snapshots.removeOldest(10);
      for (const projectId of ['prj_a', 'prj_b'])
        assert.deepEqual(await store.usage.find(projectId), { projectId, ...NOTHING });
    });

    test('snapshots of the same content stored concurrently by two nodes count it once', async () => {
      const hash = makeHash();
      const rows = Array.from({ length: 60 }, (_, index) =>
        insert(index % 2 ? store : other, { hash, storedBytes: 7000 }),
      );
      await Promise.all(rows);
      const { snapshots, snapshotBytes } = await store.usage.find('prj_a');
      assert.equal(snapshots, 60);
      assert.ok(snapshotBytes < 60 * 1000 + 7000, `${snapshotBytes}`);
      await Promise.all([store.snapshots.removeOldest(30), other.snapshots.removeOldest(60)]);
      await store.snapshots.removeOldest(100);
      assert.deepEqual(await store.usage.find('prj_a'), { projectId: 'prj_a', ...NOTHING });
    });

    // Checks: threat-project-storage
    test('a batch counts its items and results until it is deleted', async () => {
      const batch = await create('prj_a', makeItems(40));
      const created = await store.usage.find('prj_a');
      assert.equal(created.batches, 1);
      assert.ok(created.batchBytes > 40 * 100, `${created.batchBytes}`);
      const sealed = 'x'.repeat(100_000);
      const withCookies = await create('prj_a', makeItems(1), {
        options: { formats: [], respectRobots: true, sealed },
      });
      assert.ok((await store.usage.find('prj_a')).batchBytes > created.batchBytes + sealed.length, 'options count');
      await store.batches.delete('prj_a', withCookies.id, new Date(T0));
      const claimed = await store.batchQueue.claim({ owner: 'n1', until: UNTIL }, 10);
      for (const item of claimed)
        assert.equal(
          await store.batchQueue.finish(item, 'n1', { failed: false, line: randomBytes(600).toString('hex') }),
          true,
        );
      assert.ok((await store.usage.find('prj_a')).batchBytes > created.batchBytes + 10 * 600, 'results count');
      assert.equal(await store.batches.delete('prj_b', batch.id, new Date(T0)), false);
      assert.equal(await store.batches.delete('prj_a', batch.id, new Date(T0)), true);
      assert.equal(await store.batches.delete('prj_a', batch.id, new Date(T0)), false);
      assert.deepEqual(await store.usage.find('prj_a'), { projectId: 'prj_a', ...NOTHING });
    });

    test('a batch deleted while it runs rejects further results, and its key can be reused', async () => {
      const batch = await create('prj_a', makeItems(3000), { idempotencyKey: 'again' });
      const claimed = await store.batchQueue.claim({ owner: 'n1', until: UNTIL }, 100);
      assert.equal(claimed.length, 100);
      const deleting = other.batches.delete('prj_a', batch.id, new Date(T0));
      const finished = await Promise.all(
        claimed.map((item) => store.batchQueue.finish(item, 'n1', { failed: false, line: '{}' })),
      );
      assert.equal(await deleting, true);
      assert.equal(finished.length, 100);
      assert.deepEqual(await Readable.from(store.batches.results(batch.id, -1, 10)).toArray(), []);
      assert.equal(await store.batches.find('prj_a', batch.id), undefined);
      assert.equal(await store.batches.cancel('prj_a', batch.id, new Date(T0)), false);
      assert.deepEqual(await store.batchQueue.claim({ owner: 'n2', until: UNTIL }, 10), []);
      assert.deepEqual(await store.usage.find('prj_a'), { projectId: 'prj_a', ...NOTHING });
      const next = await create('prj_a', makeItems(1), { idempotencyKey: 'again' });
      assert.notEqual(next.id, batch.id);
      assert.equal(await store.batches.delete('prj_a', next.id, new Date(T0)), true);
    });

    // Checks: threat-expensive-reads
    test('concurrent finishing, releasing, cancelling and reading never deadlock, and the counts add up', async () => {
      const { id } = await create('prj_a', makeItems(400));
      const work = [store, other].map(async ({ batches, batchQueue }, node) => {
        for (let round = 0; round < 8; round += 1) {
          const items = await batchQueue.claim({ owner: `n${node}`, until: UNTIL }, 12);
          await Promise.all(
            items.map((item, index) =>
              index % 3 === 0
                ? batchQueue.release(item, `n${node}`)
                : batchQueue.finish(item, `n${node}`, { failed: index % 3 === 1, line: '{}' }),
            ),
          );
          const counts = Object.values(await batches.count(id));
          assert.equal(
            counts.reduce((sum, each) => sum + each, 0),
            400,
          );
        }
      });
      await Promise.all(work);
      await Promise.all([store.batches.cancel('prj_a', id, new Date(T0)), other.batchQueue.reclaim(UNTIL)]);
      const { done, failed, cancelled, ...rest } = await store.batches.count(id);
      assert.deepEqual(rest, { queued: 0, running: 0 });
      assert.equal(done + failed + cancelled, 400);
      const results = await Readable.from(store.batches.results(id, -1, 1000)).toArray();
      assert.equal(results.length, done + failed);
      assert.equal(await store.batches.delete('prj_a', id, new Date(T0)), true);
    });

    // Checks: threat-huge-batch
    test('an interrupted cancellation is finished by the next process', async () => {
      const { id } = await create('prj_a', makeItems(2500));
      await withDatabase(location, (db) =>
        sql`update batches set state = 'cancelled', finished_at = 1 where id = ${id}`.execute(db),
      );
      assert.deepEqual(await store.batchQueue.claim({ owner: 'n1', until: UNTIL }, 5), []);
      await other.batchQueue.reclaim(new Date(T0));
      assert.deepEqual(await store.batches.count(id), { queued: 0, running: 0, done: 0, failed: 0, cancelled: 2500 });
      assert.equal(await store.batches.delete('prj_a', id, new Date(T0)), true);
    });

    // Checks: threat-project-storage, threat-huge-batch
    test('rows left by an interrupted deletion are removed by tidying', async () => {
      const { id } = await create('prj_a', makeItems(5));
      await withDatabase(location, (db) =>
        sql`update batches set deleted_at = 1, loaded = 0, state = 'cancelled' where id = ${id}`.execute(db),
      );
      await store.batches.forgetBefore(new Date(T0 - 1));
      assert.deepEqual(await store.usage.find('prj_a'), { projectId: 'prj_a', ...NOTHING });
    });

    // Checks: threat-project-storage
    test('waiting batches of a project archived long ago are forgotten', async () => {
      await create('prj_b', makeItems(5));
      await store.projects.update('prj_b', { archivedAt: new Date(T0) });
      await store.batches.forgetBefore(new Date(T0));
      assert.equal((await store.usage.find('prj_b')).batches, 1);
      await store.batches.forgetBefore(new Date(T0 + 1));
      assert.deepEqual(await store.usage.find('prj_b'), { projectId: 'prj_b', ...NOTHING });
    });
  });
}

function makeItems(count: number): BatchTarget[] {
  return Array.from({ length: count }, (_, index) => ({ kind: 'url', value: `https://a.example/${index}` }));
}

function makeHash(): string {
  return createHash('sha256').update(randomBytes(16)).digest('hex');
}

function makeSnapshot(domId: string, fields: Partial<SnapshotRow>): SnapshotRow {
  return makeSnapshotRow(domId, { hash: makeHash(), bytes: 100, storedBytes: 50, ...fields });
}

function failOnError(error: unknown): never {
  throw error;
}
