import assert from 'node:assert/strict';
import { assertRefused } from '../support/assert-refused.ts';
import type { Running } from '../support/running-service.ts';

export const HTML = 'text/html; charset=utf-8';
export const SENTENCE = '<p>The harbour town keeps its old market, and the fishermen sell there every morning.</p>';

/** Reads a file of a snapshot from the address in an answer, and checks its type and size. */
export async function readSnapshotFile(
  running: Running,
  file: { readonly url: string; readonly bytes: number },
  mediaType: string,
): Promise<{ readonly headers: Headers; readonly bytes: Buffer }> {
  const response = await fetch(running.url + file.url, { headers: { 'X-API-Key': running.secrets.key_only } });
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), mediaType);
  assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
  const bytes = Buffer.from(await response.arrayBuffer());
  assert.equal(bytes.length, file.bytes);
  return { headers: response.headers, bytes };
}

/** Fails if a file of a snapshot is read without a key or with the key of another project. */
export async function assertNeedsProjectKey(running: Running, url: string): Promise<void> {
  const read = (headers: Record<string, string> = {}) =>
    running.call(url, undefined, { method: 'GET', as: 'none', headers });
  assertRefused(await read(), 'unauthorized', /./, 'auth');
  const other = { id: 'prj_other', name: 'Other', createdAt: new Date(), archivedAt: null };
  await running.store.projects.insert(other);
  const key = await running.addKey({ projectId: other.id, kind: 'key_only' });
  assertRefused(await read({ 'X-API-Key': key }), 'dom_not_found', /no such snapshot/, 'snapshot');
}
