import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import Fastify from 'fastify';
import { acceptJsonBodies, PARSED_AT_ONCE_BYTES } from '../http/bodies/json-body.ts';
import { sendError } from '../http/answers/send-error.ts';
import { BodyParserThread } from './body-parser-thread.ts';

const thread = new BodyParserThread();
const app = Fastify({ bodyLimit: 64 * 1024 * 1024 });
app.decorateRequest('failure', null);
acceptJsonBodies(app, thread);
app.setErrorHandler(sendError);
app.post('/', async ({ body }) => ({ items: (body as { items: string[] }).items.length }));
after(async () => {
  await app.close();
  await thread.close();
});

async function send(payload: string): Promise<{ items?: number; error?: { message: string } }> {
  const headers = { 'Content-Type': 'application/json' };
  return (await app.inject({ method: 'POST', url: '/', headers, payload })).json();
}

const ITEMS = Array.from({ length: 50_000 }, (_, index) => `item ${index}`);
const LARGE = JSON.stringify({ items: ITEMS });

// Checks: threat-body-parsing
test('a large body is parsed in a thread, a small one on the event loop', async (t) => {
  assert(LARGE.length > PARSED_AT_ONCE_BYTES);
  const parse = t.mock.method(JSON, 'parse');
  const small = app.inject({
    method: 'POST',
    url: '/',
    headers: { 'Content-Type': 'application/json' },
    payload: '{"items":[]}',
  });
  assert.equal((await small).body, '{"items":0}');
  assert.equal(parse.mock.callCount(), 1);
  const large = app.inject({
    method: 'POST',
    url: '/',
    headers: { 'Content-Type': 'application/json' },
    payload: LARGE,
  });
  assert.equal((await large).body, '{"items":50000}');
  assert.equal(parse.mock.callCount(), 1);
});

test('large bodies get the same errors as small ones', async () => {
  assert.deepEqual(await send(LARGE), { items: 50_000 });
  const place = LARGE.length - 2;
  assert.match((await send(`${LARGE.slice(0, place)}x]}`)).error?.message ?? '', new RegExp(`at position ${place}\\b`));
  assert.equal((await send('['.repeat(LARGE.length))).error?.message, 'body: nests deeper than 64 levels');
  assert.equal((await send(`[${'{},'.repeat(400_000)}{}]`)).error?.message, 'body: has more than 250000 values');
});
