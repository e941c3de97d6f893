import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import Fastify from 'fastify';
import { addConsole } from './console.ts';

test('a file of the console is the one of the start, and browsers keep it', async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'winnow-console-'));
  t.after(() => rm(folder, { recursive: true }));
  const asset = path.join(folder, 'assets/main-1a2b.js');
  await mkdir(path.dirname(asset));
  await writeFile(path.join(folder, 'index.html'), '<!doctype html>');
  await writeFile(asset, 'let a = 1;'.repeat(1000));
  const app = Fastify();
  t.after(() => app.close());
  addConsole(app, folder, '');
  await app.ready();
  const get = (headers: Record<string, string> = {}) => app.inject({ url: '/console/assets/main-1a2b.js', headers });

  // As a build does while the service runs.
  await rm(asset);
  const read = await get({ 'Accept-Encoding': 'br' });
  assert.equal(read.statusCode, 200);
  assert.match(String(read.headers['cache-control']), /immutable/);
  assert.equal(read.headers['content-encoding'], 'br');
  assert.ok(read.rawPayload.length < 1000);

  const known = await get({ 'If-None-Match': String(read.headers.etag) });
  assert.equal(known.statusCode, 304);
  assert.equal(known.body, '');
});

test('every address below the console is its page, but a script that does not exist is 404', async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'winnow-console-'));
  t.after(() => rm(folder, { recursive: true }));
  await writeFile(path.join(folder, 'index.html'), '<!doctype html>');
  const app = Fastify();
  t.after(() => app.close());
  addConsole(app, folder, '');
  for (const [url, status] of [
    ['/console/p/prj_1/overview', 200],
    ['/console/assets/earlier-1a2b.js', 404],
    ['/console/assets/', 404],
  ] as const)
    assert.equal((await app.inject(url)).statusCode, status, url);
});
