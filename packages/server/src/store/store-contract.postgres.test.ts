/** Contract of every database, run on SQLite and, if available, on PostgreSQL. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { COMMAND_LINE } from '../domain/accounts/audit.ts';
import { isActiveAdmin, updateMember } from '../domain/accounts/members.ts';
import type { MemberChanges } from '../domain/accounts/members.ts';
import { updateProject } from '../domain/accounts/projects.ts';
import type { ApiKey } from '../domain/keys/key-ports.ts';
import { AppError } from '../domain/shared/errors.ts';
import { openStore } from './open-store.ts';
import type { Store, StoreOptions } from './open-store.ts';
import { makeSnapshotRow } from './testing/make-snapshot-row.ts';
import { TEST_DATABASES } from './testing/test-databases.ts';
import type { TestServer } from './testing/test-databases.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const T0 = Date.UTC(2026, 0, 1);

for (const kind of TEST_DATABASES) {
  describe(`store on ${kind.name}`, { skip: kind.skip ?? false }, () => {
    let server: TestServer;
    let location: StoreOptions['location'];
    let store: Store;
    let clock = T0;

    const open = (): Promise<Store> => openStore({ location, onError: failOnError, hostMemory: { now: () => clock } });

    before(async () => {
      server = await kind.start();
      location = await server.create();
      store = await open();
      for (const id of ['prj_a', 'prj_b']) {
        await store.projects.insert({ id, name: `Project ${id}`, createdAt: new Date(T0), archivedAt: null });
      }
    });
    after(async () => {
      await store.close();
      await server.stop();
    });

    const addAdmin = async (id: string): Promise<void> => {
      const dates = { createdAt: new Date(T0), disabledAt: null, lastSeenAt: null };
      await store.accounts.users.insert({ id, email: `${id}@example.com`, role: 'admin', passwordHash: 'x', ...dates });
    };

    test('answers a check, and keeps its content when reopened', async () => {
      await store.check();
      await store.close();
      store = await open();
      assert.equal((await store.projects.find('prj_a'))?.name, 'Project prj_a');
    });

    test('two processes that open a new database concurrently both find their tables', async () => {
      const options = { location: await server.create(), onError: failOnError };
      const both = await Promise.all([openStore(options), openStore(options)]);
      for (const one of both) assert.deepEqual(await one.projects.list(), []);
      for (const one of both) await one.close();
    });

    test('concurrent demotions never remove the last administrator', async () => {
      const { users } = store.accounts;
      const ids = ['usr_one', 'usr_two'];
      for (const id of ids) await addAdmin(id);
      for (let round = 0; round < 20; round += 1) {
        for (const id of ids) await users.update(id, { role: 'admin' });
        const taken = await Promise.all(ids.map((id) => users.updateUnlessLastAdmin(id, { role: 'member' })));
        assert.equal(taken.filter(Boolean).length, 1);
        const roles = (await users.list()).map(({ role }) => role);
        assert.deepEqual(roles.toSorted(), ['admin', 'member']);
      }
    });

    test('concurrent changes of different attributes of a member are all kept', async () => {
      const { accounts } = store;
      for (const id of ['usr_boss', 'usr_busy']) await addAdmin(id);
      for (let round = 0; round < 40; round += 1) {
        await accounts.users.update('usr_busy', { role: 'admin', disabledAt: null });
        await accounts.users.setProjectIds('usr_busy', []);
        const changes = [{ disabled: true }, { role: 'member' }, { projectIds: ['prj_a'] }, { projectIds: ['prj_a'] }];
        await Promise.all(
          (changes as MemberChanges[]).map((one) => updateMember(accounts, COMMAND_LINE, 'usr_busy', one)),
        );
        const user = await accounts.users.find('usr_busy');
        assert.equal(user?.role, 'member');
        assert.ok(user.disabledAt);
        assert.deepEqual(await accounts.users.listProjectIds('usr_busy'), ['prj_a']);
      }
    });

    test('concurrent disabling of administrators never removes the last one', async () => {
      const { users } = store.accounts;
      for (const id of ['usr_old', 'usr_new']) await addAdmin(id);
      for (const { id } of await users.list()) if (id !== 'usr_old') await users.update(id, { role: 'member' });
      for (let round = 0; round < 40; round += 1) {
        await users.update('usr_old', { role: 'admin' });
        await users.update('usr_new', { role: 'member', disabledAt: null });
        const change = (id: string, changes: MemberChanges) => updateMember(store.accounts, COMMAND_LINE, id, changes);
        await Promise.allSettled([
          change('usr_new', { role: 'admin' }),
          change('usr_new', { disabled: true }),
          change('usr_old', { role: 'member' }),
        ]);
        assert.ok((await users.list()).some(isActiveAdmin));
      }
    });

    test('no session starts or continues after a password change or for a disabled user', async () => {
      const { users, sessions } = store.accounts;
      await addAdmin('usr_renewed');
      const begin = (hash: string, passwordHash: string): Promise<boolean> => {
        const [createdAt, expiresAt] = [new Date(T0), new Date(T0 + DAY_MS)];
        const session = { hash, userId: 'usr_renewed', createdAt, expiresAt, lastSeenAt: createdAt };
        return sessions.insert(session, passwordHash);
      };
      assert.equal(await users.setPassword('usr_renewed', 'p0'), true);
      assert.equal(await users.setPassword('usr_renewed', 'p1', 'x'), false);
      assert.equal(await begin('refused', 'p1'), false);
      for (let round = 0; round < 40; round += 1) {
        const old = `p${round}`;
        const hashes = Array.from({ length: 4 }, (_, index) => `session-${round}-${index}`);
        const [isSet] = await Promise.all([
          users.setPassword('usr_renewed', `p${round + 1}`, old),
          ...hashes.map((hash) => begin(hash, old)),
        ]);
        assert.equal(isSet, true);
        for (const hash of hashes) assert.equal(await sessions.find(hash), undefined);
      }
      assert.equal(await begin('taken', 'p40'), true);
      assert.deepEqual((await sessions.find('taken'))?.expiresAt, new Date(T0 + DAY_MS));
      await users.update('usr_renewed', { disabledAt: new Date(T0) });
      assert.equal(await begin('disabled', 'p40'), false);
    });

    test('text with U+0000 finds nothing, or is rejected with a clear error', async () => {
      const found = await store.projects.find('prj\0a').catch((error: unknown) => {
        assert.ok(error instanceof AppError && error.code === 'invalid_request', String(error));
        return undefined;
      });
      assert.equal(found, undefined);
    });

    test('projects are listed by age, absent ones are undefined, and archiving stays', async () => {
      assert.deepEqual(
        (await store.projects.list()).map((project) => project.id),
        ['prj_a', 'prj_b'],
      );
      assert.equal(await store.projects.find('prj_none'), undefined);
      assert.equal(await store.projects.update('prj_b', { archivedAt: new Date(T0 + 1) }), true);
      assert.deepEqual((await store.projects.find('prj_b'))?.archivedAt, new Date(T0 + 1));
      assert.equal(await store.projects.update('prj_none', { archivedAt: new Date() }), false);
    });

    test('a project renamed during its archival is archived', async () => {
      const deps = { ...store.accounts, projects: store.projects, keys: store.keys };
      await store.projects.insert({ id: 'prj_busy', name: 'old', createdAt: new Date(T0), archivedAt: null });
      await addAdmin('usr_keeper');
      const keeper = await store.accounts.users.find('usr_keeper');
      assert.ok(keeper);
      for (let round = 0; round < 40; round += 1) {
        await updateProject(deps, keeper, 'prj_busy', { name: 'old', archived: false });
        const changes = [{ archived: true }, { name: 'new' }, {}];
        await Promise.all(changes.map((one) => updateProject(deps, keeper, 'prj_busy', one)));
        const project = await store.projects.find('prj_busy');
        assert.equal(project?.name, 'new');
        assert.ok(project.archivedAt);
      }
    });

    test('keys are found by hash, listed by project and revoked once, and hashes are unique', async () => {
      const one = key('key_1', 'prj_a', { expiresAt: new Date(T0 + DAY_MS), quotaPerMinute: 60 });
      const two = key('key_2', 'prj_b', { kind: 'key_only' });
      await store.keys.insert(one, 'hash-1');
      await store.keys.insert(two, 'hash-2');
      const archivedAt = (await store.projects.find('prj_b'))?.archivedAt;
      assert.ok(archivedAt);
      const found = async (hash: string) => (await store.keys.findByHash(hash))?.projectArchivedAt;
      assert.deepEqual([await found('hash-1'), await found('hash-2')], [null, archivedAt]);
      assert.deepEqual(await store.keys.findByHash('hash-1'), { ...one, hash: 'hash-1', projectArchivedAt: null });
      assert.equal(await store.keys.findByHash('hash-3'), undefined);
      assert.deepEqual(await store.keys.list('prj_b'), [two]);
      assert.deepEqual(await store.keys.list(), [one, two]);
      await assert.rejects(store.keys.insert(key('key_3', 'prj_a', {}), 'hash-1'));
      await assert.rejects(store.keys.insert(key('key_3', 'prj_none', {}), 'hash-3'), 'a key requires its project');
      assert.equal(await store.keys.revoke('key_2', new Date(T0 + 5)), true);
      assert.equal(await store.keys.revoke('key_2', new Date(T0 + 6)), true);
      assert.deepEqual((await store.keys.findByHash('hash-2'))?.revokedAt, new Date(T0 + 5));
      assert.equal(await store.keys.revoke('key_none', new Date()), false);
    });

    test('the last use of a key is visible at once, written by close at the latest, and never decreases', async () => {
      await store.keys.recordUse('key_1', new Date(T0 + 2000));
      await store.keys.recordUse('key_1', new Date(T0 + 1000));
      assert.deepEqual((await store.keys.findByHash('hash-1'))?.lastUsedAt, new Date(T0 + 2000));
      await store.close();
      store = await open();
      assert.deepEqual((await store.keys.findByHash('hash-1'))?.lastUsedAt, new Date(T0 + 2000));
      await store.keys.recordUse('key_1', new Date(T0 + 500));
      await store.close();
      store = await open();
      assert.deepEqual((await store.keys.findByHash('hash-1'))?.lastUsedAt, new Date(T0 + 2000));
    });

    test('a snapshot is read back unchanged, and only by its own project', async () => {
      const row = makeSnapshotRow('dom_whole', {
        filtered: true,
        contentType: 'text/html',
        contentLanguage: 'de',
        title: 'Das Tor',
      });
      await store.snapshots.insert(row);
      assert.deepEqual(await store.snapshots.find('prj_a', 'dom_whole'), row);
      assert.equal(await store.snapshots.find('prj_b', 'dom_whole'), undefined);
      assert.equal(await store.snapshots.delete('prj_b', 'dom_whole'), false);
      assert.equal(await store.snapshots.delete('prj_a', 'dom_whole'), true);
      assert.equal(await store.snapshots.find('prj_a', 'dom_whole'), undefined);
    });

    test('concurrent inserts of snapshots are written together, and an invalid one fails alone', async () => {
      const rows = Array.from({ length: 250 }, (_, index) => makeSnapshotRow(`dom_many_${index}`, {}));
      rows[120] = makeSnapshotRow('dom_bad', { projectId: 'prj_none' });
      const outcomes = await Promise.allSettled(rows.map((row) => store.snapshots.insert(row)));
      const failed = outcomes.flatMap((outcome, index) => (outcome.status === 'rejected' ? [index] : []));
      assert.deepEqual(failed, [120]);
      assert.ok(await store.snapshots.find('prj_a', 'dom_many_249'));
      assert.equal((await store.snapshots.removeOldest(1000)).length, 249);
    });

    test('pages of snapshots contain each row once, newest first, even with equal times', async () => {
      for (let index = 0; index < 11; index += 1) {
        const fetchedAt = new Date(T0 + Math.floor(index / 3) * 1000);
        await store.snapshots.insert(makeSnapshotRow(`dom_page_${String(index).padStart(2, '0')}`, { fetchedAt }));
      }
      await store.snapshots.insert(makeSnapshotRow('dom_foreign', { projectId: 'prj_b' }));
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const page = await store.snapshots.list('prj_a', {}, { limit: 4, ...(cursor === null ? {} : { cursor }) });
        seen.push(...page.items.map((row) => row.domId));
        cursor = page.nextCursor;
      } while (cursor !== null);
      const expected = Array.from({ length: 11 }, (_, index) => `dom_page_${String(10 - index).padStart(2, '0')}`);
      assert.deepEqual(seen, expected);
      await assert.rejects(store.snapshots.list('prj_a', {}, { cursor: 'nonsense' }), (error) => {
        return error instanceof AppError && error.code === 'invalid_request' && /cursor/.test(error.message);
      });
      await store.snapshots.removeOldest(1000);
    });

    test('filters of snapshots narrow the list, alone and combined', async () => {
      await store.snapshots.insert(
        makeSnapshotRow('dom_f1', {
          finalUrl: 'https://Shop.example/a_b',
          engine: 'stable',
          fetchedAt: new Date(T0 + 1),
        }),
      );
      await store.snapshots.insert(
        makeSnapshotRow('dom_f2', {
          url: 'https://short.example/AxB/Übersicht',
          statusCode: 404,
          fetchedAt: new Date(T0 + 2),
        }),
      );
      await store.snapshots.insert(makeSnapshotRow('dom_f3', { fetchedAt: new Date(T0 + 3) }));
      const list = async (filter: Parameters<typeof store.snapshots.list>[1]): Promise<string[]> =>
        (await store.snapshots.list('prj_a', filter)).items.map((row) => row.domId);
      assert.deepEqual(await list({ host: 'shop.example' }), ['dom_f1']);
      assert.deepEqual(await list({ engine: 'stable' }), ['dom_f1']);
      assert.deepEqual(await list({ statusCode: 404 }), ['dom_f2']);
      assert.deepEqual(await list({ urlContains: 'a_b' }), ['dom_f1'], 'an underscore is no wildcard');
      assert.deepEqual(await list({ urlContains: 'axb' }), ['dom_f2']);
      assert.deepEqual(await list({ urlContains: '/Über' }), ['dom_f2'], 'a non-ASCII letter matches itself');
      assert.deepEqual(await list({ fetchedFrom: new Date(T0 + 2), fetchedTo: new Date(T0 + 3) }), ['dom_f2']);
      assert.deepEqual(await list({ host: 'shop.example', statusCode: 404 }), []);
      const atPort = { finalUrl: 'http://[::1]:8080/x', fetchedAt: new Date(T0 + 4) };
      await store.snapshots.insert(makeSnapshotRow('dom_f4', atPort));
      const hosts = ['[::1]', '[::1]:8080', '[::1]:80', 'shop.example:8080'];
      assert.deepEqual(await Promise.all(hosts.map((host) => list({ host }))), [['dom_f4'], ['dom_f4'], [], []]);
      await store.snapshots.removeOldest(1000);
    });

    // Checks: threat-expensive-reads
    test('a search over many snapshots lets other statements run and finds all matches', async () => {
      const url = `https://long.example/${'a'.repeat(2000)}`;
      await Promise.all(
        Array.from({ length: 1000 }, (_, index) =>
          store.snapshots.insert(
            makeSnapshotRow(`dom_s${index}`, { url: `${url}${index}`, finalUrl: url, fetchedAt: new Date(T0 + index) }),
          ),
        ),
      );
      let turns = 0;
      let isOver = false;
      const count = (): void => {
        turns += 1;
        if (!isOver) setImmediate(count);
      };
      setImmediate(count);
      const findAll = async (urlContains: string): Promise<string[]> => {
        const found: string[] = [];
        // A page may be shorter after a time-out; the cursor continues.
        for (let cursor: string | null | undefined; cursor !== null;) {
          const page = { limit: 100, ...(cursor === undefined ? {} : { cursor }) };
          const { items, nextCursor }: Awaited<ReturnType<typeof store.snapshots.list>> = await store.snapshots.list(
            'prj_a',
            { urlContains },
            page,
          );
          found.push(...items.map(({ domId }) => domId));
          cursor = nextCursor;
        }
        return found;
      };
      assert.deepEqual(await findAll(`${'a'.repeat(499)}b`), []);
      isOver = true;
      assert(turns > 20, `others had ${turns} turns`);
      const expected = Array.from({ length: 1000 }, (_, index) => 999 - index).filter((index) =>
        `${index}`.startsWith('7'),
      );
      assert.deepEqual(
        await findAll('A7'),
        expected.map((index) => `dom_s${index}`),
      );
      while ((await store.snapshots.removeOldest(1000)).length > 0);
    });

    test('the oldest snapshots are deleted first, and references and sizes are updated', async () => {
      const shared = 'ab'.repeat(32);
      const own = 'cd'.repeat(32);
      await store.snapshots.insert(
        makeSnapshotRow('dom_r1', { hash: shared, storedBytes: 100, fetchedAt: new Date(T0) }),
      );
      await store.snapshots.insert(
        makeSnapshotRow('dom_r2', { hash: own, storedBytes: 30, fetchedAt: new Date(T0 + 1) }),
      );
      await store.snapshots.insert(
        makeSnapshotRow('dom_r3', { hash: shared, storedBytes: 100, fetchedAt: new Date(T0 + 2) }),
      );
      const rowBytes = (await store.usage.find('prj_a')).snapshotBytes - 130;
      assert.equal(await store.snapshots.totalStoredBytes(), 130 + rowBytes);
      assert.deepEqual(await store.snapshots.removeOldest(10, { fetchedBefore: new Date(T0) }), []);
      assert.deepEqual(await store.snapshots.removeOldest(1), [
        { domId: 'dom_r1', hash: shared, storedBytes: 100, rowBytes: rowBytes / 3, attachmentHashes: [] },
      ]);
      assert.deepEqual(await store.snapshots.findUnreferenced([shared, own]), []);
      await store.snapshots.removeOldest(10, { fetchedBefore: new Date(T0 + 2) });
      assert.deepEqual(await store.snapshots.findUnreferenced([shared, own, own]), [own]);
      assert.deepEqual(await store.snapshots.findUnreferenced([]), []);
      await store.snapshots.removeOldest(10);
      assert.equal(await store.snapshots.totalStoredBytes(), 0);
    });

    test('host memory keeps the last engine regardless of letter case until it expires', async () => {
      await store.hostMemory.remember('News.example', 'stable');
      assert.equal(await store.hostMemory.recall('news.example'), 'stable');
      await store.hostMemory.remember('news.example', 'http');
      assert.equal(await store.hostMemory.recall('news.example'), 'http');
      clock += 5 * DAY_MS;
      await store.hostMemory.remember('news.example', 'http');
      clock += 5 * DAY_MS;
      assert.equal(await store.hostMemory.recall('news.example'), 'http', 'seen again, so kept longer');
      clock += 5 * DAY_MS;
      assert.equal(await store.hostMemory.recall('news.example'), undefined);
      await store.tidy();
      clock -= 14 * DAY_MS;
      assert.equal(await store.hostMemory.recall('news.example'), undefined, 'tidied away');
    });

    test('for a host that needs a browser, one of many callers retries plain HTTP each hour', async () => {
      const HOUR_MS = DAY_MS / 24;
      await store.hostMemory.remember('slow.example', 'stable');
      await store.hostMemory.remember('plain.example', 'http');
      assert.equal(await store.hostMemory.claimProbation('slow.example'), false);
      clock += HOUR_MS;
      const claims = await Promise.all([1, 2, 3].map(() => store.hostMemory.claimProbation('Slow.example')));
      assert.equal(claims.filter(Boolean).length, 1);
      assert.equal(await store.hostMemory.recall('slow.example'), 'stable', 'an attempt alone forgets nothing');
      assert.equal(await store.hostMemory.claimProbation('plain.example'), false);
      assert.equal(await store.hostMemory.claimProbation('unknown.example'), false);
      clock += HOUR_MS;
      await store.hostMemory.remember('slow.example', 'http');
      assert.equal(await store.hostMemory.recall('slow.example'), 'http');
      assert.equal(await store.hostMemory.claimProbation('slow.example'), false);
      clock -= 2 * HOUR_MS;
    });

    test('a setting is set by one of many', async () => {
      assert.equal(await store.settings.get('first_start'), undefined);
      const values = ['a', 'b', 'c', 'd', 'e'];
      const claims = await Promise.all(values.map((value) => store.settings.claim('first_start', value)));
      assert.equal(claims.filter(Boolean).length, 1);
      assert.equal(await store.settings.claim('first_start', 'f'), false);
      assert.equal(await store.settings.get('first_start'), values[claims.indexOf(true)]);
    });
  });
}

function key(id: string, projectId: string, rest: Partial<ApiKey>): ApiKey {
  return {
    id,
    projectId,
    name: 'test',
    kind: 'project',
    prefix: 'wk_abcdef',
    quotaPerMinute: null,
    createdAt: new Date(T0),
    expiresAt: null,
    revokedAt: null,
    lastUsedAt: null,
    scope: null,
    ...rest,
  };
}

function failOnError(error: unknown): never {
  throw error;
}
