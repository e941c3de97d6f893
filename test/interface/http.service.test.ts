import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { buffer as readBuffer } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { Validator } from '@seriousme/openapi-schema-validator';
import { assertRefused } from '../support/assert-refused.ts';
import { readReadiness } from '../support/read-readiness.ts';
import { startRunning } from '../support/running-service.ts';
import type { Body, Running } from '../support/running-service.ts';

let running: Running;
before(async () => {
  running = await startRunning();
});
after(() => running.close());

const get = (path: string) => running.call(path, undefined, { method: 'GET', as: 'none' });

// Checks: interface-7-shape, interface-9.1
test('an unknown path is 404 not_found in JSON', async () => {
  assertRefused(await get('/v1/nothing'), 'not_found', /\/v1\/nothing/);
  assertRefused(await running.call('/v3/extract', '{broken'), 'not_found', /\/v3\/extract/);
});

// Checks: interface-7-shape
test('another method is 405 method_not_allowed with Allow', async () => {
  for (const path of ['/v1/extract', '/v1/dom/dump']) {
    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      const answer = await running.call(path, undefined, { method });
      assertRefused(answer, 'method_not_allowed', new RegExp(method));
      assert.equal(answer.headers.get('Allow'), 'POST');
    }
  }
});

// Checks: interface-7-400-body
test('malformed JSON is 400 and the message names the position', async () => {
  const cases: readonly (readonly [string, RegExp])[] = [
    ['{"extract": tru}', /position 15/],
    ['{"extract": {"url": "x",}}', /position 24/],
    ['{"extract"', /position 10/],
    ['not json', /position 1|position 0/],
    ['{"a": "\u0001"}', /position 7/],
  ];
  for (const [text, message] of cases)
    assertRefused(await running.call('/v1/extract', text), 'invalid_request', message);
});

// Checks: interface-7-400-body
test('an empty body is 400', async () => {
  assertRefused(await running.call('/v1/extract', ''), 'invalid_request', /^body: is (empty|required)/);
  assertRefused(await running.call('/v1/dom/dump', undefined), 'invalid_request', /^body: is (empty|required)/);
});

// Checks: interface-7-400-body
test('a body that is not UTF-8 is 400', async () => {
  const bytes = Buffer.concat([Buffer.from('{"url":"http://a.example/'), Buffer.from([0xff]), Buffer.from('"}')]);
  const answer = await send('/v1/dom/dump', bytes, { 'Content-Type': 'application/json' });
  assert.equal(answer.status, 400);
  assert.match(answer.body.error.message, /UTF-8/);
});

// Checks: interface-4.1-headers
test('another content type, charset or encoding is 400', async () => {
  const text = '{"extract":{"url":"https://a.example/"}}';
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'nonsense',
  ]) {
    const answer = await running.call('/v1/extract', text, { headers: { 'Content-Type': type } });
    assertRefused(answer, 'invalid_request', /^Content-Type: must be application\/json/);
  }
  for (const [charset, named] of [
    ['iso-8859-1', 'iso-8859-1'],
    ['', 'empty'],
  ] as const) {
    const headers = { 'Content-Type': `application/json; charset=${charset}` };
    const fault = new RegExp(`^Content-Type: the charset must be utf-8, not ${named}$`);
    assertRefused(await running.call('/v1/extract', text, { headers }), 'invalid_request', fault);
  }
  const encoding = { 'Content-Encoding': 'gzip' };
  const message = /^Content-Encoding: must be absent, not gzip: send the body uncompressed$/;
  assertRefused(await running.call('/v1/extract', text, { headers: encoding }), 'invalid_request', message);
});

// Checks: interface-7-400-body
test('a parameter in the query of a POST is 400, because it would have no effect', async () => {
  const { url } = running.pages;
  for (const [path, body] of [
    ['/v1/extract', { extract: { url } }],
    ['/v1/dom/dump', { url }],
    ['/v1/batches', { urls: [url] }],
  ] as const) {
    const hits = running.pages.hits('/');
    const message = /^query: unknown parameter format; the request is the JSON body$/;
    assertRefused(await running.call(`${path}?format=markdown`, body), 'invalid_request', message);
    assert.equal(running.pages.hits('/'), hits);
  }
});

// Checks: interface-4.1-headers
test('application/json with charset=utf-8 is accepted', async () => {
  const headers = { 'Content-Type': 'application/json; charset=UTF-8' };
  assertRefused(await running.call('/v1/extract', '{}', { headers }), 'invalid_request', /^extract: is required/);
});

// Checks: interface-7-413
test('10 MB of JSON is 413 payload_too_large', async () => {
  const text = JSON.stringify({ extract: { url: `http://example.com/${'a'.repeat(10_000_000)}` } });
  const message = /^the request body is larger than 1 MiB \(WINNOW_MAX_BODY_BYTES\)$/;
  assertRefused(await running.call('/v1/extract', text), 'payload_too_large', message);
  const chunked = await send('/v1/extract', Buffer.from(text), {
    'Transfer-Encoding': 'chunked',
    'Content-Type': 'application/json',
  });
  assert.equal(chunked.status, 413);
});

// Checks: interface-7-413
test('after a 413 a caller may finish sending the body, unless it is huge', async (t) => {
  const { hostname, port } = new URL(running.url);
  const socket = connect(Number(port), hostname);
  t.after(() => socket.destroy());
  const answers = socket.setEncoding('latin1')[Symbol.asyncIterator]() as AsyncIterator<string>;
  const readUntil = async (pattern: RegExp): Promise<string> => {
    let text = '';
    while (!pattern.test(text)) {
      const { value, done } = await answers.next();
      assert.ok(!done, `the connection ended after: ${text}`);
      text += value;
    }
    return text;
  };
  const head = `POST /v1/extract HTTP/1.1\r\nHost: x\r\nX-API-Key: ${running.secrets.key_only}\r\nContent-Type: application/json\r\n`;
  socket.write(`${head}Content-Length: 30000000\r\n\r\n`);
  assert.match(await readUntil(/"trace":.*\}$/s), /^HTTP\/1\.1 413 /);
  socket.write('a'.repeat(30_000_000));
  socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
  assert.match(await readUntil(/"status":"ok"/), /^HTTP\/1\.1 200 /);
  socket.write(`${head}Content-Length: 30000000000\r\n\r\n`);
  assert.match(await readUntil(/"trace":.*\}$/s), /^HTTP\/1\.1 413 .*\r\nConnection: close\r\n/is);
});

// Checks: interface-1.4
test('a well-formed X-Request-ID is kept, in header and body', async () => {
  for (const id of ['abc', 'A.b_c-9', 'x'.repeat(128)]) {
    const { headers, body } = await running.call('/v1/extract', {}, { headers: { 'X-Request-ID': id } });
    assert.equal(headers.get('X-Request-ID'), id);
    assert.equal(body.request_id, id);
  }
});

// Checks: interface-1.4
test('any other X-Request-ID is replaced by a generated id', async () => {
  for (const id of ['x'.repeat(129), 'a b', 'a/b', '"', '']) {
    const { headers, body } = await running.call('/v1/extract', {}, { headers: { 'X-Request-ID': id } });
    assert.match(body.request_id, /^req_[0-9A-HJKMNP-TV-Z]{26}$/);
    assert.equal(headers.get('X-Request-ID'), body.request_id);
  }
});

const CALLER = 'X-Request-ID: of-the-caller\r\n';
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

// Checks: interface-1.4
test('data that is not HTTP is answered 400 in JSON with a request id and a trace', async () => {
  const head = 'POST /v1/extract HTTP/1.1\r\nHost: x\r\n';
  for (const text of [
    'nonsense\r\n\r\n',
    `${head}X-Long: ${'a'.repeat(40_000)}\r\n\r\n`,
    `${head}Content-Length: x\r\n\r\n`,
    'GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: nonsense\r\n\r\n',
    'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n',
    'CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n',
  ]) {
    const raw = await speak(text);
    assert.match(raw, /^HTTP\/1\.1 400 /);
    assert.match(raw, /\r\nX-Request-ID: req_/i);
    assert.match(raw, /\r\ntraceparent: 00-[0-9a-f]{32}-[0-9a-f]{16}-00\r\n/i);
    const body = JSON.parse(raw.slice(raw.indexOf('\r\n\r\n') + 4)) as { error: { code: string } };
    assert.equal(body.error.code, 'invalid_request');
  }
});

// Checks: interface-7-400-body
test('U+0000 in a header or in the request line is 400', async () => {
  for (const text of [
    `POST /v1/extract HTTP/1.1\r\nHost: x\r\nX-API-Key: ${running.secrets.key_only}\0\r\n\r\n`,
    'GET /healthz HTTP/1.1\r\nHost: x\r\nX\0: a\r\n\r\n',
    'GET /health\0z HTTP/1.1\r\nHost: x\r\n\r\n',
  ]) {
    const raw = await speak(text);
    assert.match(raw, /^HTTP\/1\.1 400 .*"code":"invalid_request"/s, JSON.stringify(text));
  }
});

// Checks: interface-1.4
test("a request refused before routing keeps its caller's request id and trace", async () => {
  const more = `${CALLER}traceparent: 00-${TRACE}-00f067aa0ba902b7-01\r\nConnection: close\r\n\r\n`;
  for (const text of [
    `GET /v1/batches/%zz HTTP/1.1\r\nHost: x\r\n${more}`,
    `GET /v1/batches/${'a'.repeat(900)} HTTP/1.1\r\nHost: x\r\n${more}`,
    `GET /healthz HTTP/1.1\r\n${more}`,
    `GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: nonsense\r\n${more}`,
    `CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n${more}`,
  ]) {
    const raw = await speak(text);
    assert.match(raw, /^HTTP\/1\.1 400 /);
    assert.match(raw, /\r\nX-Request-ID: of-the-caller\r\n/i, text.slice(0, 40));
    assert.match(raw, new RegExp(`\r\ntraceparent: 00-${TRACE}-(?!00f067aa0ba902b7)[0-9a-f]{16}-01\r\n`, 'i'));
  }
});

// Checks: threat-smuggling, interface-7-400-body
test('a repeated Host, and a transfer coding in HTTP/1.0, are 400 and close the connection', async () => {
  const next = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';
  for (const [text, message] of [
    [`GET /healthz HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n`, 'Host: must not be repeated'],
    [`GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\nHost: x\r\nhost: x\r\n\r\n`, 'Host: must not be repeated'],
    [
      `POST /v1/extract HTTP/1.0\r\nHost: x\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
      'Transfer-Encoding: HTTP/1.0 does not have it',
    ],
  ] as const) {
    const raw = await speak(text + next);
    assert.match(raw, /^HTTP\/1\.1 400 [^]*\r\nConnection: close\r\n/i);
    assert.ok(raw.includes(`"message":"${message}"`), raw);
    assert.equal(raw.split('HTTP/1.1 ').length, 2, 'the next request on the connection is not answered');
  }
});

// Checks: interface-1.4
test('a transfer coding other than chunked is 400', async () => {
  const key = `X-API-Key: ${running.secrets.key_only}\r\n`;
  const head = `POST /v1/extract HTTP/1.1\r\nHost: x\r\n${key}Content-Type: application/json\r\nConnection: close\r\n`;
  const coded = (codings: string) => speak(`${head}${codings}\r\n2\r\n{}\r\n0\r\n\r\n`);
  for (const codings of [
    'Transfer-Encoding: gzip, chunked\r\n',
    'Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n',
  ])
    assert.match(await coded(codings), /^HTTP\/1\.1 400 .*"message":"Transfer-Encoding: only chunked is supported"/s);
  assert.match(await coded('Transfer-Encoding: Chunked\r\n'), /"message":"extract: is required/);
});

// Checks: threat-smuggling, interface-beyond
test('a request with refused framing is answered once, and nothing after it is treated as a request', async () => {
  const head = `POST /v1/extract HTTP/1.1\r\nHost: x\r\nX-API-Key: ${running.secrets.key_only}\r\nContent-Type: application/json\r\n`;
  const next = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';
  for (const framing of [
    'Transfer-Encoding: gzip\r\n\r\n',
    'Transfer-Encoding: identity\r\n\r\n',
    'Transfer-Encoding: xchunked\r\n\r\n',
    'Transfer-Encoding: gzip, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n',
    'Transfer-Encoding: chunked, gzip\r\n\r\n',
    'Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}',
    'Content-Length: +2\r\n\r\n{}',
    'Content-Length: -1\r\n\r\n{}',
    'Content-Length: 99999999999999999999999\r\n\r\n{}',
    'Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n',
    'Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\nzz\r\n',
  ]) {
    // Resolves when the service closes the connection.
    const raw = await speak(head + framing + next);
    assert.deepEqual(raw.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 400'], framing);
  }
  const refused = head.replace(running.secrets.key_only, 'wk_none');
  const raw = await speak(`${refused}Transfer-Encoding: chunked\r\n\r\nzz\r\n`);
  assert.equal(raw.match(/HTTP\/1\.1 \d+/g)?.length, 1);
});

// Checks: interface-7-400-body
test('a path that cannot be decoded is 400 in JSON', async () => {
  const answer = await get('/v1/%zz');
  assertRefused(answer, 'invalid_request', /path/);
});

const DECODERS = { zstd: zstdDecompressSync, br: brotliDecompressSync, gzip: gunzipSync } as const;

/** Returns the answer without decoding it. */
async function getRaw(path: string, headers: Record<string, string>) {
  const sent = request(running.url + path, { headers: { 'X-API-Key': running.secrets.key_only, ...headers } }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { headers: response.headers, bytes: await readBuffer(response) };
}

// Checks: interface-beyond
test('large answers are compressed as Accept-Encoding allows', async () => {
  const plain = await getRaw('/openapi.json', {});
  assert.equal(plain.headers['content-encoding'], undefined);
  assert.equal(plain.headers['vary'], 'Accept-Encoding');
  const cases = [
    ['gzip', 'gzip'],
    ['GZIP, deflate', 'gzip'],
    ['br;q=0.5, gzip;q=0.8', 'gzip'],
    ['gzip, deflate, br', 'br'],
    ['gzip, deflate, br, zstd', 'zstd'],
    ['identity, gzip;q=0.5', undefined],
    ['gzip;q=0', undefined],
    ['deflate', undefined],
    ['*', undefined],
    ['gzip;q=0, *', undefined],
    ['', undefined],
    [', ;;q=x,=', undefined],
  ] as const;
  for (const [accepted, expected] of cases) {
    const { headers, bytes } = await getRaw('/openapi.json', { 'Accept-Encoding': accepted, 'X-Request-ID': 'mine' });
    assert.equal(headers['content-encoding'], expected, accepted);
    assert.equal(headers['x-request-id'], 'mine');
    assert.equal(headers['vary'], 'Accept-Encoding');
    assert.match(headers['content-type'] ?? '', /^application\/json/);
    assert.equal(Number(headers['content-length']), bytes.length);
    const text = expected === undefined ? bytes : DECODERS[expected](bytes);
    assert.ok(text.equals(plain.bytes), accepted);
    if (expected !== undefined) assert.ok(bytes.length < plain.bytes.length / 3, `${bytes.length} bytes`);
  }
});

// Checks: interface-beyond
test('small answers and answers to HEAD are not compressed', async () => {
  const { headers } = await getRaw('/healthz', { 'Accept-Encoding': 'gzip' });
  assert.equal(headers['content-encoding'], undefined);
  const head = await fetch(`${running.url}/openapi.json`, { method: 'HEAD' });
  assert.equal(head.status, 200);
  assert.equal(head.headers.get('content-encoding'), null);
});

// Checks: interface-beyond
test('many concurrent large answers are all correct, compressed or not', async () => {
  const plain = await getRaw('/openapi.json', {});
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => getRaw('/openapi.json', { 'Accept-Encoding': 'gzip' })),
  );
  assert.ok(answers.some(({ headers }) => headers['content-encoding'] === 'gzip'));
  for (const { headers, bytes } of answers) {
    const text = headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes;
    assert.ok(text.equals(plain.bytes));
  }
});

// Checks: interface-beyond
test('the results of a batch are compressed too', async () => {
  const dumped = await running.call('/v1/dom/dump', {
    url: `${running.pages.url}/article`,
    options: { engine_preference: 'http' },
  });
  const created = await running.call('/v1/batches', { dom_ids: [dumped.body.dom_id] });
  const { batch } = created.body as unknown as { batch: { id: string } };
  const path = `/v1/batches/${batch.id}/results`;
  let plain = await getRaw(path, {});
  while (plain.bytes.length === 0) {
    await sleep(50);
    plain = await getRaw(path, {});
  }
  const { headers, bytes } = await getRaw(path, { 'Accept-Encoding': 'gzip' });
  assert.equal(headers['content-encoding'], 'gzip');
  assert.match(headers['content-type'] ?? '', /^application\/x-ndjson/);
  assert.ok(gunzipSync(bytes).equals(plain.bytes));
  assert.match(plain.bytes.toString(), /The market by the harbour/);
});

// Checks: interface-beyond
test('healthz answers without a key', async () => {
  const { status, body, headers } = await get('/healthz');
  assert.equal(status, 200);
  assert.deepEqual(body, { request_id: headers.get('X-Request-ID'), status: 'ok' });
});

// Checks: interface-beyond
test('readyz checks the start, database, snapshot folder, browser and worker', async () => {
  const { code, body } = await readReadiness(running.url);
  assert.equal(code, 200, JSON.stringify(body));
  assert.deepEqual(Object.keys(body.checks).toSorted(), ['browser', 'database', 'snapshots', 'start', 'worker']);
});

// Checks: interface-beyond
test('openapi.json is valid OpenAPI', async () => {
  const { body } = await get('/openapi.json');
  const result = await new Validator().validate(body);
  assert.deepEqual(result.errors ?? [], []);
});

// Checks: interface-beyond
test('docs shows the OpenAPI document without resources from other hosts', async () => {
  const response = await fetch(`${running.url}/docs/`);
  const html = await response.text();
  assert.equal(response.status, 200);
  assert.match(response.headers.get('Content-Security-Policy') ?? '', /default-src 'none'/);
  for (const [, address = ''] of html.matchAll(/(?:src|href)="([^"]+)"/g)) {
    assert.equal((await fetch(new URL(address, `${running.url}/docs/`))).status, 200, address);
    assert.doesNotMatch(address, /^(https?:)?\/\//);
  }
});

// Checks: interface-beyond
test('docs renders in a browser under its content security policy', async () => {
  const options = { engine_preference: 'stable', timeout_ms: 60_000 };
  const { status, body } = await running.call('/v1/dom/dump', { url: `${running.url}/docs`, options });
  assert.equal(status, 200);
  assert.match(body.html, /operations-pages-extract/);
});

// Checks: threat-hang-up, interface-beyond
test('the work for a request ends when its caller disconnects', async () => {
  const controller = new AbortController();
  const body = JSON.stringify({ url: `${running.pages.url}/hang`, options: { engine_preference: 'http' } });
  const headers = { 'Content-Type': 'application/json', 'X-API-Key': running.secrets.key_only };
  const hits = running.pages.hits('/hang');
  const pending = fetch(`${running.url}/v1/dom/dump`, { method: 'POST', headers, body, signal: controller.signal });
  while (running.pages.hits('/hang') === hits) await sleep(10);
  controller.abort();
  await assert.rejects(pending);
  while (!running.log.some((line) => line.includes('request abandoned'))) await sleep(10);
});

async function send(
  path: string,
  bytes: Buffer,
  headers: Record<string, string>,
): Promise<{ status: number; body: Body }> {
  return new Promise((resolve, reject) => {
    const sent = request(running.url + path, {
      method: 'POST',
      headers: { ...headers, 'X-API-Key': running.secrets.key_only },
    });
    sent.on('error', reject);
    sent.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body: JSON.parse(Buffer.concat(chunks).toString()) as Body }),
      );
    });
    sent.end(bytes);
  });
}

async function speak(text: string): Promise<string> {
  const { hostname, port } = new URL(running.url);
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(Number(port), hostname, () => void socket.write(text));
    socket.on('data', (chunk) => (answer += chunk.toString()));
    socket.on('error', () => resolve(answer));
    socket.on('close', () => resolve(answer));
  });
}
