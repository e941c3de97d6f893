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
import type { WarcPage, WarcDamage } from './read-warc.ts';

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

function refuseDamage({ at, reason }: WarcDamage): void {
  assert.fail(`damaged at ${at}: ${reason}`);
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
  test(`${name} yields its decoded HTML pages and nothing else`, async () => {
    const pages: WarcPage[] = [];
    for await (const page of readWarc(Readable.from([bytes]), 10_000, refuseDamage)) pages.push(page);
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

/** Reads an archive in small pieces; returns page ids and damage. */
async function read(
  bytes: Buffer,
  pieceBytes = 1000,
  maxBytes = 10_000,
): Promise<{ ids: string[]; damage: WarcDamage[] }> {
  const pieces = Array.from({ length: Math.ceil(bytes.length / pieceBytes) }, (_, index) =>
    bytes.subarray(index * pieceBytes, (index + 1) * pieceBytes),
  );
  const [ids, damage]: [string[], WarcDamage[]] = [[], []];
  for await (const { id } of readWarc(Readable.from(pieces), maxBytes, (one) => damage.push(one)))
    ids.push(id.replace('urn:uuid:', ''));
  return { ids, damage };
}

const page = (id: string): Buffer => record('response', id, response(200, 'Content-Type: text/html\r\n', PAGE), HTTP);
const [ONE, TWO, THREE] = [page('one'), page('two'), page('three')];

for (const pieceBytes of [1, 7, 1000, 1_000_000]) {
  test(`an archive in pieces of ${pieceBytes} bytes is read completely`, async () => {
    const { ids, damage } = await read(Buffer.concat([ONE, TWO, THREE]), pieceBytes);
    assert.deepEqual([ids, damage], [['one', 'two', 'three'], []]);
  });
}

const swap = (bytes: Buffer, from: string | RegExp, to: string): Buffer =>
  Buffer.from(bytes.toString('latin1').replace(from, to), 'latin1');

/** Fault → archive, remaining pages, message, position. */
const DAMAGED: readonly (readonly [string, Buffer, readonly string[], RegExp, number])[] = [
  [
    'a cut end',
    Buffer.concat([ONE, TWO.subarray(0, -300)]),
    ['one'],
    /ends after \d+ of the \d+ bytes of a record/,
    ONE.length,
  ],
  ['a cut header', Buffer.concat([ONE, TWO.subarray(0, 40)]), ['one'], /header of a record has no end/, ONE.length],
  [
    'a length that is too small',
    Buffer.concat([ONE, swap(TWO, /Content-Length: \d+/, 'Content-Length: 100'), THREE]),
    ['one', 'three'],
    /does not end where its Content-Length says/,
    ONE.length,
  ],
  [
    'no length',
    Buffer.concat([ONE, swap(TWO, /Content-Length: \d+/, 'Content-Length: many'), THREE]),
    ['one', 'three'],
    /has no Content-Length/,
    ONE.length,
  ],
  [
    'bytes between records',
    Buffer.concat([ONE, Buffer.from('not a record\r\n\r\n'), TWO]),
    ['one', 'two'],
    /no record starts here/,
    ONE.length,
  ],
];

for (const [what, bytes, ids, reason, at] of DAMAGED) {
  for (const isPacked of [false, true]) {
    test(`${what}${isPacked ? ', compressed,' : ''} is reported, and the other pages are read`, async () => {
      const outcome = await read(isPacked ? gzipSync(bytes) : bytes);
      assert.deepEqual(outcome.ids, ids);
      assert.equal(outcome.damage.length, 1, JSON.stringify(outcome.damage));
      assert.match(outcome.damage[0]?.reason ?? '', reason);
      assert.equal(outcome.damage[0]?.at, at);
    });
  }
}

// Checks: threat-command-files
test('hostile records are bounded, and the pages around them are read', async () => {
  const html = 'Content-Type: text/html\r\n';
  const bomb = gzipSync(Buffer.alloc(400_000_000, 'x'));
  const hostile = [
    // Names that objects inherit are names like others.
    record(
      'response',
      'names',
      response(200, `${html}__proto__: x\r\nconstructor: y\r\n`, PAGE),
      `${HTTP}toString: z\r\n`,
    ),
    record('response', 'bomb', response(200, `${html}Content-Encoding: gzip\r\n`, bomb), HTTP),
    record('response', 'headers', response(200, html + 'a: b\r\n'.repeat(50_000), PAGE), HTTP),
    record('response', 'line', response(200, `${html}a: ${'b'.repeat(300_000)}\r\n`, PAGE), HTTP),
  ];
  const before = process.resourceUsage().maxRSS;
  const started = process.threadCpuUsage();
  const archive = Buffer.concat([ONE, ...hostile, TWO]);
  const { ids, damage } = await read(archive, archive.length, 1_000_000);
  assert.deepEqual(ids, ['one', 'names', 'two']);
  assert.deepEqual(
    damage.map(({ at, reason }) => [at, reason]),
    [2, 3].map((index) => [
      Buffer.concat([ONE, ...hostile.slice(0, index)]).length,
      'the HTTP header of a record is too long',
    ]),
  );
  // The whole bomb would take seconds and 600 MB.
  const { user, system } = process.threadCpuUsage(started);
  assert.ok(user + system < 2_000_000, `${user + system} µs`);
  assert.ok(process.resourceUsage().maxRSS - before < 200_000);
});

// Checks: threat-command-files
test('a record that claims 10 GB is reported', async () => {
  const { ids, damage } = await read(
    Buffer.concat([ONE, swap(TWO, /Content-Length: \d+/, 'Content-Length: 10737418240')]),
  );
  assert.deepEqual(ids, ['one']);
  assert.match(damage[0]?.reason ?? '', /ends after \d+ of the 10737418240 bytes/);
});

test('damaged compression is reported, and the pages before it are read', async () => {
  // More than zlib unpacks at once.
  const filler = Array.from({ length: 300 }, (_, index) => `<p>${Math.sin(index)}</p>`).join('');
  const packed = ['one', 'two', 'three'].map((id) =>
    gzipSync(record('response', id, response(200, 'Content-Type: text/html\r\n', filler), HTTP)),
  );
  const third = packed[2] ?? Buffer.alloc(0);
  const flipped = Buffer.from(third);
  flipped.writeUInt8(third.readUInt8(third.length - 30) ^ 0xff, third.length - 30);
  for (const last of [third.subarray(0, -20), flipped, Buffer.from('no gzip')]) {
    const { ids, damage } = await read(Buffer.concat([...packed.slice(0, 2), last]));
    assert.equal(ids[0], 'one');
    assert.match(damage.map(({ reason }) => reason).join(), /the compressed data is damaged/, last.toString('latin1'));
  }
});

test('a text file is not an archive', async () => {
  for (const bytes of ['My notes.\n', '', '{"id":1}\n', gzipSync('My notes.\n')])
    await assert.rejects(read(Buffer.from(bytes)), /is not a WARC file/);
});

/** Runs `winnow batch` on files of a folder. */
async function runBatch(
  folder: string,
  input: string,
  output: string,
): Promise<{ code: number; err: string; done: string[] }> {
  const program = path.join(import.meta.dirname, '../winnow.ts');
  const args = ['batch', '-i', path.join(folder, input), '-o', path.join(folder, output), '--threads', '1', '--json'];
  const { code, stderr } = await promisify(execFile)(process.execPath, [program, ...args]).then(
    (done) => ({ ...done, code: 0 }),
    (error: { code: number; stderr: string }) => error,
  );
  const lines = await readFile(path.join(folder, output), 'utf8').catch(() => '');
  const done = lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => (JSON.parse(line) as { id: string }).id.replace('urn:uuid:', ''));
  return { code, err: stderr, done };
}

test('winnow batch reports and counts damage, reads the rest and exits with 1', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'winnow-damage-'));
  try {
    await writeFile(
      path.join(folder, 'bad.warc'),
      Buffer.concat([ONE, Buffer.from('junk\r\n\r\n'), TWO, THREE.subarray(0, -50)]),
    );
    const damaged = await runBatch(folder, 'bad.warc', 'bad.jsonl');
    assert.equal(damaged.code, 1, damaged.err);
    assert.deepEqual(damaged.done.toSorted(), ['one', 'two']);
    assert.match(damaged.err, new RegExp(`bad\\.warc: damaged at byte ${ONE.length}: no record starts here`));
    assert.match(damaged.err, /the file ends after \d+ of the \d+ bytes of a record/);
    assert.match(damaged.err, /"damaged": 2/);
    assert.match(damaged.err, /2 damaged parts; the other pages were extracted/);
    assert.match(damaged.err, /100 % of the input/);

    await writeFile(path.join(folder, 'good.warc.gz'), Buffer.concat([ONE, TWO].map((one) => gzipSync(one))));
    const good = await runBatch(folder, 'good.warc.gz', 'good.jsonl');
    assert.equal(good.code, 0, good.err);
    assert.match(good.err, /2 pages, 0 failed, 100 % of the input/);

    await writeFile(path.join(folder, 'notes.warc'), 'My notes.\n');
    const text = await runBatch(folder, 'notes.warc', 'notes.jsonl');
    assert.equal(text.code, 1);
    assert.match(text.err, /notes\.warc is not a WARC file: it does not start with "WARC\/"/);

    const nowhere = await runBatch(folder, 'good.warc.gz', 'absent/out.jsonl');
    assert.equal(nowhere.code, 1);
    assert.match(nowhere.err, /^winnow: --output: no such folder: .*absent$/m);
    assert.doesNotMatch(nowhere.err, /pages/);
  } finally {
    await rm(folder, { recursive: true });
  }
});

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
