import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readConfig } from '../../packages/server/src/config/config.ts';
import { openEgress } from '../../packages/server/src/composition/open-fetcher.ts';
import { startRunning } from '../support/running-service.ts';
import type { Running } from '../support/running-service.ts';

const RULES = { prj_walled: { deny: ['127.0.0.1'] }, prj_wide: { allow: ['127.0.0.2'] } };

let running: Running;
before(async () => {
  running = await startRunning({ WINNOW_PROJECT_EGRESS: JSON.stringify(RULES) });
});
after(() => running.close());

async function keyOf(projectId: string): Promise<string> {
  await running.store.projects.insert({ id: projectId, name: projectId, createdAt: new Date(), archivedAt: null });
  return running.addKey({ projectId, kind: 'key_only' });
}

async function codeOf(path: string, body: object, key: string): Promise<string> {
  const answer = await running.call(path, body, { as: 'none', headers: { 'X-API-Key': key } });
  return answer.status === 200 ? 'ok' : answer.body.error.code;
}

// Checks: threat-rule-scope
test('egress rules of a project apply to it only', async () => {
  const plain = running.secrets.key_only;
  const [walled, wide] = [await keyOf('prj_walled'), await keyOf('prj_wide')];
  const order = (url: string) => ({ url, options: { engine_preference: 'http' } });
  const site = `${running.pages.url}/article`;
  // Nothing listens there; only an allowed caller learns that.
  const beside = site.replace('127.0.0.1', '127.0.0.2');
  assert.equal(await codeOf('/v1/dom/dump', order(site), plain), 'ok');
  assert.equal(await codeOf('/v1/dom/dump', order(site), walled), 'url_not_allowed');
  assert.equal(await codeOf('/v1/extract', { extract: { url: site } }, walled), 'url_not_allowed');
  assert.equal(await codeOf('/v1/dom/dump', order(site), wide), 'ok');
  assert.equal(await codeOf('/v1/dom/dump', order(beside), plain), 'url_not_allowed');
  assert.equal(await codeOf('/v1/dom/dump', order(beside), wide), 'connect_failed');
});

test('invalid egress rules of a project prevent the start and are named in the error', () => {
  for (const value of ['no json', '[]', '{"prj_x":{"block":[]}}'])
    assert.throws(() => readConfig({ WINNOW_PROJECT_EGRESS: value }), /WINNOW_PROJECT_EGRESS: must be JSON such as/);
  const config = readConfig({ WINNOW_PROJECT_EGRESS: '{"prj_x":{"deny":["not a rule!"]}}' });
  assert.throws(() => openEgress(config), /WINNOW_PROJECT_EGRESS: prj_x: egress rule "not a rule!"/);
});
