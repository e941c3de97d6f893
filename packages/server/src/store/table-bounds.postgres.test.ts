/** Bounds of tables for every database. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { makeKey } from '../domain/keys/authenticate.ts';
import { makeStoredTemplate } from '../domain/templates/testing/stored-template.ts';
import { openStore } from './open-store.ts';
import type { Store, StoreOptions } from './open-store.ts';
import { forgetExcessRows } from './table-bounds.ts';
import { withDatabase } from './testing/open-database.ts';
import { TEST_DATABASES } from './testing/test-databases.ts';
import type { TestServer } from './testing/test-databases.ts';

const T0 = new Date(Date.UTC(2026, 0, 1));

for (const kind of TEST_DATABASES) {
  describe(`bounds of tables on ${kind.name}`, { skip: kind.skip ?? false }, () => {
    let server: TestServer;
    let location: StoreOptions['location'];
    let store: Store;

    before(async () => {
      server = await kind.start();
      location = await server.create();
      store = await openStore({ location, onError: fail });
      await store.projects.insert({ id: 'prj_a', name: 'a', createdAt: T0, archivedAt: null });
    });
    after(async () => {
      await store.close();
      await server.stop();
    });

    // Checks: threat-table-growth
    test('one account cannot fill the database with sessions or audit entries, nor evict those of others', async () => {
      const { users, sessions, audit } = store.accounts;
      const dates = { createdAt: T0, disabledAt: null, lastSeenAt: null };
      for (const id of ['busy', 'quiet'])
        await users.insert({ id, email: `${id}@example.com`, role: 'member', passwordHash: 'x', ...dates });
      const signIn = (userId: string, index: number) => {
        const at = new Date(T0.getTime() + index);
        const expiresAt = new Date(T0.getTime() + 10 ** 9);
        const session = { hash: `${userId} ${index}`, userId, createdAt: at, expiresAt, lastSeenAt: at };
        return sessions.insert(session, 'x');
      };
      const note = (actor: string, index: number) =>
        audit.insert({
          id: `${actor} ${index}`,
          at: new Date(T0.getTime() + index),
          actor,
          action: 'key.create',
          projectId: null,
          target: null,
          detail: {},
        });
      for (let index = 0; index < 40; index += 1) await Promise.all([signIn('busy', index), note('busy', index)]);
      for (let index = 0; index < 3; index += 1) await Promise.all([signIn('quiet', index), note('quiet', index)]);
      // Keeps 10 sessions per account, 5,000 entries per actor.
      await withDatabase(location, (db) => forgetExcessRows(db, 1 / 20));
      assert.equal(await sessions.find('busy 29'), undefined);
      assert.ok(await sessions.find('busy 30'), 'the newest rows stay');
      assert.ok(await sessions.find('quiet 0'));
      // Keeps 1 session, 10 entries.
      await withDatabase(location, (db) => forgetExcessRows(db, 1 / 10_000));
      const left = (await audit.list({ limit: 200 })).items.map(({ id }) => id);
      assert.deepEqual(
        left.filter((id) => id.startsWith('busy')),
        Array.from({ length: 10 }, (_, index) => `busy ${39 - index}`),
      );
      assert.equal(left.filter((id) => id.startsWith('quiet')).length, 3);
    });

    // Checks: threat-table-growth
    test('revoked keys of a project are bounded, and keys in use stay', async () => {
      for (let index = 0; index < 8; index += 1) {
        const { key } = makeKey({ projectId: 'prj_a', name: `key ${index}`, kind: 'project' }, T0);
        const revokedAt = index < 2 ? null : T0;
        const createdAt = new Date(T0.getTime() + index);
        await store.keys.insert({ ...key, createdAt, revokedAt }, `hash ${index}`);
      }
      // Keeps 2 revoked keys.
      await withDatabase(location, (db) => forgetExcessRows(db, 1 / 500));
      const left = (await store.keys.list('prj_a')).map(({ name }) => name);
      assert.deepEqual(left, ['key 0', 'key 1', 'key 6', 'key 7']);
    });

    // Checks: threat-table-growth
    test('remembered hosts are bounded, and the newest stay', async () => {
      const hosts = Array.from({ length: 1200 }, (_, index) => ({
        host: `h${index}.example.com`,
        engine: 'http' as const,
        updated_at: Date.now() + index,
      }));
      await withDatabase(location, async (db) => {
        await db.insertInto('host_memory').values(hosts).execute();
        // Keeps 50 hosts.
        await forgetExcessRows(db, 1 / 10_000);
      });
      assert.equal(await store.hostMemory.recall('h1149.example.com'), undefined);
      assert.equal(await store.hostMemory.recall('h1150.example.com'), 'http');
    });

    // Checks: threat-table-growth
    test('notes of pages of a project are bounded, the newest stay, and those of others too', async () => {
      const notes = { version: 1, texts: [], paths: [] } as const;
      const add = (projectId: string, index: number) =>
        store.siteNotes.add({
          projectId,
          host: `h${index}.example.com`,
          shape: '/',
          id: `${projectId} ${index}`,
          notes,
          seenAt: new Date(T0.getTime() + index),
        });
      await Promise.all(Array.from({ length: 30 }, (_, index) => add('busy', index)));
      await Promise.all(Array.from({ length: 3 }, (_, index) => add('quiet', index)));
      // Keeps 10 pages.
      await withDatabase(location, (db) => forgetExcessRows(db, 1 / 1000));
      const hostsOf = async (projectId: string) =>
        (await store.siteNotes.listPlaces({ projectId, limit: 100 })).map(({ host }) => host);
      assert.deepEqual(
        await hostsOf('busy'),
        Array.from({ length: 10 }, (_, index) => `h${29 - index}.example.com`),
      );
      assert.equal((await hostsOf('quiet')).length, 3);
    });

    // Checks: threat-invalid-text
    test('external texts with U+0000 and lone surrogates are stored in a form that every database can hold', async () => {
      const hostile = 'http://a.example/\0\uD800';
      const readable = 'http://a.example/\uFFFD\uFFFD';
      await store.snapshots.insert({
        domId: 'dom_1',
        projectId: 'prj_a',
        hash: 'ab'.repeat(32),
        bytes: 1,
        storedBytes: 1,
        url: hostile,
        finalUrl: hostile,
        statusCode: 200,
        engine: 'http',
        fetchedAt: T0,
        contentType: hostile,
        contentLanguage: hostile,
        title: hostile,
        filtered: false,
      });
      const row = await store.snapshots.find('prj_a', 'dom_1');
      assert.deepEqual(
        [row?.url, row?.finalUrl, row?.contentType, row?.contentLanguage, row?.title],
        Array.from({ length: 5 }, () => readable),
      );
      const key = { id: 'tpl_00000000000000000000000099', version: 1 };
      await store.siteTemplates.insert(makeStoredTemplate({ ...key, note: hostile }));
      await store.siteTemplates.setState(key, ['active'], 'retired', hostile);
      assert.equal((await store.siteTemplates.find(key.id, 1))?.note, readable);
      const batch = {
        id: 'bat_1',
        projectId: 'prj_a',
        idempotencyKey: null,
        fingerprint: 'x',
        options: { formats: [], respectRobots: true },
        webhook: null,
        createdAt: T0,
        items: [{ kind: 'url', value: 'http://a.example/' }],
      } as const;
      await store.batches.create(batch);
      const [item] = await store.batchQueue.claim({ owner: 'n', until: T0 }, 1);
      assert.ok(item);
      assert.equal(await store.batchQueue.finish(item, 'n', { failed: false, line: hostile }), true);
    });
  });
}

function fail(error: unknown): never {
  assert.fail(String(error));
}
