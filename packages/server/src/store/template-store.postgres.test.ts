/** Contract of templates and notes of pages for every database. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { PageNotes } from '@winnow/extract/matching';
import { NEW_HEALTH, type TaughtExample } from '../domain/templates/template-ports.ts';
import { makeStoredTemplate, makeTemplateDocument } from '../domain/templates/testing/stored-template.ts';
import { openStore } from './open-store.ts';
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

    test('marks of a page replace its earlier ones, and sites have at most 50 marked pages', async () => {
      const { siteExamples } = store;
      const example = (page: number, host = 'a.example.com'): TaughtExample => ({
        projectId: 'p',
        host,
        shape: '/{slug}',
        domId: `dom_${page}`,
        url: `https://${host}/page-${page}`,
        marks: [
          ['b1', true],
          ['b2', false],
        ],
        page: { version: 1, paths: [[7, 0.5]] },
        changedAt: new Date(T0.getTime() + page),
      });
      for (let page = 1; page <= 50; page++) assert.equal(await siteExamples.put(example(page)), true);
      assert.equal(await siteExamples.put(example(51)), false);
      assert.equal(await siteExamples.put(example(51, 'b.example.com')), true);
      const changed = { ...example(3), marks: [['b1', false] as const], changedAt: new Date(T0.getTime() + 99) };
      assert.equal(await siteExamples.put(changed), true);
      assert.deepEqual(await siteExamples.find('p', 'a.example.com', 'dom_3'), changed);
      const listed = await siteExamples.list('p', 'a.example.com');
      assert.deepEqual(listed, [example(1), example(2), changed, ...listed.slice(3)]);
      assert.equal(listed.length, 50);
      assert.deepEqual(await siteExamples.list('other', 'a.example.com'), []);
      assert.equal(await siteExamples.delete('p', 'a.example.com', 'dom_3'), true);
      assert.equal(await siteExamples.delete('p', 'a.example.com', 'dom_3'), false);
      assert.equal(await siteExamples.find('p', 'a.example.com', 'dom_3'), undefined);
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
      assert.equal(await siteTemplates.setState(key, ['active'], 'retired', 'wrong'), true);
      const filled = { pages: 5, fields: { title: 4 }, usual: ['title'] };
      await siteTemplates.addHealth(key, { served: 3, failed: 1, drift: 1.5, filled: { ...filled, pages: 3 } });
      await siteTemplates.addHealth(key, { served: 2, failed: 0, drift: 0.25, filled });
      const stored = await siteTemplates.find(ID, 1);
      assert.deepEqual(stored?.health, { served: 5, failed: 1, drift: 0.25, filled });
      const old = new Date('2001-01-05T23:59:59Z');
      await siteTemplates.addHealth(key, { ...NEW_HEALTH, served: 4, drift: 0.25 }, old);
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
      assert.deepEqual([stored.state, stored.note], ['retired', 'wrong']);
      await siteTemplates.setState(key, ['retired'], 'active', 'well');
      assert.equal((await siteTemplates.find(ID, 1))?.health.drift, 0);
    });

    test('concurrent activations leave one active version of a template', async () => {
      const { siteTemplates } = store;
      const id = 'tpl_00000000000000000000000002';
      for (const version of [1, 2, 3])
        await siteTemplates.insert(makeStoredTemplate({ id, version, state: version === 1 ? 'active' : 'candidate' }));
      const states = async () => (await siteTemplates.listVersions(id)).map(({ state }) => state);
      const from = ['candidate', 'retired'] as const;
      for (let round = 0; round < 10; round++) {
        const next = makeStoredTemplate({ id, version: 4 + round, state: 'active' });
        await Promise.all([
          ...[1, 2, 3].map((version) => siteTemplates.activate({ id, version }, from, 'by hand')),
          siteTemplates.insert(next),
        ]);
        assert.equal((await states()).filter((state) => state === 'active').length, 1);
        assert.equal((await states()).filter((state) => state === 'retired').length, 3 + round);
      }
      assert.equal(await siteTemplates.activate({ id, version: 1 }, ['candidate'], 'x'), false);
      await siteTemplates.setState({ id, version: 2 }, ['active'], 'retired', 'x');
      assert.equal(await siteTemplates.activate({ id, version: 2 }, from, 'back', 'rolled back'), true);
      const others = (await siteTemplates.listVersions(id)).filter(({ version }) => version !== 2);
      assert(others.every(({ state }) => state === 'retired'));
    });

    const notesOf = (text: number): PageNotes => ({ version: 1, texts: [text], paths: [[text, 0.5]] });
    const PLACE = { projectId: 'p', host: 'notes.example.com', shape: '/news/{slug}' };

    test('the newest pages of a place are kept, once each, numbered in order, and forgotten by age', async () => {
      const { siteNotes: notes } = store;
      const add = (page: number, at = T0.getTime() + page) =>
        notes.add({ ...PLACE, id: `page ${page}`, notes: notesOf(page), seenAt: new Date(at) });
      for (let page = 0; page < 25; page++) await add(page);
      const read = await notes.read(PLACE, 'page 24');
      assert.deepEqual(
        read.notes,
        Array.from({ length: 19 }, (_, index) => JSON.stringify(notesOf(index + 5))),
      );
      assert.deepEqual([read.version, read.ids.size, read.ids.has('page 24')], [24, 19, false]);
      assert.equal(await notes.count(PLACE, 'page 24'), 19);
      assert.equal(await notes.count(PLACE, 'page 0'), 20);
      await add(10);
      const again = await notes.read(PLACE, '');
      assert.deepEqual([again.version, again.notes.at(-1), again.notes.length], [26, JSON.stringify(notesOf(10)), 20]);
      assert.equal(await notes.count({ ...PLACE, shape: '/{text}' }, ''), 0);
      await notes.forgetBefore(new Date(T0.getTime() + 20));
      assert.equal(await notes.count(PLACE, ''), 5);
    });

    test('concurrent pages of one place are stored once each', async () => {
      const place = { ...PLACE, host: 'rush.example.com' };
      const add = (page: number) =>
        store.siteNotes.add({ ...place, id: `rush ${page % 10}`, notes: notesOf(page), seenAt: T0 });
      await Promise.all(Array.from({ length: 100 }, (_, page) => add(page)));
      assert.equal(await store.siteNotes.count(place, ''), 10);
    });

    // Checks: threat-table-growth
    test('the pages of a host are bounded over all its shapes', async () => {
      const place = { ...PLACE, host: 'shapes.example.com' };
      await Promise.all(
        Array.from({ length: 430 }, (_, page) =>
          store.siteNotes.add({
            ...place,
            shape: `/${page}/{slug}`,
            id: `shape ${page}`,
            notes: notesOf(page),
            seenAt: new Date(T0.getTime() + page),
          }),
        ),
      );
      const places = await store.siteNotes.listPlaces({ projectId: 'p', domain: 'shapes.example.com', limit: 1000 });
      assert.equal(places.length, 400);
      assert.equal(places[0]?.shape, '/429/{slug}');
      const host = { ...place, shape: null };
      assert.equal(await store.siteNotes.count(host, 'shape 429'), 399);
      const read = await store.siteNotes.read(host, 'shape 429');
      assert.deepEqual(
        read.notes,
        Array.from({ length: 20 }, (_, index) => JSON.stringify(notesOf(index + 409))),
      );
      assert.deepEqual([read.version, read.ids.size, read.ids.has('shape 428')], [399, 20, true]);
    });

    // Checks: threat-foreign-training
    test('each project has its own notes, listed by site', async () => {
      const { siteNotes: notes } = store;
      const hosts = ['list.example.org', 'www.list.example.org:8080', 'notlist.example.org', 'list_example.org'];
      for (const [index, host] of hosts.entries())
        for (const projectId of ['q', 'r'])
          await notes.add({
            projectId,
            host,
            shape: '/\0',
            id: `${projectId} ${host}`,
            notes: notesOf(1),
            seenAt: new Date(T0.getTime() + index),
          });
      const listed = await notes.listPlaces({ projectId: 'q', domain: 'list.example.org', limit: 10 });
      assert.deepEqual(
        listed.map(({ host, pages, version }) => [host, pages, version]),
        [
          [hosts[1], 1, 1],
          [hosts[0], 1, 1],
        ],
      );
      assert.deepEqual([listed[0]?.projectId, listed[0]?.seenAt.getTime()], ['q', T0.getTime() + 1]);
      assert.equal((await notes.listPlaces({ projectId: 'q', limit: 3 })).length, 3);
      assert.equal((await notes.read({ projectId: 's', host: hosts[0]!, shape: '/\0' }, '')).notes.length, 0);
      assert.equal((await notes.read({ projectId: 'r', host: hosts[0]!, shape: '/\0' }, '')).notes.length, 1);
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
  });
}

function fail(error: unknown): never {
  assert.fail(String(error));
}
