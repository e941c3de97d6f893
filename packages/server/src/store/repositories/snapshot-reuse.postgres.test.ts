import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import type { SnapshotRow } from '../../domain/storage/snapshot-ports.ts';
import { openStore } from '../open-store.ts';
import type { Store, StoreOptions } from '../open-store.ts';
import { makeSnapshotRow } from '../testing/make-snapshot-row.ts';
import { TEST_DATABASES } from '../testing/test-databases.ts';
import type { TestServer } from '../testing/test-databases.ts';

const T0 = Date.UTC(2026, 0, 1);
const KEY = 'a'.repeat(32);

function snapshot(domId: string, rest: Partial<SnapshotRow>): SnapshotRow {
  return makeSnapshotRow(domId, { reuseKey: KEY, ...rest });
}

for (const databases of TEST_DATABASES) {
  void describe(databases.name, { skip: databases.skip }, () => {
    let server: TestServer;
    let location: StoreOptions['location'];
    let store: Store;
    before(async () => {
      server = await databases.start();
      location = await server.create();
      store = await openStore({ location, onError: () => undefined });
      for (const id of ['prj_a', 'prj_b'])
        await store.projects.insert({ id, name: id, createdAt: new Date(T0), archivedAt: null });
    });
    after(async () => {
      await store.close();
      await server.stop();
    });

    // Checks: threat-reuse
    void test('finds the newest snapshot of the project with the key, fetched at the given time or later', async () => {
      await store.snapshots.insert(snapshot('dom_old', {}));
      await store.snapshots.insert(snapshot('dom_new', { fetchedAt: new Date(T0 + 1000) }));
      await store.snapshots.insert(snapshot('dom_foreign', { projectId: 'prj_b', fetchedAt: new Date(T0 + 2000) }));
      await store.snapshots.insert(snapshot('dom_own', { reuseKey: null, fetchedAt: new Date(T0 + 3000) }));
      const find = async (projectId: string, key: string, from: number): Promise<string | undefined> =>
        (await store.snapshots.findReusable(projectId, key, new Date(from)))?.domId;
      assert.equal(await find('prj_a', KEY, 0), 'dom_new');
      assert.equal(await find('prj_a', KEY, T0 + 1000), 'dom_new');
      assert.equal(await find('prj_a', KEY, T0 + 1001), undefined);
      assert.equal(await find('prj_b', KEY, 0), 'dom_foreign');
      assert.equal(await find('prj_a', 'b'.repeat(32), 0), undefined);
      await store.snapshots.delete('prj_a', 'dom_new');
      assert.equal(await find('prj_a', KEY, 0), 'dom_old');
    });

    void test('the search for a reusable snapshot uses an index', async (t) => {
      if (!('sqliteFile' in location)) return t.skip('the plan is read from SQLite');
      const database = new DatabaseSync(location.sqliteFile, { readOnly: true });
      const plan = database
        .prepare(
          `explain query plan select * from snapshots where project_id = 'p' and reuse_key = 'k' and fetched_at >= 0
            order by fetched_at desc limit 1`,
        )
        .all() as { detail: string }[];
      database.close();
      assert.deepEqual(
        plan.map(({ detail }) => detail),
        ['SEARCH snapshots USING INDEX snapshots_by_reuse_key (project_id=? AND reuse_key=? AND fetched_at>?)'],
      );
    });
  });
}
