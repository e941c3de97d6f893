import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { ARTICLE, openCommands } from '../testing/commands.ts';

// Not in `before`: if a name pattern selects no test, `node --test` does not wait for it before `after`.
const { siteUrl, environment, file, run, readJsonLines, close } = await openCommands();
after(close);

test('batch: damaged gzip input is reported in one line after the pages before it', async () => {
  const lines = Array.from({ length: 200 }, (_, id) => JSON.stringify({ id, url: null, html: `${ARTICLE}${id}` }));
  const packed = gzipSync(lines.join('\n'));
  await writeFile(file('cut.jsonl.gz'), packed.subarray(0, packed.length - 20));
  const { code, err } = await run(['batch', '-i', file('cut.jsonl.gz'), '-o', file('cut-out.jsonl')]);
  assert.equal(code, 1);
  assert.match(err, /^winnow: --input: .*cut\.jsonl\.gz is not a complete gzip file/m);
  assert.doesNotMatch(err, /^ +at /m);
  assert.ok((await readJsonLines('cut-out.jsonl')).length > 100);
});

test('batch: failed pages are retried on request only', async () => {
  const input = [
    { id: 1, html: ARTICLE },
    { id: 2, url: `${siteUrl}/a` },
    { id: 3, url: `${siteUrl}/gone` },
  ];
  await writeFile(file('retry.jsonl'), input.map((line) => JSON.stringify(line)).join('\n'));
  const command = ['batch', '-i', file('retry.jsonl'), '-o', file('retry-out.jsonl'), '--json'];
  assert.match((await run(command)).err, /"done": 3,\n {2}"failed": 2/);
  const skipped = await run([...command, '--engine', 'http']);
  assert.match(skipped.err, /"done": 0,\n {2}"failed": 0,\n {2}"skipped": 3,\n {2}"failed_earlier": 2/);
  assert.match(skipped.err, /^winnow: 2 pages failed in an earlier run; .*--retry-failed/m);
  assert.equal(skipped.code, 3);
  const again = await run([...command, '--engine', 'http', '--retry-failed']);
  assert.match(again.err, /"done": 2,\n {2}"failed": 1,\n {2}"skipped": 1/);
  const lines = await readJsonLines('retry-out.jsonl');
  const kinds = lines.map((line) => `${String(line['id'])} ${'result' in line ? 'result' : 'error'}`);
  const wanted = ['1 result', '2 error', '2 result', '3 error', '3 error'];
  assert.deepEqual(
    kinds.toSorted((a, b) => a.localeCompare(b)),
    wanted,
  );
});

test('batch: capture flags apply to fetched pages', async () => {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.headers['user-agent']} ${request.headers['accept-language']}`);
    response
      .setHeader('content-type', 'text/html')
      .end(`<h1>Market</h1>${'<p>The market by the harbour opens at six.</p>'.repeat(8)}`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    await writeFile(file('urls.jsonl'), `${JSON.stringify({ id: 1, url: `http://127.0.0.1:${port}/` })}\n`);
    const flags = ['--engine', 'http', '--user-agent', 'ExampleBot/1.0', '--accept-language', 'de-CH'];
    const args = ['batch', '-i', file('urls.jsonl'), '-o', file('fetched.jsonl'), ...flags];
    const { code } = await run(args, '', undefined, { WINNOW_EGRESS_ALLOW: `127.0.0.1:${port}` });
    assert.equal(code, 0);
    assert.ok(seen.length > 0 && seen.every((one) => one === 'ExampleBot/1.0 de-CH'), seen.join());
  } finally {
    server.close();
  }
});

test('batch: the time limit is that of the fetch, too', async () => {
  const server = createServer(() => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    await writeFile(file('silent.jsonl'), `${JSON.stringify({ id: 1, url: `http://127.0.0.1:${port}/` })}\n`);
    const args = ['batch', '-i', file('silent.jsonl'), '-o', file('silent-out.jsonl'), '--engine', 'http'];
    const settings = { WINNOW_EGRESS_ALLOW: `127.0.0.1:${port}` };
    const { code, err } = await run([...args, '--timeout', '300ms'], '', undefined, settings);
    assert.equal(code, 3);
    assert.match(err, /1 failed \(1 fetch_timeout\)/);
    assert.match(JSON.stringify(await readJsonLines('silent-out.jsonl')), /300 ms/);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test('batch: a second run processes only missing pages', async () => {
  const page = (id: number): string => JSON.stringify({ id, html: ARTICLE });
  await writeFile(file('more.jsonl'), [page(1), page(2), page(3)].join('\n'));
  await writeFile(file('more-out.jsonl'), '{"id":2,"result":{"kept":true},"metadata":{}}\n{"id":3,"resu');
  const { code } = await run(['batch', '-i', file('more.jsonl'), '-o', file('more-out.jsonl')]);
  assert.equal(code, 0);
  const ids = (await readJsonLines('more-out.jsonl')).map((line) => line['id']);
  assert.deepEqual(new Set(ids), new Set([1, 2, 3]));
  assert.equal(ids.length, 3);
  const { err } = await run(['batch', '-i', file('more.jsonl'), '-o', file('more-out.jsonl'), '--json']);
  assert.match(err, /"done": 0,\n {2}"failed": 0,\n {2}"skipped": 3/);
});

test('batch: with an engine URLs are fetched, and standard streams work', async () => {
  const input = `${JSON.stringify({ id: 1, url: `${siteUrl}/a` })}\n${JSON.stringify({ id: 2, url: `${siteUrl}/gone` })}\n`;
  const { code, out } = await run(['batch', '-i', '-', '-o', '-', '--engine', 'http'], input);
  assert.equal(code, 3);
  const lines = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: number } & Record<string, object>);
  const [first, second] = lines.toSorted((a, b) => a.id - b.id);
  assert.deepEqual(first?.['result'] && 'status_code' in first['result'] && first['result'].status_code, 200);
  assert.match(JSON.stringify(second), /http_status_not_ok.*"upstream_status_code":404/);
});

test('batch: a closed standard error does not stop a run', async () => {
  await writeFile(file('unread.jsonl'), `${JSON.stringify({ id: '1', html: ARTICLE })}\n`);
  const program = path.join(import.meta.dirname, '..', 'winnow.ts');
  const args = [program, 'batch', '-i', file('unread.jsonl'), '-o', file('unread-out.jsonl'), '--json'];
  const batch = spawn(process.execPath, args, { env: { ...process.env, ...environment } });
  batch.stderr.destroy();
  assert.deepEqual(await once(batch, 'exit'), [0, null]);
  assert.equal((await readJsonLines('unread-out.jsonl')).length, 1);
});

test('batch: a stopped run says how to continue', async () => {
  const stop = new AbortController();
  stop.abort();
  await writeFile(file('stop.jsonl'), `${JSON.stringify({ id: 1, html: ARTICLE })}\n`);
  const { code, err } = await run(['batch', '-i', file('stop.jsonl'), '-o', file('stop-out.jsonl')], '', stop.signal);
  assert.equal(code, 1);
  assert.match(err, /run the same command again/);
});

test('crawl: the pages of a site are one line each, and what was left out is counted', async () => {
  const server = createServer((request, response) => {
    const links =
      request.url === '/' ? '<a href="/a">a</a><a href="/b#x">b</a><a href="/c">c</a><a href="/gone">d</a>' : '';
    const isPage = ['/', '/a', '/b', '/c'].includes(request.url ?? '');
    response.writeHead(isPage ? 200 : 404, { 'content-type': 'text/html' }).end(ARTICLE + links);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const settings = { WINNOW_EGRESS_ALLOW: `127.0.0.1:${port}` };
  const flags = ['--engine', 'http', '--exclude', '/c', '--format', 'markdown'];
  try {
    const { code, out, err } = await run(['crawl', `${url}/`, ...flags], '', undefined, settings);
    assert.equal(code, 0, err);
    const lines = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    assert.deepEqual(
      lines.map((line) => [String(line['url']).slice(url.length), 'result' in line]),
      [
        ['/', true],
        ['/a', true],
        ['/b', true],
        ['/gone', false],
      ],
    );
    assert.match(err, /^3 pages, 1 failed \(1 http_status_not_ok\); links left out: scope 1$/m);
    const earlier = file('earlier.jsonl.gz');
    const [first = '', ...others] = out.split('\n');
    const before = [first.replaceAll('Spring', 'Autumn'), ...others].join('\n').replaceAll(`${url}/b`, `${url}/gone`);
    await writeFile(earlier, gzipSync(before));
    const again = await run(['crawl', `${url}/`, ...flags, '--since', earlier], '', undefined, settings);
    assert.match(
      again.err,
      /^3 pages, 1 failed \(1 http_status_not_ok\); since then: new 1, changed 1, unchanged 1, gone 1; links/m,
    );
    const none = await run(['crawl', `${url}/gone`, ...flags], '', undefined, settings);
    assert.equal(none.code, 3);
    assert.match(none.err, /^0 pages, 1 failed \(1 http_status_not_ok\)$/m);
    assert.match(none.err, /^winnow: no page could be read; the lines say why$/m);
    const broken = await run(['crawl', `${url}/`, '--since', import.meta.filename], '', undefined, settings);
    assert.equal(broken.code, 1);
    assert.match(broken.err, /line 1 is not a result of a crawl/);
    const refused = await run(['crawl', 'ftp://nowhere'], '', undefined, settings);
    assert.deepEqual([refused.code, refused.out], [2, '']);
    assert.match(refused.err, /only http and https are allowed/);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
