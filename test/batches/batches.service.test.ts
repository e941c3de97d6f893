/** `/v1/batches` end to end. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BatchBody, BatchLine } from '@winnow/contract';
import { startRunning } from '../support/running-service.ts';
import type { Running } from '../support/running-service.ts';
import { startSite } from './batch-site.ts';
import type { BatchSite } from './batch-site.ts';

let running: Running;
let site: BatchSite;

before(async () => {
  [running, site] = await Promise.all([startRunning({ WINNOW_MAX_BODY_BYTES: '64KiB' }), startSite()]);
});
after(async () => {
  await running.close();
  await site.close();
});

type Answer = { readonly status: number; readonly batch: BatchBody; readonly code: string; readonly message: string };

async function send(
  method: string,
  path: string,
  body?: unknown,
  options: Parameters<Running['call']>[2] = {},
): Promise<Answer> {
  const answer = await running.call(`/v1/batches${path}`, body, { method, ...options });
  const content = answer.body as unknown as { batch: BatchBody; error?: { code: string; message: string } };
  assert.equal(typeof answer.body.request_id, 'string');
  const { code = '', message = '' } = content.error ?? {};
  return { status: answer.status, batch: content.batch, code, message };
}

async function waitUntilFinished(id: string): Promise<BatchBody> {
  for (;;) {
    const { batch } = await send('GET', `/${id}`);
    if (batch.state !== 'running') return batch;
    await sleep(100);
  }
}

async function readLines(id: string, query = ''): Promise<BatchLine[]> {
  const response = await fetch(`${running.url}/v1/batches/${id}/results${query}`, {
    headers: { 'X-API-Key': running.secrets.key_only },
  });
  assert.equal(response.headers.get('content-type'), 'application/x-ndjson; charset=utf-8');
  assert.match(response.headers.get('x-request-id') ?? '', /^req_/);
  const text = await response.text();
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as BatchLine]));
}

test('URLs and snapshots are extracted to one line each, in request order', async () => {
  const dump = await running.call('/v1/dom/dump', { url: site.pageUrl(1), options: { engine_preference: 'http' } });
  const urls = [...Array.from({ length: 12 }, (_, index) => site.pageUrl(index)), `${site.url}/absent`];
  const created = await send('POST', '', { urls, dom_ids: [dump.body.dom_id, 'dom_none'], formats: ['markdown'] });
  assert.equal(created.status, 200, created.message);
  assert.equal(created.batch.total, 15);
  const batch = await waitUntilFinished(created.batch.id);
  assert.deepEqual(batch.counts, { queued: 0, running: 0, done: 13, failed: 2, cancelled: 0 });
  const lines = await readLines(batch.id);
  assert.deepEqual(
    lines.map((line) => line.index),
    Array.from({ length: 15 }, (_, index) => index),
  );
  assert.match(lines[3]?.result?.main_text ?? '', /page 3/);
  assert.equal(typeof lines[3]?.result?.markdown, 'string');
  assert.equal(lines[12]?.error?.code, 'http_status_not_ok');
  assert.equal(lines[12].error.upstream_status_code, 404);
  assert.equal(lines[13]?.dom_id, dump.body.dom_id);
  assert.equal(lines[14]?.error?.code, 'dom_not_found');
  const some = await readLines(batch.id, '?after=4&limit=3');
  assert.deepEqual(
    some.map((line) => line.index),
    [5, 6, 7],
  );
});

// Checks: threat-quota
test("a batch larger than its key's quota is accepted, is paced, and reserves quota for requests", async () => {
  const key = await running.addKey({ projectId: running.projectId, kind: 'key_only', quotaPerMinute: 20 });
  const as = { as: 'none', headers: { 'X-API-Key': key } } as const;
  const created = await send('POST', '', { urls: Array.from({ length: 60 }, (_, index) => site.pageUrl(index)) }, as);
  assert.equal(created.status, 200, created.message);
  // 20 less this request and the reserved tenth: 17 items start. Another key polls the batch.
  for (;;) {
    const { counts, state } = (await send('GET', `/${created.batch.id}`)).batch;
    assert.equal(state, 'running');
    assert.equal(counts.failed, 0);
    if (counts.done === 17 && counts.running === 0) break;
    await sleep(50);
  }
  const answers = [];
  for (let count = 0; count < 3; count += 1)
    answers.push((await send('GET', `/${created.batch.id}`, undefined, as)).status);
  assert.deepEqual(answers, [200, 200, 429]);
  const { counts } = (await send('POST', `/${created.batch.id}/cancel`)).batch;
  assert.deepEqual(counts, { queued: 0, running: 0, done: 17, failed: 0, cancelled: 43 });
});

test('robots.txt is obeyed unless the batch says otherwise', async () => {
  const urls = [`${site.url}/private/1`, site.pageUrl(1)];
  const obedient = await send('POST', '', { urls });
  const bold = await send('POST', '', { urls, respect_robots: false });
  assert.deepEqual((await waitUntilFinished(obedient.batch.id)).counts.failed, 1);
  assert.deepEqual((await waitUntilFinished(bold.batch.id)).counts.failed, 0);
  const [refused] = await readLines(obedient.batch.id);
  assert.equal(refused?.error?.code, 'robots_disallowed');
  assert.equal(refused.error.stage, 'fetch');
});

test('the same idempotency key gives the same batch; a different body is a conflict', async () => {
  const headers = { 'Idempotency-Key': 'order-7' };
  const first = await send('POST', '', { urls: [site.pageUrl(2)] }, { headers });
  const second = await send('POST', '', { urls: [site.pageUrl(2)] }, { headers });
  assert.equal(second.batch.id, first.batch.id);
  const other = await send('POST', '', { urls: [site.pageUrl(3)] }, { headers });
  assert.equal(other.status, 409);
  assert.equal(other.code, 'conflict');
  const bad = await send('POST', '', { urls: [site.pageUrl(3)] }, { headers: { 'Idempotency-Key': 'a b' } });
  assert.equal(bad.status, 400);
});

test('a batch may exceed the body limit of other requests, and can be cancelled', async () => {
  const urls = Array.from({ length: 3000 }, (_, index) => site.slowUrl(index));
  const { batch } = await send('POST', '', { urls });
  assert.equal(batch.total, 3000);
  const cancelled = await send('POST', `/${batch.id}/cancel`);
  assert.equal(cancelled.batch.state, 'cancelled');
  assert.ok(cancelled.batch.counts.cancelled > 2900);
  assert.equal(cancelled.batch.counts.queued, 0);
  assert.equal((await send('POST', `/${batch.id}/cancel`)).batch.state, 'cancelled');
});

test('invalid batches are refused, naming the field', async () => {
  const refusals: readonly (readonly [unknown, RegExp])[] = [
    [{}, /needs at least one of urls and dom_ids/],
    [{ urls: [] }, /needs at least one/],
    [{ urls: ['https://a.example/', 7] }, /urls\[1\]/],
    [
      { urls: ['https://a.example/', 'https://a.example/\0b'] },
      /^urls\[1\]: contains the control character U\+0000 at position 18$/,
    ],
    [{ dom_ids: ['dom_\0'] }, /^dom_ids\[0\]: contains the control character U\+0000 at position 4$/],
    [{ urls: ['https://a.example/\ud83d'] }, /^urls\[0\]: must not contain half a character$/],
    [{ dom_ids: ['dom_\udc00'] }, /^dom_ids\[0\]: must not contain half a character$/],
    [{ urls: ['https://a.example/'], engine: 'http' }, /engine: unknown field/],
    [{ urls: ['https://a.example/'], webhook: { url: 'https://a.example/', secret: 'short' } }, /webhook\.secret/],
    [{ urls: Array.from({ length: 100_001 }, () => 'u') }, /urls/],
  ];
  for (const [body, message] of refusals) {
    const answer = await send('POST', '', body);
    assert.equal(answer.status, 400);
    assert.match(answer.message, message);
  }
  const secret = `whsec_${Buffer.alloc(32).toString('base64')}`;
  const inside = { urls: ['https://a.example/'], webhook: { url: 'http://169.254.169.254/', secret } };
  assert.equal((await send('POST', '', inside)).code, 'url_not_allowed');
});

test('paging through the results of a running batch misses no late item', async () => {
  const urls = [`${running.pages.url}/gate`, site.pageUrl(0), site.pageUrl(1)];
  const { batch } = await send('POST', '', { urls });
  while ((await send('GET', `/${batch.id}`)).batch.counts.done < 2) await sleep(20);
  const indexes = async (query?: string): Promise<number[]> =>
    (await readLines(batch.id, query)).map(({ index }) => index);
  assert.deepEqual(await indexes(), [1, 2]);
  assert.deepEqual(await indexes('?limit=10'), []);
  running.pages.openGate();
  await waitUntilFinished(batch.id);
  assert.deepEqual(await indexes('?limit=2'), [0, 1]);
  assert.deepEqual(await indexes('?after=1'), [2]);
});

test('only its own project can see a batch, with either kind of key', async () => {
  const created = await send('POST', '', { urls: [site.pageUrl(1)] }, { as: 'A' });
  assert.equal(created.status, 200);
  const path = `/${created.batch.id}`;
  assert.equal((await send('GET', path, undefined, { as: 'A' })).status, 200);
  assert.equal((await send('GET', path, undefined, { as: 'none' })).status, 401);
  await running.store.projects.insert({ id: 'prj_other', name: 'Other', createdAt: new Date(), archivedAt: null });
  const key = await running.addKey({ projectId: 'prj_other', kind: 'key_only' });
  for (const [method, end] of [
    ['GET', ''],
    ['GET', '/results'],
    ['POST', '/cancel'],
  ] as const) {
    const foreign = await send(method, path + end, undefined, { as: 'none', headers: { 'X-API-Key': key } });
    assert.equal(foreign.status, 404, method + end);
    assert.equal(foreign.code, 'not_found');
  }
});

test('a webhook gets a signed message when its batch is completed, again after a refusal', async () => {
  const calls: { readonly headers: NodeJS.Dict<string | string[]>; readonly body: string }[] = [];
  const hook = createServer((request, response) => {
    void request.toArray().then((chunks) => {
      calls.push({ headers: request.headers, body: Buffer.concat(chunks as Buffer[]).toString() });
      response.statusCode = calls.length === 1 ? 503 : 204;
      response.end();
    });
  });
  await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/done`;
  const key = Buffer.alloc(32, 7);
  const webhook = { url, secret: `whsec_${key.toString('base64')}` };
  const { batch } = await send('POST', '', { urls: [site.pageUrl(4)], webhook });
  await waitUntilFinished(batch.id);
  while (calls.length < 2) await sleep(50);
  const [refused, call] = calls;
  assert.ok(refused && call);
  assert.equal(refused.headers['webhook-id'], call.headers['webhook-id'], 'receivers recognize repeated messages');
  const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signature } = call.headers;
  const expected = createHmac('sha256', key)
    .update(`${String(id)}.${String(time)}.${call.body}`)
    .digest('base64');
  assert.equal(signature, `v1,${expected}`);
  const event = JSON.parse(call.body) as { type: string; batch: { id: string; counts: { done: number } } };
  assert.equal(event.type, 'batch.completed');
  assert.equal(event.batch.id, batch.id);
  assert.equal(event.batch.counts.done, 1);
  await new Promise((resolve) => hook.close(resolve));
});

// Checks: threat-traceparent
test('a webhook continues the trace of the request that created the batch, and sites get no trace headers', async () => {
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  const seen: Record<string, { readonly parent: unknown; readonly state: unknown }> = {};
  const server = createServer((request, response) => {
    seen[request.url ?? ''] = { parent: request.headers['traceparent'], state: request.headers['tracestate'] };
    response.writeHead(200, { 'Content-Type': 'text/html' }).end('<!doctype html><p>A page.</p>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const body = { urls: [`${url}/page`], webhook: { url: `${url}/done`, secret: `whsec_${'A'.repeat(44)}` } };
  const trace = { traceparent, tracestate: 'vendor=value,other=1' };
  const headers = { 'Idempotency-Key': 'traced' };
  const { status, batch, message } = await send('POST', '', body, { headers: { ...headers, ...trace } });
  assert.equal(status, 200, message);
  const again = await send('POST', '', body, { headers });
  assert.equal(again.batch.id, batch.id, 'idempotency ignores the trace headers');
  while (seen['/done'] === undefined) await sleep(50);
  assert.match(
    String(seen['/done'].parent),
    /^00-4bf92f3577b34da6a3ce929d0e0e4736-(?!00f067aa0ba902b7)[0-9a-f]{16}-01$/,
  );
  assert.equal(seen['/done'].state, 'vendor=value,other=1');
  assert.deepEqual(seen['/page'], { parent: undefined, state: undefined });
  assert.deepEqual(seen['/robots.txt'], { parent: undefined, state: undefined });
  await new Promise((resolve) => server.close(resolve));
});
