import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { readWarc } from './read-warc.ts';
import type { WarcPage } from './read-warc.ts';

const PARAGRAPH = '<p>Der Fluss trat am Morgen über die Ufer, und die Straßen der Stadt standen bald unter Wasser.</p>';
const PAGE = `<!doctype html><title>Flut</title><main><h1>Flut</h1>${PARAGRAPH.repeat(6)}</main>`;

function record(type: string, id: string, content: Buffer | string, more = ''): Buffer {
  const body = Buffer.from(content);
  const head = `WARC/1.1\r\nWARC-Type: ${type}\r\nWARC-Record-ID: <urn:uuid:${id}>\r\nWARC-Target-URI: https://a.example/${id}\r\nWARC-Date: 2026-01-02T03:04:05Z\r\n${more}Content-Length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), body, Buffer.from('\r\n\r\n')]);
}

function response(status: number, headers: string, body: Buffer | string): Buffer {
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} X\r\n${headers}\r\n`), Buffer.from(body)]);
}

const HTTP = 'Content-Type: application/http; msgtype=response\r\n';
const RECORDS = [
  record('warcinfo', 'info', 'software: test\r\n'),
  record('request', 'asked', 'GET / HTTP/1.1\r\nHost: a.example\r\n\r\n', 'Content-Type: application/http\r\n'),
  record('response', 'utf8', response(200, 'Content-Type: text/html\r\nContent-Language: de\r\n', PAGE), HTTP),
  record(
    'response',
    'latin1',
    response(200, 'Content-Type: text/html; charset=iso-8859-1\r\n', Buffer.from(PAGE, 'latin1')),
    HTTP,
  ),
  record('response', 'image', response(200, 'Content-Type: image/png\r\n', 'png'), HTTP),
  record('response', 'absent', response(404, 'Content-Type: text/html\r\n', PAGE), HTTP),
  record('response', 'large', response(200, 'Content-Type: text/html\r\n', 'x'.repeat(20_000)), HTTP),
  record(
    'response',
    'packed',
    response(200, 'Content-Type: text/html\r\nContent-Encoding: gzip\r\n', gzipSync(PAGE)),
    HTTP,
  ),
];

for (const [name, bytes] of [
  ['a plain file', Buffer.concat(RECORDS)],
  ['a compressed file', Buffer.concat(RECORDS.map((one) => gzipSync(one)))],
] as const) {
  test(`${name} gives its HTML pages, decoded, and nothing else`, async () => {
    const pages: WarcPage[] = [];
    for await (const page of readWarc(Readable.from([bytes]), 10_000)) pages.push(page);
    assert.deepEqual(
      pages.map(({ id }) => id),
      ['urn:uuid:utf8', 'urn:uuid:latin1', 'urn:uuid:packed'],
    );
    for (const page of pages) assert.equal(page.html, PAGE);
    const { html: _html, ...first } = pages[0] ?? { html: '' };
    assert.deepEqual(first, {
      id: 'urn:uuid:utf8',
      url: 'https://a.example/utf8',
      statusCode: 200,
      fetchedAt: '2026-01-02T03:04:05Z',
      contentLanguage: 'de',
    });
  });
}

test('winnow batch extracts an archive', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'winnow-warc-'));
  try {
    const [input, output] = [path.join(folder, 'crawl.warc.gz'), path.join(folder, 'out.jsonl')];
    await writeFile(input, Buffer.concat(RECORDS.map((one) => gzipSync(one))));
    const program = path.join(import.meta.dirname, '../winnow.ts');
    await promisify(execFile)(process.execPath, [program, 'batch', '-i', input, '-o', output, '--threads', '1']);
    const lines = (await readFile(output, 'utf8')).trim().split('\n');
    const results = lines.map((line) => JSON.parse(line) as { id: string; result?: { title: string; url: string } });
    assert.equal(results.length, 4, 'three pages, and the one that is too large only for the other test');
    const flood = results.find(({ id }) => id === 'urn:uuid:utf8');
    assert.equal(flood?.result?.title, 'Flut');
    assert.equal(flood.result.url, 'https://a.example/utf8');
  } finally {
    await rm(folder, { recursive: true });
  }
});
