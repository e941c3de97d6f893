import assert from 'node:assert/strict';
import { test } from 'node:test';
import Fastify from 'fastify';
import type { ApiKey } from '../../domain/keys/key-ports.ts';
import { decorateRequests } from '../requests/request-context.ts';
import { openContentReads, readInTurn } from './read-in-turn.ts';

// Checks: threat-slot-hoarding
test('a key reads four stored pages at a time, others need not wait for it, and callers who hang up leave', async (t) => {
  const contentReads = openContentReads();
  const app = Fastify({ forceCloseConnections: true });
  decorateRequests(app, 'vendor');
  app.addHook('onRequest', async (request) => {
    request.apiKey = { id: String(request.headers['key']), projectId: 'project' } as ApiKey;
  });
  const stored = Promise.withResolvers<string>();
  const reading: string[] = [];
  app.get('/', async (request, reply) =>
    readInTurn(request, reply, { contentReads }, async () => {
      const key = String(request.headers['key']);
      reading.push(key);
      return key === 'noisy' ? stored.promise : 'at once';
    }),
  );
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  t.after(() => app.close());
  const read = async (key: string, signal?: AbortSignal): Promise<string> =>
    (await fetch(url, { headers: { key }, ...(signal && { signal }) })).text();
  const caller = new AbortController();
  const left = Promise.allSettled([1, 2, 3, 4, 5].map(() => read('noisy', caller.signal)));
  const patient = [1, 2, 3].map(() => read('noisy'));
  while (contentReads.state().waiting < 4) await read('modest');
  assert.deepEqual(
    reading.filter((key) => key === 'noisy'),
    ['noisy', 'noisy', 'noisy', 'noisy'],
  );
  caller.abort();
  await left;
  stored.resolve('page');
  assert.deepEqual(await Promise.all(patient), ['page', 'page', 'page']);
  assert.equal(await read('modest'), 'at once');
});
