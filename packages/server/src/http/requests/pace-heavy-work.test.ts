/** HTTP requests; only the tests advance the clock of the shares. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import Fastify from 'fastify';
import { HeavyWorkLimiter } from '../../domain/admission/heavy-work-limiter.ts';
import type { ApiKey } from '../../domain/keys/key-ports.ts';
import { limitBodies } from '../bodies/limit-bodies.ts';
import { decorateRequests } from './request-context.ts';
import { paceHeavyWork } from './pace-heavy-work.ts';

const MIB = 1024 * 1024;
const LARGE = 'x'.repeat(4 * MIB);
const SMALL = 'x'.repeat(MIB / 2);
/** For a body or answer of 4 MiB. */
const COST_MS = 40;

/** Starts an app with one processor for the heavy work of a key, which the header `key` names. */
async function startApp(t: TestContext) {
  const clock = { now: 0 };
  const heavyWork = new HeavyWorkLimiter({ share: 1, maxWaitMs: 8000, now: () => clock.now });
  const app = Fastify({ bodyLimit: 64 * MIB, forceCloseConnections: true });
  const held = Promise.withResolvers<string>();
  const reached = Promise.withResolvers<void>();
  const failed = Promise.withResolvers<void>();
  const read: string[] = [];
  decorateRequests(app, 'vendor');
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: unknown, body: string | Buffer) => body.length);
  app.addHook('onRequest', async (request) => {
    request.apiKey = { id: String(request.headers['key']), projectId: 'project' } as ApiKey;
  });
  limitBodies(app, 64 * MIB, heavyWork);
  paceHeavyWork(app, heavyWork);
  app.post('/read', async ({ headers, body }) => {
    read.push(`${String(headers['key'])} ${String(body)}`);
    return 'read';
  });
  app.get('/large', async () => LARGE);
  app.get('/held', async () => held.promise);
  app.get('/large-after-hang-up', async (_request, reply) => {
    reached.resolve();
    await once(reply.raw, 'close');
    return LARGE;
  });
  app.addHook('onError', async () => failed.resolve());
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  t.after(async () => {
    held.resolve('');
    await app.close();
  });
  const call = async (key: string, path: string, init: RequestInit = {}): Promise<number> => {
    const answer = await fetch(url + path, { ...init, headers: { key, 'Content-Type': 'application/octet-stream' } });
    await answer.text();
    return answer.status;
  };
  const send = (key: string, body: string): Promise<number> => call(key, '/read', { method: 'POST', body });
  const waiting = async (count: number): Promise<void> => {
    while (heavyWork.state().waiting !== count) await nextTurn();
  };
  const release = (): void => held.resolve('');
  return { clock, call, send, read, waiting, release, heavyWork, reached: reached.promise, failed: failed.promise };
}

void test(
  'after a large body, further large bodies of the key wait; small bodies and other keys do not',
  { timeout: 60_000 },
  async (t) => {
    const { clock, call, send, read, waiting } = await startApp(t);
    const other = call('modest', '/held');
    assert.equal(await send('noisy', LARGE), 200);
    const second = send('noisy', LARGE);
    await waiting(1);
    const third = send('noisy', LARGE);
    await waiting(2);
    for (let count = 0; count < 20; count += 1) assert.equal(await send('noisy', SMALL), 200);
    assert.equal(await send('modest', LARGE), 200);
    assert.deepEqual(
      read.slice(1, -1),
      Array.from({ length: 20 }, () => `noisy ${SMALL.length}`),
    );
    assert.equal(read.at(-1), `modest ${LARGE.length}`);
    clock.now += COST_MS;
    assert.equal(await second, 200);
    await waiting(1);
    clock.now += COST_MS;
    assert.equal(await third, 200);
    assert.deepEqual(read.slice(22), [`noisy ${LARGE.length}`, `noisy ${LARGE.length}`]);
    void other;
  },
);

void test(
  'the only active key sends large bodies and reads large answers without waiting',
  { timeout: 60_000 },
  async (t) => {
    const { clock, call, send, release } = await startApp(t);
    const other = call('modest', '/held');
    release();
    await other;
    clock.now += 1001;
    for (let count = 0; count < 5; count += 1) {
      assert.equal(await send('noisy', LARGE), 200);
      assert.equal(await call('noisy', '/large'), 200);
    }
  },
);

void test('large answers of a key wait for its share too', { timeout: 60_000 }, async (t) => {
  const { clock, call, waiting } = await startApp(t);
  void call('modest', '/held');
  assert.equal(await call('noisy', '/large'), 200);
  const second = call('noisy', '/large');
  await waiting(1);
  assert.equal(await call('modest', '/large'), 200);
  clock.now += COST_MS;
  assert.equal(await second, 200);
});

void test('a caller that hangs up while its answer waits leaves the queue', { timeout: 60_000 }, async (t) => {
  const { clock, call, waiting } = await startApp(t);
  void call('modest', '/held');
  assert.equal(await call('noisy', '/large'), 200);
  const caller = new AbortController();
  const second = assert.rejects(call('noisy', '/large', { signal: caller.signal }), { name: 'AbortError' });
  await waiting(1);
  const third = call('noisy', '/large');
  await waiting(2);
  caller.abort();
  await second;
  await waiting(1);
  clock.now += COST_MS;
  assert.equal(await third, 200);
});

void test('the answer to a caller that has already hung up does not wait', { timeout: 60_000 }, async (t) => {
  const { call, heavyWork, reached, failed } = await startApp(t);
  void call('modest', '/held');
  assert.equal(await call('noisy', '/large'), 200);
  const caller = new AbortController();
  const gone = assert.rejects(call('noisy', '/large-after-hang-up', { signal: caller.signal }), { name: 'AbortError' });
  await reached;
  caller.abort();
  await gone;
  await failed;
  assert.equal(heavyWork.state().waiting, 0);
});
