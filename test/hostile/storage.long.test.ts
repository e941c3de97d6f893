import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { damageContent } from '../../packages/server/src/snapshots/testing/change-content.ts';
import { damageTable } from '../damage-table.ts';
import { startRunning } from '../support/running-service.ts';
import { dumpTestPage } from '../support/start-for-test.ts';
import { startTorturedService } from '../torture/start-tortured-service.ts';
import { send } from './send.ts';
import { serveDistinctPages } from './serve-distinct-pages.ts';

// Checks: threat-damaged-files
test('a damaged snapshot is a logged internal error of stage snapshot, not a crash and not another page', async (t) => {
  const running = await startRunning();
  t.after(() => running.close());
  const { body } = await dumpTestPage(running, '/article');
  const row = await running.store.snapshots.find(running.projectId, body.dom_id);
  damageContent(path.join(running.folder, 'snapshots'), row?.hash ?? '', Buffer.from('damaged'));
  const answer = await running.call('/v1/extract', { extract: { dom_id: body.dom_id } });
  assert.equal(answer.status, 500);
  assert.deepEqual([answer.body.error.code, answer.body.error.stage], ['internal', 'snapshot']);
  assert.doesNotMatch(JSON.stringify(answer.body.error), /damaged|zst/);
  assert.ok(running.log.some((line) => line.includes('"level":50') && line.includes('is damaged')));
  assert.equal((await fetch(`${running.url}/healthz`)).status, 200);
});

// Checks: threat-read-only-disk
test('while snapshots cannot be written nothing is acknowledged, readyz says so, and the service recovers', async (t) => {
  const running = await startRunning();
  t.after(() => running.close());
  const folder = path.join(running.folder, 'snapshots');
  await rm(folder, { recursive: true });
  // A file instead of the folder: this fails for every user, including root.
  await writeFile(folder, '');
  const refused = await dumpTestPage(running, '/article');
  assert.equal(refused.status, 500);
  assert.deepEqual([refused.body.error.code, refused.body.error.stage], ['internal', 'snapshot']);
  assert.equal((await running.store.snapshots.list(running.projectId)).items.length, 1, 'only the sample has a row');
  const ready = await fetch(`${running.url}/readyz`);
  assert.equal(ready.status, 503);
  await rm(folder);
  await mkdir(folder);
  assert.equal((await dumpTestPage(running, '/article')).status, 200);
});

for (const [name, file, table] of [
  ['the database', 'winnow.db', 'snapshots'],
  ['the database of the snapshots', 'snapshots/content.db', 'contents'],
] as const)
  // Checks: threat-damaged-files
  test(`a damaged page of ${name} is an internal error, readyz says so, and the service stays up`, async (t) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'winnow-damaged-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const pages = await startRunning();
    t.after(() => pages.close());
    const order = { url: `${pages.pages.url}/article`, options: { engine_preference: 'http' } };
    const first = await startTorturedService(folder, ['127.0.0.1']);
    const kept = await send(first, '/v1/dom/dump', order);
    assert.equal(kept.status, 200);
    assert.equal(await first.stop(), 0);
    damageTable(path.join(folder, file), table);

    const service = await startTorturedService(folder, ['127.0.0.1'], first.key);
    try {
      for (let attempt = 0; attempt < 3; attempt += 1) {
        const read = await send(service, '/v1/extract', { extract: { dom_id: kept.body.dom_id } });
        const written = await send(service, '/v1/dom/dump', order);
        assert.deepEqual([read.status, written.status], [500, 500]);
        assert.deepEqual([read.body.error?.code, read.body.error?.stage], ['internal', 'snapshot']);
        assert.doesNotMatch(JSON.stringify([read.body, written.body]), /malformed|sqlite|\.db/i);
      }
      const ready = await fetch(`${service.url}/readyz`);
      assert.equal(ready.status, 503);
      assert.match(await ready.text(), /the database file is damaged, restore a backup/);
      assert.equal((await fetch(`${service.url}/healthz`)).status, 200);
    } finally {
      assert.equal(await service.stop(), 0);
    }
    assert.ok(service.errors.some((line) => line.includes('malformed')));
  });

for (const [file, stage] of [
  ['winnow.db', 'request'],
  ['snapshots/content.db', 'snapshot'],
] as const)
  // Checks: threat-locked-database
  test(`while another process locks ${file} the service answers, and requests that it cannot store are overloaded`, async (t) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'winnow-locked-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const site = await serveDistinctPages();
    const service = await startTorturedService(folder, ['127.0.0.1']);
    const order = (page: number) => ({ url: `${site.url}/${page}`, options: { engine_preference: 'http' } });
    const kept = await send(service, '/v1/dom/dump', order(0));
    const read = () => send(service, '/v1/extract', { extract: { dom_id: kept.body.dom_id } });
    // Starts the extraction thread before the observed wait.
    assert.equal((await read()).status, 200);
    const other = new DatabaseSync(path.join(folder, file), { timeout: 60_000 });
    try {
      other.exec('begin immediate');
      const refusal = send(service, '/v1/dom/dump', order(1));
      const over = new AbortController();
      void refusal.finally(() => over.abort());
      let answers = 0;
      while (!over.signal.aborted) {
        assert.equal((await fetch(`${service.url}/healthz`)).status, 200);
        assert.equal((await read()).status, 200);
        answers += 1;
        // Leaves the cores to other tests.
        await sleep(50);
      }
      const refused = await refusal;
      const { code, stage: at } = refused.body.error ?? {};
      assert.deepEqual([refused.status, code, at], [503, 'overloaded', stage]);
      assert.ok(Number(refused.retryAfter) >= 1);
      // A wait that blocks the event loop would let at most one through.
      assert.ok(answers > 3, `${answers} answers meanwhile`);
      other.exec('rollback');
      assert.equal((await send(service, '/v1/dom/dump', order(1))).status, 200);
    } finally {
      other.close();
      assert.equal(await service.stop(), 0);
      await site.close();
    }
  });
