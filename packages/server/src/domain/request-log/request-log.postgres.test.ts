import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openStore } from '../../store/open-store.ts';
import type { Store } from '../../store/open-store.ts';
import { TEST_DATABASES } from '../../store/testing/test-databases.ts';
import type { TestServer } from '../../store/testing/test-databases.ts';
import type { DetailedRequest } from './ports.ts';
import { RequestLogRecorder } from './request-log-recorder.ts';

const NOW = new Date('2026-03-01T12:00:00Z');

for (const kind of TEST_DATABASES) {
  describe(`request log on ${kind.name}`, { skip: kind.skip ?? false }, () => {
    let server: TestServer;
    let store: Store;
    before(async () => {
      server = await kind.start();
      store = await openStore({ location: await server.create(), onError: (error) => assert.fail(String(error)) });
      for (const id of ['prj_a', 'prj_b', 'prj_c'])
        await store.projects.insert({ id, name: id, createdAt: NOW, archivedAt: null });
    });
    after(async () => {
      await store.close();
      await server.stop();
    });

    function openRecorder(maxRows = 1000, maxBytes = 1e9) {
      let dropped = 0;
      const recorder = new RequestLogRecorder({
        requests: store.requests,
        projects: store.projects,
        maxAgeMs: 3_600_000,
        maxRows,
        maxBytes,
        onError: (error) => assert.fail(String(error)),
        onDropped: (count) => (dropped += count),
        now: () => NOW,
      });
      return { recorder, readDropped: () => dropped };
    }

    test('every filter narrows the list, and pages have no gaps or duplicates', async () => {
      const { recorder } = openRecorder();
      for (let index = 0; index < 7; index += 1) {
        recorder.record(logged(index, { projectId: 'prj_a', url: `https://site-${index % 2}.example/${index}` }));
      }
      recorder.record(
        logged(7, { projectId: 'prj_a', code: 'fetch_timeout', stage: 'fetch', keyId: 'key_2', engine: 'stable' }),
      );
      recorder.record(logged(8, { projectId: 'prj_b', url: 'http://Site-0.example:8080' }));
      recorder.record(
        logged(9, { projectId: 'prj_a', warnings: ['paywall', 'partial'], confidence: 0.5, domId: 'dom_9' }),
      );
      await recorder.flush();

      const read = async (filter: Parameters<Store['requests']['list']>[1]) =>
        (await store.requests.list('prj_a', filter)).items.map(({ id }) => Number(id.slice(4)));
      assert.deepEqual(await read({}), [9, 7, 6, 5, 4, 3, 2, 1, 0]);
      assert.deepEqual(await read({ outcome: 'failed' }), [7]);
      assert.deepEqual(await read({ outcome: 'doubtful' }), [9]);
      assert.deepEqual(await read({ warning: 'partial' }), [9]);
      assert.deepEqual(await read({ warning: 'soft_404' }), []);
      assert.deepEqual(await read({ code: 'fetch_timeout' }), [7]);
      assert.deepEqual(await read({ keyId: 'key_2' }), [7]);
      assert.deepEqual(await read({ host: 'SITE-1.example', outcome: 'succeeded' }), [5, 3, 1]);
      const hosts = async (host: string): Promise<number> =>
        (await store.requests.list('prj_b', { host })).items.length;
      assert.deepEqual(
        await Promise.all(['site-0.example', 'site-0.example:8080', 'site-0.example:80'].map(hosts)),
        [1, 1, 0],
      );
      assert.deepEqual(await read({ maxConfidence: 0.5 }), [9]);
      assert.deepEqual(await read({ maxConfidence: 0.4 }), []);
      assert.deepEqual(await read({ engine: 'stable' }), [7]);
      assert.deepEqual(await read({ domId: 'dom_9' }), [9]);
      assert.deepEqual(await read({ endpoint: '/v1/dom/dump' }), []);
      assert.deepEqual(await read({ source: 'console' }), []);
      assert.deepEqual(await read({ requestId: 'req_4' }), [4]);
      assert.deepEqual(await read({ from: at(2), to: at(4) }), [3, 2]);

      const ids: string[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const page = await store.requests.list('prj_a', {}, { limit: 3, ...(cursor === '' ? {} : { cursor }) });
        ids.push(...page.items.map(({ id }) => id));
        cursor = page.nextCursor;
      }
      assert.deepEqual(ids.length, 9);
      assert.deepEqual(new Set(ids).size, 9);
    });

    // Checks: threat-request-log-growth
    test('the entries of a project are bounded in bytes, the oldest go first, and they count towards its storage', async () => {
      await store.projects.insert({ id: 'prj_large', name: 'large', createdAt: NOW, archivedAt: null });
      const { recorder } = openRecorder(1000, 50_000);
      const detail = JSON.stringify({ text: 'a'.repeat(9_000) });
      const ids = async (): Promise<number[]> =>
        (await store.requests.list('prj_large', {})).items.map(({ id }) => Number(id.slice(4)));
      const usedBy = async (projectId: string): Promise<number> => (await store.usage.find(projectId)).logBytes;
      const ofOther = await usedBy('prj_a');
      for (let index = 100; index < 120; index += 1) recorder.record(logged(index, { projectId: 'prj_large', detail }));
      await recorder.flush();
      assert.deepEqual(await ids(), [119, 118, 117, 116, 115]);
      const used = await usedBy('prj_large');
      assert.ok(used > 5 * 9_000 && used <= 50_000, `${used} bytes`);
      assert.equal(await usedBy('prj_a'), ofOther);
      await store.requests.trim('prj_large', { before: at(1000), maxRows: 1000, maxBytes: 50_000 });
      assert.deepEqual([await ids(), await usedBy('prj_large')], [[], 0]);
    });

    test('a request is found by its id or request id, within its project only', async () => {
      assert.equal((await store.requests.find('prj_a', 'log_3'))?.detail, '{"n":3}');
      assert.equal((await store.requests.find('prj_a', 'req_3'))?.id, 'log_3');
      assert.equal(await store.requests.find('prj_b', 'log_3'), undefined);
      assert.equal(await store.requests.find('prj_b', 'req_3'), undefined);
    });

    // Checks: threat-request-log-growth
    test('a busy project evicts only its own oldest entries', async () => {
      const { recorder } = openRecorder(20);
      for (let index = 100; index < 1700; index += 1) recorder.record(logged(index, { projectId: 'prj_c' }));
      await recorder.flush();
      const { items } = await store.requests.list('prj_c', {}, { limit: 200 });
      assert.deepEqual(
        items.map(({ id }) => id),
        Array.from({ length: 20 }, (_, index) => `log_${1699 - index}`),
      );
      assert.equal(await store.requests.find('prj_c', 'log_100'), undefined);
      assert.equal((await store.requests.list('prj_b')).items.length, 1);
      await recorder.stop();
    });

    test('old entries are removed, also in projects without requests', async () => {
      const { recorder } = openRecorder();
      recorder.record(logged(2000, { projectId: 'prj_b', at: new Date(NOW.getTime() - 3_600_001) }));
      await recorder.flush();
      assert.equal((await store.requests.list('prj_b')).items.length, 2);
      await recorder.trimAll();
      assert.deepEqual(
        (await store.requests.list('prj_b')).items.map(({ id }) => id),
        ['log_8'],
      );
      await recorder.stop();
    });

    // Checks: threat-request-log-growth
    test('quota refusals are recorded once per write, and floods are bounded per project', async () => {
      const { recorder, readDropped } = openRecorder(100_000);
      const limited = { projectId: 'prj_a', code: 'rate_limited', stage: 'auth', keyId: 'key_9' } as const;
      for (let index = 3000; index < 3050; index += 1) recorder.record(logged(index, limited));
      for (let index = 4000; index < 6500; index += 1) recorder.record(logged(index, { projectId: 'prj_c' }));
      recorder.record(logged(7000, { projectId: 'prj_b' }));
      await recorder.flush();
      assert.equal((await store.requests.list('prj_a', { code: 'rate_limited' })).items.length, 1);
      assert.equal(readDropped(), 500);
      assert.equal((await store.requests.list('prj_b', { requestId: 'req_7000' })).items.length, 1);
      await recorder.stop();
    });
  });
}

function at(index: number): Date {
  return new Date(NOW.getTime() - 60_000 + index);
}

function logged(index: number, fields: Partial<DetailedRequest>): DetailedRequest {
  return {
    id: `log_${index}`,
    requestId: `req_${index}`,
    projectId: 'prj_a',
    at: at(index),
    source: 'api',
    keyId: 'key_1',
    method: 'POST',
    endpoint: '/v1/extract',
    status: 200,
    code: 'ok',
    stage: null,
    url: null,
    engine: 'http',
    domId: null,
    templateId: null,
    confidence: null,
    warnings: [],
    elapsedMs: 12.5,
    detail: `{"n":${index}}`,
    ...fields,
  };
}
