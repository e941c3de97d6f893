/** Storage quotas, end to end. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BatchResponse, DeletedResponse, ErrorResponse } from '@winnow/contract';
import { startRunning } from '../support/running-service.ts';
import type { Answer, Running } from '../support/running-service.ts';

const QUOTA_BYTES = 1024 * 1024;
const HTTP_ENGINE = { engine_preference: 'http' } as const;

let running: Running;
let site: { readonly url: string; close(): void };

before(async () => {
  [running, site] = await Promise.all([
    startRunning({ WINNOW_PROJECT_STORAGE_QUOTA: String(QUOTA_BYTES), WINNOW_RETENTION_SIZE: '1MiB' }),
    startLargePages(),
  ]);
});
after(async () => {
  await running.close();
  site.close();
});

type Read = { readonly status: number; readonly body: BatchResponse & DeletedResponse & ErrorResponse };
const read = async (answer: Promise<Answer>): Promise<Read> => (await answer) as unknown as Read;
const createBatch = (body: unknown, headers = {}) => read(running.call('/v1/batches', body, { headers }));
const remove = (path: string, as: 'A' | 'B' = 'B') => read(running.call(path, undefined, { method: 'DELETE', as }));
const dump = (path: string) => running.call('/v1/dom/dump', { url: site.url + path, options: HTTP_ENGINE });

/** Bytes that the project stores, as the service counts them. */
async function usedBytes(): Promise<number> {
  const { snapshotBytes, batchBytes } = await running.store.usage.find(running.projectId);
  return snapshotBytes + batchBytes;
}

async function waitUntilFinished(id: string): Promise<BatchResponse['batch']> {
  for (;;) {
    const { body } = await read(running.call(`/v1/batches/${id}`, undefined, { method: 'GET' }));
    if (body.batch.state !== 'running') return body.batch;
    await sleep(50);
  }
}

// Checks: threat-project-storage
test('one key cannot fill the disk with batches: above its quota it is refused with advice', async () => {
  const urls = Array.from({ length: 4000 }, (_, index) => `${site.url}/never/${index}`);
  const created: string[] = [];
  let refused: ErrorResponse | undefined;
  while (refused === undefined) {
    const answer = await createBatch({ urls }, { 'Idempotency-Key': `batch-${created.length}` });
    if (answer.status === 200) created.push(answer.body.batch.id);
    else refused = answer.body;
    assert.ok(created.length < 20, 'no batch was refused');
  }
  assert.equal(refused.error.code, 'storage_quota_exceeded');
  assert.match(refused.error.message, /WINNOW_PROJECT_STORAGE_QUOTA.*DELETE \/v1\/batches\/\{id\}/);
  assert.ok((await usedBytes()) < 1.5 * QUOTA_BYTES);
  const again = await createBatch({ urls }, { 'Idempotency-Key': 'batch-0' });
  assert.equal(again.body.batch?.id, created[0], 'a repeated request stores nothing');
  for (const id of created) assert.deepEqual((await remove(`/v1/batches/${id}`)).body.deleted, id);
  assert.equal((await createBatch({ urls: urls.slice(0, 1) })).status, 200);
});

// Checks: threat-project-storage
test('items of a batch fail once its results have used up the quota', async () => {
  const page = await dump('/page/250000');
  assert.equal(page.status, 200, page.body.error?.message);
  const domIds = Array.from({ length: 60 }, () => page.body.dom_id);
  const { body } = await createBatch({ dom_ids: domIds, formats: ['markdown', 'html'] });
  const batch = await waitUntilFinished(body.batch.id);
  assert.ok(batch.counts.done > 0 && batch.counts.failed > 0, JSON.stringify(batch.counts));
  assert.ok((await usedBytes()) < 3 * QUOTA_BYTES, `${await usedBytes()}`);
  const lines = await fetch(`${running.url}/v1/batches/${batch.id}/results?after=50`, {
    headers: { 'X-API-Key': running.secrets.key_only },
  });
  assert.match(await lines.text(), /"code":"storage_quota_exceeded"/);
  const refused = await running.call('/v1/extract', { extract: { url: `${site.url}/page/10` } });
  assert.equal(refused.status, 403);
  assert.equal(refused.body.error.code, 'storage_quota_exceeded');
  assert.equal(refused.body.error.stage, 'request');
  const stored = await running.call('/v1/extract', { extract: { dom_id: page.body.dom_id } });
  assert.equal(stored.status, 200, 'requests that store nothing are answered');
  assert.equal((await remove(`/v1/batches/${batch.id}`)).status, 200);
  assert.equal((await remove(`/v1/snapshots/${page.body.dom_id}`)).status, 200);
  assert.equal((await dump('/page/10')).status, 200);
});

// Checks: threat-foreign-data
test('only their own project can delete snapshots and batches, which are gone at once', async () => {
  const snapshot = (await dump('/page/20')).body.dom_id;
  const { body } = await createBatch({ urls: [`${site.url}/page/30`] });
  const { batch } = body;
  await waitUntilFinished(batch.id);
  await running.store.projects.insert({ id: 'prj_x', name: 'x', createdAt: new Date(), archivedAt: null });
  const stranger = { 'X-API-Key': await running.addKey({ projectId: 'prj_x', kind: 'key_only' }) };
  for (const [path, code] of [
    [`/v1/batches/${batch.id}`, 'not_found'],
    [`/v1/snapshots/${snapshot}`, 'dom_not_found'],
  ] as const) {
    const foreign = await running.call(path, undefined, { method: 'DELETE', as: 'none', headers: stranger });
    assert.equal(foreign.status, 404);
    assert.equal(foreign.body.error.code, code);
    assert.equal((await running.call(path, undefined, { method: 'DELETE', as: 'none' })).status, 401);
    const deleted = await remove(path, 'A');
    assert.equal(deleted.status, 200);
    assert.match(deleted.body.request_id, /^req_/);
    const second = await remove(path);
    assert.equal(second.status, 404);
    assert.equal(second.body.error.code, code);
  }
  const gone = await running.call('/v1/extract', { extract: { dom_id: snapshot } });
  assert.equal(gone.body.error.code, 'dom_not_found');
  for (const path of ['', '/results']) {
    const answer = await running.call(`/v1/batches/${batch.id}${path}`, undefined, { method: 'GET' });
    assert.equal(answer.status, 404);
  }
});

test('a running batch ends when it is deleted', async () => {
  const urls = Array.from({ length: 2000 }, (_, index) => `${site.url}/slow/${index}`);
  const { body } = await createBatch({ urls });
  await sleep(100);
  assert.equal((await remove(`/v1/batches/${body.batch.id}`)).status, 200);
  assert.equal((await running.call(`/v1/batches/${body.batch.id}`, undefined, { method: 'GET' })).status, 404);
});

test('the metrics show the storage of batches and the used share of the quota', async () => {
  const { body } = await createBatch({ urls: [`${site.url}/page/40`] });
  await waitUntilFinished(body.batch.id);
  await sleep(1100);
  const metrics = await (await fetch(`${running.url}/metrics`)).text();
  const value = (name: string): number => Number(new RegExp(`^${name} (.*)$`, 'm').exec(metrics)?.[1]);
  assert.ok(value('winnow_batches') >= 1);
  assert.ok(value('winnow_batch_bytes') > 1000);
  const share = value('winnow_storage_quota_used_ratio');
  assert.ok(share > 0 && share < 1.5, `${share}`);
});

/** Pages of a given number of letters, and slow ones. */
async function startLargePages(): Promise<{ readonly url: string; close(): void }> {
  const server = createServer((request, response) => {
    const [, kind, number = ''] = request.url?.split('/') ?? [];
    const send = (): void => {
      response.setHeader('Content-Type', 'text/html');
      response.end(`<title>Page</title><article><h1>Page ${number}</h1>${writeText(Number(number))}</article>`);
    };
    if (kind === 'robots.txt') response.writeHead(404).end();
    else if (kind === 'page') send();
    else setTimeout(send, 5000).unref();
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => server.close().closeAllConnections(),
  };
}

/** Words that hardly repeat, so that they barely compress. */
function writeText(letters: number): string {
  let state = letters + 1;
  const words: string[] = [];
  for (let length = 0; length < Math.min(letters, 300_000); length += 8) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    words.push(state.toString(36));
  }
  return `<p>${words.join(' ')}.</p><p>The council has decided that the bridge is to be repaired this year.</p>`;
}
