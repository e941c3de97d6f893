/** Limits that hold over all nodes: two real nodes on one PostgreSQL. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { hashKey, makeKey } from '../../packages/server/src/domain/keys/authenticate.ts';
import { openStore } from '../../packages/server/src/store/open-store.ts';
import type { Store } from '../../packages/server/src/store/open-store.ts';
import { findPostgresPrograms, startTestPostgres } from '../../packages/server/src/store/testing/test-postgres.ts';
import type { TestPostgres } from '../../packages/server/src/store/testing/test-postgres.ts';
import { startNode } from './start-node.ts';
import type { Node } from './start-node.ts';

const SPACING_MS = 400;
/** Longest that a lock outlives its node. */
const LONGEST_LOCK_MS = 30_000;

const programs = findPostgresPrograms();

describe('two nodes on one PostgreSQL', { skip: programs === undefined ? "needs Debian's postgresql" : false }, () => {
  const siteRequests: { readonly path: string; readonly at: number }[] = [];
  const site: Server = createServer((request, response) => {
    siteRequests.push({ path: request.url ?? '', at: performance.now() });
    if (request.url?.startsWith('/hangs')) return;
    response.setHeader('Content-Type', 'text/html');
    response.end('<!doctype html><title>Page</title><p>A page with a few words in it.</p>');
  });
  let folder: string;
  let database: TestPostgres;
  let store: Store;
  let nodes: readonly [Node, Node];
  let siteUrl: string;

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'winnow-limits-'));
    database = await startTestPostgres(programs ?? '');
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    siteUrl = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    const databaseUrl = await database.createDatabase();
    const environment = {
      WINNOW_DATABASE_URL: databaseUrl,
      WINNOW_EGRESS_ALLOW: new URL(siteUrl).host,
      WINNOW_HOST_CONCURRENCY: '1',
      WINNOW_HOST_SPACING: `${SPACING_MS}ms`,
    };
    nodes = [await startNode('one', folder, environment), await startNode('two', folder, environment)];
    store = await openStore({ location: { databaseUrl }, onError: () => undefined });
  });
  after(async () => {
    site.closeAllConnections();
    await Promise.all([...nodes.map((node) => node.kill()), new Promise((resolve) => site.close(resolve))]);
    await store.close();
    await database.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function addKey(quotaPerMinute: number | null): Promise<string> {
    const [project] = await store.projects.list();
    const made = makeKey({ name: 'test', projectId: project?.id ?? '', kind: 'key_only' });
    await store.keys.insert({ ...made.key, quotaPerMinute }, hashKey(made.secret));
    return made.secret;
  }

  function post(node: Node, key: string, target: string, body: object): Promise<Response> {
    return fetch(`${node.url}${target}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-API-Key': key },
      body: JSON.stringify(body),
    });
  }

  const dump = (node: Node, key: string, url: string, timeoutMs = 30_000): Promise<Response> =>
    post(node, key, '/v1/dom/dump', { url, options: { engine_preference: 'http', timeout_ms: timeoutMs } });

  /** Adds a key whose quota window has over 20 s left; spends one request to check it. */
  async function addKeyWithTime(quota: number): Promise<string> {
    for (;;) {
      const key = await addKey(quota);
      const { headers } = await post(nodes[0], key, '/v1/extract', {});
      const [, seconds = '0'] = /;t=(\d+)$/.exec(headers.get('RateLimit') ?? '') ?? [];
      if (Number(seconds) > 20) return key;
    }
  }

  test("a key's quota is exact across both nodes, and both report what remains", async () => {
    const quota = 40;
    const key = await addKeyWithTime(quota);
    const answers = await Promise.all(
      Array.from({ length: 70 }, (_, index) => post(nodes[index % 2 === 0 ? 0 : 1], key, '/v1/extract', {})),
    );
    const accepted = answers.filter(({ status }) => status === 400);
    const refused = answers.filter(({ status }) => status === 429);
    assert.deepEqual([accepted.length, refused.length], [quota - 1, 70 - (quota - 1)]);
    const remaining = accepted.map(({ headers }) => Number(/r=(\d+)/.exec(headers.get('RateLimit') ?? '')?.[1]));
    assert.deepEqual(
      remaining.toSorted((a, b) => b - a),
      Array.from({ length: quota - 1 }, (_, index) => quota - 2 - index),
    );
    for (const { headers } of refused) {
      assert.match(headers.get('RateLimit') ?? '', /^"key";r=0;t=\d+$/);
      assert.ok(Number(headers.get('Retry-After')) >= 1);
    }
  });

  // Checks: threat-quota
  test('batch items on both nodes never exceed the quota of their key', async () => {
    const quota = 30;
    const key = await addKeyWithTime(quota);
    // Missing snapshots fail without a request to the site.
    const body = { dom_ids: Array.from({ length: 80 }, (_, index) => `dom_none_${index}`) };
    const created = (await (await post(nodes[0], key, '/v1/batches', body)).json()) as { batch: { id: string } };
    const reserved = 3;
    for (;;) {
      const { failed, running, queued } = await store.batches.count(created.batch.id);
      // Two requests were made; each node starts at most one item before it sees the other's use.
      if (failed >= quota - 2 - reserved && running === 0) {
        assert.ok(failed <= quota - 2, `${failed} items`);
        assert.equal(queued, 80 - failed);
        break;
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  });

  test('captures of one site keep the host spacing across both nodes', async () => {
    const key = await addKey(null);
    const statuses = await Promise.all(
      Array.from({ length: 8 }, async (_, index) => {
        const answer = await dump(nodes[index % 2 === 0 ? 0 : 1], key, `${siteUrl}/spaced/${index}`);
        return answer.status;
      }),
    );
    assert.deepEqual(new Set(statuses), new Set([200]));
    const starts = siteRequests.filter((one) => one.path.startsWith('/spaced')).map(({ at }) => at);
    assert.equal(starts.length, 8);
    // The first may come late on a busy machine. Independent nodes would need half the time.
    const lasted = (starts.at(-1) ?? 0) - (starts[0] ?? 0);
    assert.ok(lasted >= 6 * SPACING_MS, `eight starts took ${lasted} ms`);
  });

  test('a node that dies during a capture blocks its site for at most 30 s', async () => {
    const key = await addKey(null);
    const held = dump(nodes[0], key, `${siteUrl}/hangs`, 100_000).catch(() => undefined);
    while (!siteRequests.some((one) => one.path === '/hangs')) await new Promise((resolve) => setTimeout(resolve, 20));
    const waiting = dump(nodes[1], key, `${siteUrl}/after`, 100_000);
    await nodes[0].kill();
    const diedAt = performance.now();
    await held;
    assert.equal((await waiting).status, 200);
    const at = siteRequests.find((one) => one.path === '/after')?.at ?? 0;
    assert.ok(at > diedAt, 'the site was locked until the node died');
    assert.ok(at - diedAt < LONGEST_LOCK_MS, `it was locked for ${at - diedAt} ms`);
  });
});
