import assert from 'node:assert/strict';
import { rename, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { assertRefused } from '../support/assert-refused.ts';
import { startRunning } from '../support/running-service.ts';
import type { Running } from '../support/running-service.ts';

let running: Running;
before(async () => {
  running = await startRunning({ WINNOW_MAX_PAGE_BYTES: '200000' });
});
after(() => running.close());

const extract = (url: string, more: object = {}, as: 'A' | 'B' = 'B') =>
  running.call('/v1/extract', { extract: { url }, ...more }, { as });
const dump = (url: string) => running.call('/v1/dom/dump', { url, options: { engine_preference: 'http' } });
const onSite = (path: string) => running.pages.url + path;

for (const as of ['A', 'B'] as const) {
  // Checks: interface-2.2-result, interface-2.2-error, interface-7-upstream-status-code
  test(`a status that is not 2xx is 502 http_status_not_ok with upstream_status_code (variant ${as})`, async () => {
    for (const [path, status] of [
      ['/missing', 404],
      ['/broken', 500],
    ] as const) {
      const answer = await extract(onSite(path), {}, as);
      assertRefused(answer, 'http_status_not_ok', new RegExp(String(status)), 'fetch');
      assert.equal(answer.body.error.upstream_status_code, status);
    }
  });
}

// Checks: interface-7-upstream-status-code
test('upstream_status_code is omitted in all other errors', async () => {
  const answers = [
    await extract('ftp://example.com/'),
    await extract(onSite('/pdf')),
    await extract(onSite('/empty')),
    await running.call('/v1/extract', {}, { as: 'none' }),
  ];
  for (const { body } of answers) assert.equal('upstream_status_code' in body.error, false, body.error.code);
});

// Checks: interface-7-500
test('a dom_id is 500 internal while the snapshot store is gone, and works when it is back', async () => {
  const { body } = await dump(onSite('/article'));
  const uploaded = await running.call('/v1/snapshots', { url: onSite('/article'), html: '<p>Words of a page</p>' });
  const store = join(running.folder, 'snapshots');
  await rename(store, `${store}.gone`);
  try {
    for (const { dom_id } of [body, uploaded.body]) {
      const answer = await running.call('/v1/extract', { extract: { dom_id } });
      assertRefused(answer, 'internal', /^an unexpected error occurred$/, 'snapshot');
      assert.ok(running.log.some((line) => line.includes(`does not have the content of ${dom_id}`)));
    }
    const unknown = await running.call('/v1/extract', { extract: { dom_id: 'dom_00000000000000000000000000' } });
    assertRefused(unknown, 'dom_not_found', /no such snapshot/, 'snapshot');
  } finally {
    await rm(store, { recursive: true, force: true });
    await rename(`${store}.gone`, store);
  }
  const again = await running.call('/v1/extract', { extract: { dom_id: body.dom_id } });
  assert.equal(again.status, 200, JSON.stringify(again.body));
});

// Checks: interface-2.2-raw-dom, interface-4.3
test('an error page is stored, with metadata.dom_id, and raw_dom on request', async () => {
  const answer = await extract(onSite('/missing'), { trace: { include_raw_dom: true, include_steps: true } });
  assertRefused(answer, 'http_status_not_ok', /404/, 'fetch');
  assert.match(answer.body.raw_dom, /no such page here/);
  const stages = answer.body.trace.map((step) => `${step.stage} ${step.status}`);
  assert.deepEqual(stages, ['request ok', 'auth ok', 'fetch failed', 'snapshot ok']);
  const again = await running.call('/v1/extract', { extract: { dom_id: answer.body.metadata.dom_id } });
  assert.ok([200, 422].includes(again.status));
  const dumped = await dump(onSite('/missing'));
  assertRefused(dumped, 'http_status_not_ok', /404/, 'fetch');
  assert.match(dumped.body.metadata.dom_id, /^dom_/);
});

// Checks: interface-2.2-trace
test('an error has trace and raw_dom only on request', async () => {
  const { body } = await extract(onSite('/missing'), {}, 'A');
  assert.deepEqual(Object.keys(body).toSorted(), ['error', 'metadata', 'request_id']);
});

// Checks: interface-7-upstream-status-code, interface-7-502
test('a challenge page is 502 fetch_blocked, with its status and its snapshot', async () => {
  const answer = await dump(onSite('/challenge'));
  assertRefused(answer, 'fetch_blocked', /block/, 'fetch');
  assert.equal(answer.body.error.upstream_status_code, 403);
  assert.match(answer.body.metadata.dom_id, /^dom_/);
});

// Checks: interface-7-422
test('content other than HTML is 422 unsupported_content', async () => {
  assertRefused(await dump(onSite('/pdf')), 'unsupported_content', /pdf/i, 'fetch');
});

// Checks: interface-7-502
test('a page over the limit is 502 response_too_large', async () => {
  const message = /^the page is larger than 200000 bytes \(WINNOW_MAX_PAGE_BYTES\)$/;
  assertRefused(await dump(onSite('/huge')), 'response_too_large', message, 'fetch');
});

// Checks: interface-7-upstream-status-code
test('a page with an unaccepted status is reported by its status, before any other error', async () => {
  for (const engine_preference of ['http', 'chrome']) {
    for (const path of ['/huge-missing', '/missing-pdf']) {
      const options = { engine_preference, timeout_ms: 60_000 };
      const answer = await running.call('/v1/dom/dump', { url: onSite(path), options });
      assertRefused(answer, 'http_status_not_ok', /404/, 'fetch');
      assert.equal(answer.body.error.upstream_status_code, 404, `${engine_preference} ${path}`);
    }
  }
});

// Checks: interface-7-shape
test('error.retryable distinguishes permanent from transient errors', async () => {
  const cases = [
    ['/missing', false, undefined],
    ['/broken', true, undefined],
    ['/busy', true, 7000],
    ['/challenge', false, undefined],
    ['/blocked-for-now', true, 30_000],
    ['/pdf', false, undefined],
    ['/loop', false, undefined],
    ['/to-metadata', false, undefined],
    ['/huge', false, undefined],
  ] as const;
  for (const [path, retryable, retryAfterMs] of cases) {
    const { body } = await dump(onSite(path));
    assert.equal(body.error?.retryable, retryable, `${path}: ${JSON.stringify(body.error)}`);
    assert.equal(body.error.retry_after_ms, retryAfterMs, path);
  }
  assert.equal((await dump('http://no-such-host.invalid/')).body.error.retryable, false, 'no such name');
  assert.equal((await dump('http://127.0.0.1:9/')).body.error.retryable, true, 'no connection');
});

// Checks: interface-7-shape
test('retry_after_ms follows the Retry-After of the target, in seconds or as a date, up to a day', async () => {
  const waits: Readonly<Record<string, readonly [min: number, max: number] | undefined>> = {
    '99999999': [86_400_000, 86_400_000],
    soon: undefined,
    '-5': undefined,
    [new Date(Date.now() + 3_600_000).toUTCString()]: [1, 3_600_000],
    [new Date(Date.now() - 3_600_000).toUTCString()]: [0, 0],
  };
  for (const [value, range] of Object.entries(waits)) {
    const { body } = await dump(onSite(`/busy?retry-after=${encodeURIComponent(value)}`));
    const { retry_after_ms: wait } = body.error;
    if (range === undefined) assert.equal(wait, undefined, value);
    else assert.ok(wait !== undefined && wait >= range[0] && wait <= range[1], `${value}: ${wait}`);
  }
});

// Checks: interface-7-400-url
test('egress refusals name the setting that would permit the target', async () => {
  const loopback = await dump('http://127.0.0.2:18122/');
  assertRefused(
    loopback,
    'url_not_allowed',
    /it is a loopback address; to allow it set WINNOW_EGRESS_ALLOW=127\.0\.0\.2$/,
  );
  const port = await dump('http://example.com:25/');
  assertRefused(port, 'url_not_allowed', /; to allow it set WINNOW_EGRESS_ALLOW=example\.com:25$/);
  const redirect = await dump(onSite('/to-metadata'));
  assertRefused(redirect, 'egress_denied', /WINNOW_EGRESS_ALLOW=169\.254\.169\.254$/, 'fetch');
});

// Checks: interface-7-400-body
test('U+0000 is 400 in bodies, paths and queries', async () => {
  const inBody = [
    ['/v1/extract', '{"extract":{"dom_id":"dom_\\u0000"}}', /^extract\.dom_id: .*U\+0000 at position 4$/],
    ['/v1/extract', '{"extract":{"url":"http://a.example/"},"x\\u0000":1}', /^body: .*U\+0000$/],
    ['/v1/dom/dump', '{"url":"http://a.example/","options":{"engine_preference":"\\u0000"}}', /^options\./],
    ['/v1/batches', '{"urls":["http://a.example/\\u0000"]}', /^urls\[0\]: .*U\+0000/],
  ] as const;
  for (const [path, text, message] of inBody) assertRefused(await running.call(path, text), 'invalid_request', message);
  const get = (path: string) => running.call(path, undefined, { method: 'GET' });
  assertRefused(await get('/v1/batches/bat_%00'), 'invalid_request', /^path: .*U\+0000/);
  assertRefused(await get('/v1/no%00thing'), 'invalid_request', /^path: .*U\+0000/);
  assertRefused(await get('/v1/batches/bat_1/results?after=%00'), 'invalid_request', /^query: .*U\+0000/);
  assertRefused(await get('/healthz?a%00=1'), 'invalid_request', /^query: .*U\+0000/);
});

// Checks: interface-7-502
test('a redirect loop is 502 too_many_redirects', async () => {
  assertRefused(await dump(onSite('/loop')), 'too_many_redirects', /10/, 'fetch');
});

// Checks: interface-7-502
test('a redirect to a refused address is 502 egress_denied', async () => {
  assertRefused(await dump(onSite('/to-metadata')), 'egress_denied', /169\.254/, 'fetch');
});

// Checks: interface-7-502
test('a name that does not exist is 502 dns_failed', async () => {
  assertRefused(await dump('http://no-such-host.invalid/'), 'dns_failed', /no-such-host/, 'fetch');
});

// Checks: interface-7-502
test('a closed port is 502 connect_failed', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => void server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => void server.close(resolve));
  assertRefused(await dump(`http://127.0.0.1:${port}/`), 'connect_failed', /./, 'fetch');
});

// Checks: interface-7-502
test('plain HTTP behind https is 502 tls_failed', async () => {
  assertRefused(await dump(running.pages.url.replace('http:', 'https:')), 'tls_failed', /./, 'fetch');
});

const refusedUrls: readonly (readonly [name: string, url: string, message: RegExp])[] = [
  ['file:', 'file:///etc/passwd', /scheme file/],
  ['ftp:', 'ftp://example.com/', /scheme ftp/],
  ['javascript:', 'javascript:alert(1)', /scheme javascript/],
  ['data:', 'data:text/html,hi', /scheme data/],
  ['a user and password', 'http://user:secret@example.com/', /credentials/],
  ['a user', 'http://user@example.com/', /credentials/],
  ['a private address', 'http://10.0.0.1/', /private/],
  ['the metadata address', 'http://169.254.169.254/', /metadata/],
  ['a decimal address', 'http://167772161/', /private/],
  ['a hexadecimal address', 'http://0x0a000001/', /private/],
  ['an octal address', 'http://012.0.0.1/', /private/],
  ['a short address', 'http://10.1/', /private/],
  ['an address with a trailing dot', 'http://10.0.0.1./', /private/],
  ['an address in full-width digits', 'http://１０.0.0.1/', /private/],
  ['the unspecified address', 'http://0.0.0.0/', /unspecified/],
  ['IPv6 loopback', 'http://[::1]/', /loopback/],
  ['an IPv4-mapped address', 'http://[::ffff:10.0.0.1]/', /private/],
  ['an IPv4-mapped address in hexadecimal', 'http://[::ffff:a00:1]/', /private/],
  ['a NAT64 address', 'http://[64:ff9b::a00:1]/', /private/],
  ['a 6to4 address', 'http://[2002:a00:1::]/', /6to4|private/],
  ['a unique local address', 'http://[fd00::1]/', /private/],
  ['a metadata name', 'http://metadata.google.internal/', /metadata/],
  ['a port of another protocol', 'http://example.com:25/', /port 25/],
];
for (const [name, url, message] of refusedUrls) {
  // Checks: interface-7-400-url
  test(`a url with ${name} is 400 url_not_allowed at both endpoints`, async () => {
    assertRefused(await extract(url), 'url_not_allowed', message);
    assertRefused(await dump(url), 'url_not_allowed', message);
    assert.doesNotMatch(JSON.stringify(await extract(url)), /secret/);
  });
}

const invalidUrls: readonly (readonly [name: string, url: string, message: RegExp])[] = [
  ['a NUL', 'http://example.com/\u0000', /U\+0000 at position 19/],
  ['a line break', 'http://example.com/\r\nX: y', /U\+000D/],
  ['no scheme', 'example.com/page', /not an absolute URL: it must begin with https:\/\/ or http:\/\//],
  ['a broken host', 'http://exa mple.com/', /not an absolute URL: its host or port is not valid/],
  ['a port out of range', 'http://example.com:99999/', /not an absolute URL: its host or port is not valid/],
  ['100 kB', `http://example.com/${'a'.repeat(100_000)}`, /at most 8192 characters/],
];
for (const [name, url, message] of invalidUrls) {
  // Checks: interface-7-400-body
  test(`a url with ${name} is 400 invalid_request at both endpoints`, async () => {
    assertRefused(await extract(url), 'invalid_request', message);
    assertRefused(await dump(url), 'invalid_request', message);
  });
}

// Checks: interface-7-shape
test('a path with the slashes or capitals of another suggests the other', async () => {
  for (const path of ['/v1/extract/', '//v1/extract', '/V1/Extract']) {
    const answer = await running.call(path, {});
    assertRefused(answer, 'not_found', new RegExp(`^no such path: ${path}; did you mean /v1/extract\\?$`));
  }
  for (const path of ['/v1/extracts', '/', '/v1/'])
    assert.doesNotMatch((await running.call(path, {})).body.error.message, /did you mean/, path);
});

// Checks: interface-4.1-headers
test('a body of another content type is refused by its name', async () => {
  const answer = await fetch(`${running.url}/v1/extract`, {
    method: 'POST',
    headers: { 'x-api-key': running.secrets.key_only, 'content-type': 'application/x-www-form-urlencoded' },
    body: '{}',
  });
  assert.equal(answer.status, 400);
  const { error } = (await answer.json()) as { error: { message: string } };
  assert.equal(error.message, 'Content-Type: must be application/json, not application/x-www-form-urlencoded');
});
