import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { prepareFirstStart } from '../../packages/server/src/domain/keys/first-start.ts';
import { LocalSnapshotContent } from '../../packages/server/src/snapshots/local-snapshot-content.ts';
import { assertRefused } from '../support/assert-refused.ts';
import { startRunning } from '../support/running-service.ts';
import type { Running } from '../support/running-service.ts';

let running: Running;
before(async () => {
  running = await startRunning();
});
after(() => running.close());

const ENDPOINTS = ['/v1/extract', '/v1/dom/dump'] as const;
/** Refused for its shape after the credentials are accepted, so nothing is fetched. */
const BODY = {};

function call(path: string, headers: Record<string, string>) {
  return running.call(path, BODY, { as: 'none', headers });
}

for (const path of ENDPOINTS) {
  // Checks: interface-5-rule-2, interface-7-401
  test(`${path} without X-API-Key is 401 unauthorized of stage auth`, async () => {
    assertRefused(await call(path, {}), 'unauthorized', /^missing X-API-Key header/, 'auth');
    assertRefused(await call(path, { 'X-API-Key': '' }), 'unauthorized', /^missing X-API-Key header/, 'auth');
    assertRefused(await call(path, { Authorization: 'Bearer ' }), 'unauthorized', /^missing X-API-Key header/, 'auth');
  });

  // Checks: threat-key-guessing, interface-5-rule-2
  test(`${path} with an unknown or misshapen X-API-Key is 401`, async () => {
    for (const key of [`wk_${'a'.repeat(32)}`, 'wk_short', 'x'.repeat(5000), `${running.secrets.key_only}x`]) {
      assertRefused(await call(path, { 'X-API-Key': key }), 'unauthorized', /^invalid API key: unknown/, 'auth');
    }
  });

  // Checks: interface-5-rule-3
  test(`${path} with a project key needs X-Project-Id`, async () => {
    const answer = await call(path, { 'X-API-Key': running.secrets.project });
    assertRefused(answer, 'invalid_request', /X-Project-Id is required/, 'auth');
    const empty = await call(path, { 'X-API-Key': running.secrets.project, 'X-Project-Id': '' });
    assertRefused(empty, 'invalid_request', /X-Project-Id is required/, 'auth');
  });

  // Checks: interface-5-rule-3
  test(`${path} refuses an X-Project-Id that is not the key's project`, async () => {
    const answer = await call(path, {
      'X-API-Key': running.secrets.project,
      'X-Project-Id': 'prj_01J00000000000000000000000',
    });
    assertRefused(answer, 'invalid_request', /X-Project-Id does not match the project of this API key/, 'auth');
  });

  // Checks: interface-5-rule-1
  test(`${path} accepts a project key with its project id`, async () => {
    const answer = await call(path, { 'X-API-Key': running.secrets.project, 'X-Project-Id': running.projectId });
    assertRefused(answer, 'invalid_request', /is required/, 'request');
  });

  // Checks: interface-5-rule-3
  test(`${path} with a standalone key ignores X-Project-Id`, async () => {
    for (const projectId of ['prj_01J00000000000000000000000', 'nonsense', running.projectId]) {
      const answer = await call(path, { 'X-API-Key': running.secrets.key_only, 'X-Project-Id': projectId });
      assertRefused(answer, 'invalid_request', /is required/, 'request');
    }
  });
}

// Checks: interface-5-rule-2
test('Authorization: Bearer carries a key as X-API-Key does', async () => {
  const { key_only: standalone, project } = running.secrets;
  for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
    const answer = await call('/v1/extract', { Authorization: `${scheme} ${standalone}` });
    assertRefused(answer, 'invalid_request', /is required/, 'request');
  }
  assertRefused(
    await call('/v1/extract', { Authorization: `Bearer ${project}` }),
    'invalid_request',
    /X-Project-Id is required/,
    'auth',
  );
  const withProject = await call('/v1/extract', {
    Authorization: `Bearer ${project}`,
    'X-Project-Id': running.projectId,
  });
  assertRefused(withProject, 'invalid_request', /is required/, 'request');
  const batch = await running.call('/v1/batches/bat_none', undefined, {
    as: 'none',
    method: 'GET',
    headers: { Authorization: `Bearer ${standalone}` },
  });
  assertRefused(batch, 'not_found', /there is no batch/);
});

// Checks: interface-5-rule-2
test('a wrong Authorization header is 401 and asks for Bearer', async () => {
  const unknown = await call('/v1/extract', { Authorization: `Bearer wk_${'a'.repeat(32)}` });
  assertRefused(unknown, 'unauthorized', /^invalid API key: unknown/, 'auth');
  assert.equal(unknown.headers.get('WWW-Authenticate'), 'Bearer realm="winnow"');
  const basic = await call('/v1/extract', { Authorization: 'Basic d2lubm93OndpbW5vdw==' });
  assertRefused(basic, 'unauthorized', /^Authorization: must be Bearer and an API key$/, 'auth');
});

// Checks: threat-two-credentials, interface-5-rule-2
test('a foreign Authorization: Bearer beside a valid X-API-Key is ignored', async () => {
  const { projectId, secrets, store } = running;
  const expired = await running.addKey({ projectId, kind: 'key_only', expiresAt: new Date(Date.now() - 1000) });
  const revoked = await running.addKey({ projectId, kind: 'key_only', name: 'revoked beside' });
  const key = (await store.keys.list(projectId)).find(({ name }) => name === 'revoked beside');
  await store.keys.revoke(key?.id ?? '', new Date());
  const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl';
  for (const foreign of [jwt, 'x', `wk_${'a'.repeat(32)}`, 'x'.repeat(5000), '', expired, revoked]) {
    const Authorization = `Bearer ${foreign}`;
    const standalone = await call('/v1/extract', { 'X-API-Key': secrets.key_only, Authorization });
    assertRefused(standalone, 'invalid_request', /is required/, 'request');
    const ofProject = { 'X-API-Key': secrets.project, 'X-Project-Id': projectId, Authorization };
    assertRefused(await call('/v1/dom/dump', ofProject), 'invalid_request', /is required/, 'request');
  }
  // An invalid X-API-Key is refused, whatever stands beside it.
  const wrong = { 'X-API-Key': `wk_${'a'.repeat(32)}`, Authorization: `Bearer ${secrets.key_only}` };
  assertRefused(await call('/v1/extract', wrong), 'unauthorized', /^invalid API key/, 'auth');
});

// Checks: threat-two-credentials, interface-5-rule-2
test('X-API-Key and Authorization: Bearer with different valid keys are 400', async () => {
  const { key_only: standalone, project } = running.secrets;
  const different = await call('/v1/extract', { 'X-API-Key': standalone, Authorization: `Bearer ${project}` });
  assertRefused(different, 'invalid_request', /carry different keys; send one of the two$/, 'auth');
  const equal = await call('/v1/extract', { 'X-API-Key': standalone, Authorization: `Bearer ${standalone}` });
  assertRefused(equal, 'invalid_request', /is required/, 'request');
  const forProxy = await call('/v1/extract', { 'X-API-Key': standalone, Authorization: 'Basic d2lubm93' });
  assertRefused(forProxy, 'invalid_request', /is required/, 'request');
});

// Checks: threat-two-credentials, interface-5-rule-2
test('a repeated Authorization header is 401', async () => {
  const { hostname, port } = new URL(running.url);
  const headers = ['Host', hostname, 'Content-Type', 'application/json'];
  const twice = [running.secrets.key_only, running.secrets.project].flatMap((key) => [
    'Authorization',
    `Bearer ${key}`,
  ]);
  const request = http.request({
    hostname,
    port,
    path: '/v1/extract',
    method: 'POST',
    headers: [...headers, ...twice],
  });
  request.end('{}');
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  const body = JSON.parse(await text(response)) as { error: { code: string; message: string } };
  assert.equal(response.statusCode, 401);
  assert.equal(body.error.message, 'a credential header is repeated');
});

// Checks: interface-5-rule-1
test('header names are case-insensitive', async () => {
  const answer = await call('/v1/extract', { 'x-api-key': running.secrets.project, 'X-PROJECT-ID': running.projectId });
  assertRefused(answer, 'invalid_request', /is required/, 'request');
});

// Checks: interface-5-rule-2
test('an unauthenticated request with a malformed body is 401', async () => {
  const answer = await running.call('/v1/extract', '{"extract":', { as: 'none' });
  assertRefused(answer, 'unauthorized', /^missing X-API-Key/, 'auth');
});

// Checks: interface-5-rule-4
test('an expired test key is 401', async () => {
  const { projectId } = running;
  const expired = await running.addKey({ projectId, kind: 'key_only', expiresAt: new Date(Date.now() - 1000) });
  assertRefused(
    await call('/v1/extract', { 'X-API-Key': expired }),
    'unauthorized',
    /^invalid API key: unknown, expired or revoked$/,
    'auth',
  );
  const lasting = await running.addKey({ projectId, kind: 'key_only', expiresAt: new Date(Date.now() + 3_600_000) });
  assertRefused(await call('/v1/extract', { 'X-API-Key': lasting }), 'invalid_request', /is required/);
});

// Checks: interface-5-rule-2
test('a key is refused from the moment it is revoked', async () => {
  const { projectId, store } = running;
  const secret = await running.addKey({ projectId, kind: 'key_only', name: 'to revoke' });
  assertRefused(await call('/v1/extract', { 'X-API-Key': secret }), 'invalid_request', /is required/);
  const key = (await store.keys.list(projectId)).find(({ name }) => name === 'to revoke');
  await store.keys.revoke(key?.id ?? '', new Date());
  assertRefused(
    await call('/v1/extract', { 'X-API-Key': secret }),
    'unauthorized',
    /^invalid API key: unknown, expired or revoked$/,
    'auth',
  );
});

// Checks: interface-5-rule-2
test("an archived project's keys are refused", async () => {
  const id = 'prj_01J00000000000000000000001';
  await running.store.projects.insert({ id, name: 'archived', createdAt: new Date(), archivedAt: new Date() });
  const secret = await running.addKey({ projectId: id, kind: 'key_only' });
  assertRefused(
    await call('/v1/extract', { 'X-API-Key': secret }),
    'unauthorized',
    /^the project of this API key is archived; an administrator can bring it back in the console$/,
    'auth',
  );
});

// Checks: interface-5-keys
test('the last use of a key is recorded', async () => {
  const { projectId, store } = running;
  const secret = await running.addKey({ projectId, kind: 'key_only', name: 'used' });
  await call('/v1/extract', { 'X-API-Key': secret });
  for (;;) {
    const key = (await store.keys.list(projectId)).find(({ name }) => name === 'used');
    if (key?.lastUsedAt) return;
    await sleep(100);
  }
});

// Checks: threat-key-guessing, interface-5-keys
test('keys are stored as hashes and never logged', async () => {
  await running.call('/v1/extract', { extract: {} }, { as: 'A' });
  for (const secret of Object.values(running.secrets)) assert.equal(running.log.join('').includes(secret), false);
});

// Checks: interface-5-keys
test('a later start creates and shows no keys', async () => {
  const content = new LocalSnapshotContent(join(running.folder, 'snapshots'));
  assert.equal(await prepareFirstStart({ ...running.store, content }), undefined);
});
