/** Contract of templates and learning for every database. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { NEW_HEALTH } from '../domain/templates/template-ports.ts';
import { makeStoredTemplate, makeTemplateDocument } from '../domain/templates/testing/stored-template.ts';
import { sql } from 'kysely';
import { templateByHand } from './migrations/046-template-by-hand.ts';
import { openStore } from './open-store.ts';
import { withDatabase } from './testing/open-database.ts';
import type { Store } from './open-store.ts';
import { TEST_DATABASES } from './testing/test-databases.ts';
import type { TestServer } from './testing/test-databases.ts';

const T0 = new Date(Date.UTC(2026, 0, 1));
const ID = makeStoredTemplate({}).id;

for (const kind of TEST_DATABASES) {
  describe(`templates on ${kind.name}`, { skip: kind.skip ?? false }, () => {
    let server: TestServer;
    let store: Store;

    before(async () => {
      server = await kind.start();
      store = await openStore({ location: await server.create(), onError: fail });
    });
    after(async () => {
      await store.close();
      await server.stop();
    });

    test('versions are inserted once and found by id and by host', async () => {
      const { siteTemplates } = store;
      const first = makeStoredTemplate({});
      assert.equal(await siteTemplates.insert(first), true);
      assert.equal(await siteTemplates.insert(first), false);
      assert.equal(await siteTemplates.insert(makeStoredTemplate({ version: 2, state: 'candidate' })), true);
      assert.deepEqual(await siteTemplates.find(ID, 1), first);
      assert.equal(await siteTemplates.find(ID, 3), undefined);
      assert.deepEqual(
        (await siteTemplates.listVersions(ID)).map((one) => one.version),
        [2, 1],
      );
      const both = ['a.example.com', '.b.example.com'];
      assert.equal((await siteTemplates.findByHosts(both, ['active', 'candidate'])).length, 2);
      assert.equal((await siteTemplates.findByHosts(['b.example.com'], ['active'])).length, 0);
      assert.deepEqual(await siteTemplates.findByHosts(['.b.example.com'], ['active']), [first]);
      assert.equal((await siteTemplates.list({ limit: 1, state: 'active', domain: 'example.com' })).length, 1);
      assert.deepEqual(
        (await siteTemplates.list({ limit: 5, after: `${ID}:v2` })).map((one) => one.version),
        [1],
      );
    });

    test('versions changed by hand before the column existed are recognised by their note', async () => {
      const location = await server.create();
      const former = await openStore({ location, onError: fail });
      await former.siteTemplates.insert(makeStoredTemplate({ note: 'by hand: activated' }));
      await former.siteTemplates.insert(makeStoredTemplate({ version: 2, state: 'candidate', note: 'handmade' }));
      await former.close();
      await withDatabase(location, async (db) => {
        await sql`alter table templates drop column by_hand`.execute(db);
        await templateByHand.up(db);
      });
      const now = await openStore({ location, onError: fail });
      assert.deepEqual(
        (await now.siteTemplates.listVersions(ID)).map(({ byHand }) => byHand),
        [false, true],
      );
      await now.close();
    });

    test('an unknown cursor is rejected', async () => {
      for (const cursor of [`${ID}:vNaN`, '', 'x', ID, `${ID}:v`, `${ID}:v1:v2`, `${ID}:v99999999999`, '\0:v1'])
        await assert.rejects(
          store.siteTemplates.list({ limit: 5, after: cursor }),
          { code: 'invalid_request' },
          cursor,
        );
    });

    test('a state changes only from the given states, and health adds up', async () => {
      const { siteTemplates } = store;
      const key = { id: ID, version: 1 };
      assert.equal(await siteTemplates.setState(key, ['candidate'], 'retired', 'x'), false);
      assert.equal(await siteTemplates.setState(key, ['active'], 'suspect', 'drifted'), true);
      await siteTemplates.addHealth(key, { served: 3, failed: 1, compared: 2, disagreed: 0, drift: 1.5 });
      await siteTemplates.addHealth(key, { served: 2, failed: 0, compared: 0, disagreed: 0, drift: 0.25 });
      const stored = await siteTemplates.find(ID, 1);
      assert.deepEqual(stored?.health, { served: 5, failed: 1, compared: 2, disagreed: 0, drift: 0.25 });
      await siteTemplates.addHealth(key, { ...NEW_HEALTH, served: 4, drift: 0.25 }, new Date('2001-01-05T23:59:59Z'));
      await siteTemplates.addHealth(
        { id: ID, version: 2 },
        { ...NEW_HEALTH, failed: 2 },
        new Date('2001-01-05T00:00:00Z'),
      );
      const days = await siteTemplates.listServing(ID, new Date('2001-01-05T12:00:00Z'));
      assert.deepEqual(days[0], { day: new Date('2001-01-05T00:00:00Z'), served: 4, failed: 2 });
      assert.deepEqual([days.length, days[1]?.served, days[1]?.failed], [2, 5, 1]);
      await siteTemplates.forgetServingBefore(new Date('2001-01-06T00:00:00Z'));
      assert.equal((await siteTemplates.listServing(ID, new Date(0))).length, 1);
      assert.deepEqual([stored.state, stored.note], ['suspect', 'drifted']);
      await siteTemplates.setState(key, ['suspect'], 'active', 'well');
      assert.equal((await siteTemplates.find(ID, 1))?.health.drift, 0);
    });

    test('concurrent activations leave one active version of a template', async () => {
      const { siteTemplates } = store;
      const id = 'tpl_00000000000000000000000002';
      for (const version of [1, 2, 3])
        await siteTemplates.insert(makeStoredTemplate({ id, version, state: version === 1 ? 'active' : 'candidate' }));
      const states = async () => (await siteTemplates.listVersions(id)).map(({ state }) => state);
      const from = ['candidate', 'suspect', 'retired'] as const;
      for (let round = 0; round < 10; round++) {
        const next = makeStoredTemplate({ id, version: 4 + round, state: 'active' });
        await Promise.all([
          ...[1, 2, 3].map((version) => siteTemplates.activate({ id, version }, from, 'by hand')),
          siteTemplates.insert(next),
        ]);
        assert.equal((await states()).filter((state) => state === 'active').length, 1);
        assert.equal((await states()).filter((state) => state === 'retired').length, 3 + round);
      }
      assert.equal(await siteTemplates.activate({ id, version: 1 }, ['suspect'], 'x'), false);
      await siteTemplates.setState({ id, version: 2 }, ['active'], 'retired', 'x');
      assert.equal(await siteTemplates.activate({ id, version: 2 }, from, 'back', true, 'rolled back'), true);
      const others = (await siteTemplates.listVersions(id)).filter(({ version }) => version !== 2);
      assert(others.every(({ state }) => state === 'retired'));
      assert.equal((await siteTemplates.find(id, 2))?.byHand, true);
      await siteTemplates.setState({ id, version: 2 }, ['active'], 'suspect', 'drifted');
      assert.equal((await siteTemplates.find(id, 2))?.byHand, false);
    });

    test('pages of a host are stored once each, bounded, and forgotten by age; one lease at a time', async () => {
      const { learning } = store;
      const site = { projectId: 'p', host: 'learn.example.com' };
      const note = (url: string, at: number) =>
        learning.notePage({ ...site, url, domId: `dom_${url}`, confidence: 0.5, seenAt: new Date(at) });
      for (let i = 0; i < 45; i++) await note(`u${i}`, T0.getTime() + i);
      assert.deepEqual(await note('u44', T0.getTime() + 44), { pages: 40, nextAttempt: 3 });
      assert.deepEqual(
        (await learning.listPages(site, 2)).map((page) => page.url),
        ['u43', 'u44'],
      );
      const leases = await Promise.all(['a', 'b', 'c'].map((owner) => learning.lease(site, owner, 60_000)));
      assert.equal(leases.filter((one) => one !== undefined).length, 1);
      const holder = ['a', 'b', 'c'][leases.findIndex((one) => one !== undefined)] ?? '';
      await learning.release(site, 'nobody', 1, []);
      assert.equal(await learning.lease(site, 'd', 60_000), undefined);
      await learning.release(site, holder, 100, ['u44', 'u43']);
      assert.deepEqual(await learning.getState(site), { pages: 38, nextAttempt: 100 });
      assert.equal(await learning.lease(site, 'd', 60_000), undefined);
      await learning.forgetBefore(new Date());
      assert.equal(await learning.getState(site), undefined);
    });

    // Checks: threat-foreign-training
    test('each project learns from its own pages', async () => {
      const { learning } = store;
      const host = 'shared.example.com';
      const page = { host, url: 'u', confidence: 0.5, seenAt: T0 };
      await learning.notePage({ ...page, projectId: 'p', domId: 'dom_p' });
      await learning.notePage({ ...page, projectId: 'q', domId: 'dom_q' });
      for (const projectId of ['p', 'q']) {
        const pages = await learning.listPages({ projectId, host }, 5);
        assert.deepEqual(
          pages.map(({ domId }) => domId),
          [`dom_${projectId}`],
        );
        assert.deepEqual(await learning.getState({ projectId, host }), { pages: 1, nextAttempt: 3 });
      }
    });

    // Checks: threat-table-growth
    test('training pages of a project are bounded and never evict those of another project', async () => {
      const small = await openStore({ location: await server.create(), onError: fail, learning: { maxPages: 10 } });
      const note = (projectId: string, index: number) =>
        small.learning.notePage({
          projectId,
          host: `h${index}.example.com`,
          url: 'u',
          domId: 'd',
          confidence: 1,
          seenAt: new Date(T0.getTime() + index),
        });
      await Promise.all(Array.from({ length: 60 }, (_, index) => note('noisy', index)));
      await Promise.all(Array.from({ length: 5 }, (_, index) => note('modest', index)));
      await small.learning.forgetBefore(T0);
      const states = (projectId: string, count: number) =>
        Promise.all(
          Array.from({ length: count }, (_, index) =>
            small.learning.getState({ projectId, host: `h${index}.example.com` }),
          ),
        );
      const kept = (await states('noisy', 60)).flatMap((state, index) => (state === undefined ? [] : [index]));
      assert.deepEqual(
        kept,
        Array.from({ length: 10 }, (_, index) => index + 50),
        'the newest pages stay',
      );
      assert.ok((await states('modest', 5)).every((state) => state !== undefined));
      await small.close();
    });

    // Checks: threat-foreign-training
    test('templates of a project are hidden from others, and shared ones are visible', async () => {
      const { siteTemplates } = store;
      const ids = [
        'tpl_0000000000000000000000000A',
        'tpl_0000000000000000000000000B',
        'tpl_0000000000000000000000000C',
      ];
      const document = makeTemplateDocument({ hosts: ['scope.example.com'] });
      for (const [index, projectId] of ['p', 'q', null].entries())
        await siteTemplates.insert(makeStoredTemplate({ id: ids[index] ?? '', projectId, document }));
      const find = async (projectId?: string) =>
        (await siteTemplates.findByHosts(['scope.example.com'], ['active'], projectId)).map(({ id }) => id).toSorted();
      assert.deepEqual(await find('p'), [ids[0], ids[2]]);
      assert.deepEqual(await find('other'), [ids[2]]);
      assert.deepEqual(await find(), ids);
    });

    test('a page whose URL is too long for a key is skipped, and others of its host are stored', async () => {
      const { learning } = store;
      const host = 'long.example.com';
      const note = (url: string) =>
        learning.notePage({ host, url, projectId: 'p', domId: 'dom_1', confidence: 0.5, seenAt: T0 });
      // Random, because PostgreSQL compresses keys before it measures them.
      const makeUrl = (length: number) =>
        `https://${host}/?q=${randomBytes(length).toString('hex')}`.slice(0, length - host.length);
      const longest = makeUrl(2000);
      const [noted, tooLong] = await Promise.all([note(longest), note(makeUrl(2001)), note(makeUrl(7000))]);
      assert.deepEqual(noted, { pages: 1, nextAttempt: 3 });
      assert.equal(tooLong, undefined);
      assert.deepEqual(
        (await learning.listPages({ projectId: 'p', host }, 5)).map(({ url }) => url),
        [longest],
      );
    });
  });
}

function fail(error: unknown): never {
  assert.fail(String(error));
}
