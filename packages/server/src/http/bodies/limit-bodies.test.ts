/** HTTP requests; only the tests advance the clock of the pauses. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import Fastify from 'fastify';
import { LargeWork } from '../../domain/admission/large-work.ts';
import type { ApiKey } from '../../domain/keys/key-ports.ts';
import { decorateRequests } from '../requests/request-context.ts';
import { limitBodies, paceLargeAnswers } from './limit-bodies.ts';

const MIB = 1024 * 1024;
const LARGE = 'x'.repeat(4 * MIB);
const SMALL = 'x'.repeat(MIB / 2);
const COST_MS = 40;

/** Starts an app whose handlers take some time by its clock. The header `key` names the key; `modest` is active. */
async function startApp(t: TestContext) {
  const clock = { now: 1000 };
  const largeWork = new LargeWork(1, () => clock.now);
  const app = Fastify({ bodyLimit: 64 * MIB, forceCloseConnections: true });
  decorateRequests(app, 'vendor');
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: unknown, body: string | Buffer) => body.length);
  app.addHook('onRequest', async (request) => {
    request.apiKey = { id: String(request.headers['key']), projectId: 'project' } as ApiKey;
  });
  limitBodies(app, 64 * MIB, largeWork);
  paceLargeAnswers(app, largeWork);
  let begun = 0;
  app.post('/read', async ({ body }) => {
    begun += 1;
    if (Number(body) > SMALL.length) clock.now += COST_MS;
    return 'read';
  });
  app.get('/large', async () => LARGE);
  app.addHook('onResponse', async (request) => {
    if (request.url === '/large') clock.now += COST_MS;
  });
  const leave = largeWork.enter('modest');
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  t.after(() => app.close());
  const call = async (key: string, path: string, init: RequestInit = {}): Promise<number> => {
    const answer = await fetch(url + path, { ...init, headers: { key, 'Content-Type': 'application/octet-stream' } });
    await answer.text();
    return answer.status;
  };
  const send = (key: string, body: string): Promise<number> => call(key, '/read', { method: 'POST', body });
  return { clock, call, send, leave, readBegun: () => begun };
}

// Checks: threat-large-requests
void test('after a large body, further large bodies of the key wait; small bodies and other keys do not', async (t) => {
  const { clock, send, readBegun } = await startApp(t);
  assert.equal(await send('noisy', LARGE), 200);
  const second = send('noisy', LARGE);
  for (let count = 0; count < 20; count += 1) assert.equal(await send('noisy', SMALL), 200);
  assert.equal(readBegun(), 21);
  // Of another key, which advances the clock as well.
  assert.equal(await send('modest', LARGE), 200);
  clock.now += COST_MS;
  assert.equal(await second, 200);
});

void test('the only active key sends large bodies without waiting', async (t) => {
  const { clock, send, leave } = await startApp(t);
  leave();
  clock.now += 1001;
  for (let count = 0; count < 5; count += 1) assert.equal(await send('noisy', LARGE), 200);
});

void test('a caller that hangs up while its large answer waits ends the request', async (t) => {
  const { clock, call, send } = await startApp(t);
  assert.equal(await send('noisy', LARGE), 200);
  const caller = new AbortController();
  const second = assert.rejects(call('noisy', '/large', { signal: caller.signal }), { name: 'AbortError' });
  await sleep(50);
  caller.abort();
  await second;
  const third = call('noisy', '/large');
  clock.now += COST_MS;
  assert.equal(await third, 200);
});
