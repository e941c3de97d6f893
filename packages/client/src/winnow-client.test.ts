import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { WinnowApiError, WinnowConnectionError, WinnowProtocolError, WinnowTimeoutError } from './errors.ts';
import { collect, paginate } from './paginate.ts';
import { WinnowClient } from './winnow-client.ts';
import type { WinnowClientOptions } from './winnow-client.ts';

const PAGE = { extract: { url: 'https://example.com/' } };

test('sends the body, the key and the project, and returns the answer', async (t) => {
  const seen: { url: string | undefined; headers: IncomingMessage['headers']; body: string }[] = [];
  const client = await startService(t, (request, response) => {
    request.setEncoding('utf8').once('data', (body: string) => {
      seen.push({ url: request.url, headers: request.headers, body });
      response.setHeader('content-type', 'application/json').end('{"request_id":"req_1","result":{"title":"T"}}');
    });
  });
  const answer = await client.extract(PAGE, { requestId: 'mine-1' });
  assert.equal(answer.result.title, 'T');
  assert.equal(seen[0]?.url, '/base/v1/extract');
  assert.equal(seen[0].headers['x-api-key'], 'wk_test');
  assert.equal(seen[0].headers['x-project-id'], 'prj_1');
  assert.equal(seen[0].headers['x-request-id'], 'mine-1');
  assert.deepEqual(JSON.parse(seen[0].body), PAGE);
});

test('takes addresses in place of bodies, and `/v1` at the end of the base address', async (t) => {
  const seen: string[] = [];
  const listener: RequestListener = (request, response) =>
    void readText(request).then((body) => {
      seen.push(`${request.url} ${body}`);
      response.setHeader('content-type', 'application/json').end('{"request_id":"req_1"}');
    });
  const client = await startService(t, listener, '/base/v1/');
  await client.extract('https://example.com/1');
  await client.dump('https://example.com/2');
  assert.deepEqual(seen, [
    '/base/v1/extract {"extract":{"url":"https://example.com/1"}}',
    '/base/v1/dom/dump {"url":"https://example.com/2"}',
  ]);
});

test('extracts several pages at the same time, in their order, with the errors of single ones', async (t) => {
  let running = 0;
  let most = 0;
  const three = Promise.withResolvers<void>();
  const serve = async (...[request, response]: Parameters<RequestListener>): Promise<void> => {
    most = Math.max(most, (running += 1));
    if (running === 3) three.resolve();
    const { extract } = JSON.parse(await readText(request)) as { extract: { url: string } };
    await three.promise;
    running -= 1;
    if (extract.url === '/2')
      response.writeHead(502).end('{"request_id":"r","error":{"code":"dns_failed","stage":"fetch","message":"no"}}');
    else response.setHeader('content-type', 'application/json').end(JSON.stringify({ result: { title: extract.url } }));
  };
  const client = await startService(t, (request, response) => void serve(request, response));
  const outcomes = await collect(client.extractMany(['/1', '/2', '/3', '/4', '/5'], { concurrency: 3 }), 10);
  assert.deepEqual(
    outcomes.map(({ request, answer, error }) => [request, answer?.result.title ?? (error as WinnowApiError).code]),
    [
      ['/1', '/1'],
      ['/2', 'dns_failed'],
      ['/3', '/3'],
      ['/4', '/4'],
      ['/5', '/5'],
    ],
  );
  assert.equal(most, 3);
});

test('returns a screenshot and an MHTML file as bytes, and throws the error for an absent one', async (t) => {
  const seen: string[] = [];
  const client = await startService(t, ({ url = '' }, response) => {
    seen.push(url);
    if (url.includes('dom_9')) response.setHeader('content-type', 'image/webp').end(Buffer.from([0x52, 0xff, 0]));
    else
      response
        .writeHead(404)
        .end('{"request_id":"req_3","error":{"code":"not_found","stage":"request","message":"no"}}');
  });
  assert.deepEqual(await client.screenshot('dom_9'), new Uint8Array([0x52, 0xff, 0]));
  assert.deepEqual(await client.mhtml('dom_9'), new Uint8Array([0x52, 0xff, 0]));
  await assert.rejects(client.screenshot('dom/1'), { code: 'not_found' });
  const paths = ['dom_9/screenshot', 'dom_9/mhtml', 'dom%2F1/screenshot'];
  assert.deepEqual(
    seen,
    paths.map((path) => `/base/v1/snapshots/${path}`),
  );
});

test('throws the error of the service with code, stage and details', async (t) => {
  const client = await startService(t, (_request, response) => {
    const error = {
      code: 'http_status_not_ok',
      stage: 'fetch',
      message: 'the site said 404',
      upstream_status_code: 404,
    };
    response.statusCode = 502;
    response.end(JSON.stringify({ request_id: 'req_2', error, metadata: { dom_id: 'dom_9' }, trace: [] }));
  });
  await assert.rejects(client.dump({ url: 'https://example.com/' }), (error) => {
    assert(error instanceof WinnowApiError);
    const { status, code, stage, requestId, upstreamStatusCode, domId, trace } = error;
    assert.deepEqual(
      { status, code, stage, requestId, upstreamStatusCode, domId, trace },
      {
        status: 502,
        code: 'http_status_not_ok',
        stage: 'fetch',
        requestId: 'req_2',
        upstreamStatusCode: 404,
        domId: 'dom_9',
        trace: [],
      },
    );
    return true;
  });
});

test('an error says whether and when to retry', async (t) => {
  const answers = [
    { error: { retryable: true, retry_after_ms: 2500, upstream_status_code: 503 }, status: 502, header: undefined },
    { error: { retryable: false }, status: 502, header: undefined },
    { error: { retryable: true }, status: 429, header: '7' },
  ];
  let calls = 0;
  const client = await startService(t, (_request, response) => {
    const { error, status, header } = answers[calls] ?? assert.fail();
    calls += 1;
    response.writeHead(status, header === undefined ? {} : { 'retry-after': header });
    const body = { code: 'http_status_not_ok', stage: 'fetch', message: 'm', ...error };
    response.end(JSON.stringify({ request_id: 'r', error: body }));
  });
  const hints: [boolean, number | undefined][] = [];
  for (const _ of answers) {
    await assert.rejects(client.extract(PAGE, { maxRetries: 0 }), (error) => {
      assert(error instanceof WinnowApiError);
      hints.push([error.retryable, error.retryAfterMs]);
      return true;
    });
  }
  assert.deepEqual(hints, [
    [true, 2500],
    [false, undefined],
    [true, 7000],
  ]);
});

test('retries after 429 and 503 as Retry-After says, and not after other errors', async (t) => {
  const statuses = [429, 503, 200, 500];
  let calls = 0;
  const client = await startService(t, (_request, response) => {
    const status = statuses[calls] ?? 500;
    calls += 1;
    response.writeHead(status, { 'retry-after': '0' });
    response.end(status === 200 ? '{"request_id":"r"}' : errorBody(status === 500 ? 'internal' : 'overloaded'));
  });
  await client.extract(PAGE);
  assert.equal(calls, 3);
  await assert.rejects(client.extract(PAGE), { code: 'internal' });
  assert.equal(calls, 4);
});

test('retries after the 429 or 503 of a proxy in front of the service', async (t) => {
  let calls = 0;
  const client = await startService(t, (_request, response) => {
    calls += 1;
    if (calls === 3) return response.end('{"request_id":"r"}');
    return response.writeHead(calls === 1 ? 503 : 429, { 'retry-after': '0' }).end('<h1>Later</h1>');
  });
  await client.extract(PAGE);
  assert.equal(calls, 3);
  calls = 0;
  await assert.rejects(
    client.extract(PAGE, { maxRetries: 0 }),
    (error) => error instanceof WinnowProtocolError && error.status === 503 && error.retryAfterSeconds === 0,
  );
});

test('stops after maxRetries, and at once when the wait is too long', async (t) => {
  let calls = 0;
  let retryAfter = '0';
  const client = await startService(t, (_request, response) => {
    calls += 1;
    response.writeHead(429, { 'retry-after': retryAfter }).end(errorBody('rate_limited'));
  });
  await assert.rejects(client.extract(PAGE, { maxRetries: 1 }), { code: 'rate_limited' });
  assert.equal(calls, 2);
  retryAfter = '3600';
  await assert.rejects(client.extract(PAGE), { code: 'rate_limited', retryAfterSeconds: 3600 });
  assert.equal(calls, 3);
});

test('ends at the time limit and on abort, also while waiting for a retry', async (t) => {
  const hanging = await startService(t, () => undefined);
  await assert.rejects(hanging.extract(PAGE, { timeoutMs: 30 }), WinnowTimeoutError);
  const reason = new Error('the user left');
  await assert.rejects(hanging.extract(PAGE, { signal: AbortSignal.abort(reason) }), reason);

  const leaving = new AbortController();
  const busy = await startService(t, (_request, response) => {
    response.writeHead(503, { 'retry-after': '20' }).end(errorBody('overloaded'));
  });
  setTimeout(() => leaving.abort(reason), 100);
  await assert.rejects(busy.extract(PAGE, { signal: leaving.signal }), reason);
});

test("throws the service's error at once if the requested wait exceeds the time limit", async (t) => {
  let calls = 0;
  const busy = await startService(t, (_request, response) => {
    calls += 1;
    response.writeHead(429, { 'retry-after': '5' }).end(errorBody('rate_limited'));
  });
  const failed = { code: 'rate_limited', retryAfterSeconds: 5 };
  await assert.rejects(busy.extract(PAGE, { timeoutMs: 4000 }), failed);
  assert.equal(calls, 1);
});

test('ready() returns the checks of a service that is not ready, and throws other errors', async (t) => {
  let body = '{"request_id":"r","status":"not_ready","checks":{}}';
  const client = await startService(t, (_request, response) => response.writeHead(503).end(body));
  assert.equal((await client.ready()).status, 'not_ready');
  body = errorBody('overloaded');
  await assert.rejects(client.ready({ maxRetries: 0 }), { code: 'overloaded', status: 503 });
});

test('a time limit beyond the longest timer means no limit', async (t) => {
  const client = await startService(t, (_request, response) => {
    // Later than a timer of Infinity, which fires after a millisecond.
    setTimeout(() => response.end('{"request_id":"r","status":"ok"}'), 20);
  });
  assert.equal((await client.health({ timeoutMs: Infinity })).status, 'ok');
  assert.equal((await client.health({ timeoutMs: 2 ** 31 })).status, 'ok');
});

test('distinguishes a wrong address from a broken connection, and follows no redirect', async (t) => {
  const page = await startService(t, (_request, response) => {
    response.setHeader('content-type', 'text/html').end('<h1>Another service</h1>');
  });
  await assert.rejects(
    page.extract(PAGE),
    (error) => error instanceof WinnowProtocolError && /baseUrl/.test(error.message),
  );
  const notOurs = await startService(t, (_request, response) => {
    response.writeHead(400).end('{"error":"nope"}');
  });
  await assert.rejects(notOurs.extract(PAGE), WinnowProtocolError);
  const redirecting = await startService(t, (_request, response) => {
    response.writeHead(307, { location: 'http://127.0.0.1:9/' }).end();
  });
  await assert.rejects(redirecting.extract(PAGE), WinnowConnectionError);
  const broken = await startService(t, (request) => request.socket.destroy());
  await assert.rejects(broken.extract(PAGE), WinnowConnectionError);
});

test('ready() accepts 503 as an answer', async (t) => {
  const client = await startService(t, (request, response) => {
    assert.equal(request.url, '/base/readyz');
    response.writeHead(503).end('{"request_id":"r","status":"not_ready","checks":{}}');
  });
  assert.equal((await client.ready()).status, 'not_ready');
});

test('refuses options that cannot work', () => {
  assert.throws(makeWith({ baseUrl: 'winnow.example.com' }), /baseUrl/);
  assert.throws(makeWith({ baseUrl: 'ftp://winnow.example.com' }), /baseUrl/);
  assert.throws(makeWith({ apiKey: '' }), /apiKey/);
  assert.throws(makeWith({ apiKey: undefined as never }), /apiKey/);
  assert.throws(makeWith({ projectId: 'a\nb' }), /projectId/);
});

test('paginate walks every page, collect stops early', async () => {
  const pages = [['a', 'b'], ['c'], ['d']];
  const cursors: (string | undefined)[] = [];
  const load = async (cursor: string | undefined) => {
    cursors.push(cursor);
    const index = Number(cursor ?? 0);
    return { items: pages[index] ?? [], next_cursor: index < 2 ? String(index + 1) : null };
  };
  assert.deepEqual(await collect(paginate(load), 100), ['a', 'b', 'c', 'd']);
  assert.deepEqual(cursors, [undefined, '1', '2']);
  cursors.length = 0;
  assert.deepEqual(await collect(paginate(load), 2), ['a', 'b']);
  assert.deepEqual(cursors, [undefined]);
});

function makeWith(options: Partial<WinnowClientOptions>): () => WinnowClient {
  return () => new WinnowClient({ baseUrl: 'http://127.0.0.1', apiKey: 'k', ...options });
}

function errorBody(code: string): string {
  return JSON.stringify({ request_id: 'r', error: { code, stage: 'auth', message: 'later' } });
}

async function startService(t: TestContext, listener: RequestListener, base = '/base/'): Promise<WinnowClient> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return new WinnowClient({ baseUrl: `http://127.0.0.1:${port}${base}`, apiKey: 'wk_test', projectId: 'prj_1' });
}

test('creates a batch under an idempotency key and reads its results page by page', async (t) => {
  const seen: { method: string | undefined; url: string | undefined; key: unknown }[] = [];
  const client = await startService(t, (request, response) => {
    seen.push({ method: request.method, url: request.url, key: request.headers['idempotency-key'] });
    if (!request.url?.includes('/results')) {
      response.end(JSON.stringify({ request_id: 'req_1', batch: { id: 'bat_1', state: 'running' } }));
      return;
    }
    const after = Number(new URL(request.url, 'http://x').searchParams.get('after') ?? -1);
    const indexes = Array.from({ length: after < 0 ? 200 : 3 }, (_, offset) => after + 1 + offset);
    response.end(indexes.map((index) => `${JSON.stringify({ index })}\n`).join(''));
  });
  const batch = await client.createBatch({ urls: ['https://example.com/'] }, { idempotencyKey: 'order-1' });
  assert.equal(batch.id, 'bat_1');
  const lines = await collect(client.batchResults('bat_1'), 1000);
  assert.deepEqual(
    lines.map(({ index }) => index),
    Array.from({ length: 203 }, (_, index) => index),
  );
  assert.equal((await client.cancelBatch('bat_1')).state, 'running');
  assert.equal((await client.createCrawl({ url: 'https://example.com/' })).id, 'bat_1');
  assert.equal((await client.cancelCrawl('bat_1')).id, 'bat_1');
  assert.equal((await client.crawl('bat_1')).id, 'bat_1');
  assert.equal((await collect(client.crawlResults('bat_1', 7), 1000)).length, 3);
  await client.deleteCrawl('bat_1');
  assert.deepEqual(
    seen.map(({ method, url }) => `${method} ${url}`),
    [
      'POST /base/v1/batches',
      'GET /base/v1/batches/bat_1/results?limit=200',
      'GET /base/v1/batches/bat_1/results?limit=200&after=199',
      'POST /base/v1/batches/bat_1/cancel',
      'POST /base/v1/crawls',
      'POST /base/v1/crawls/bat_1/cancel',
      'GET /base/v1/crawls/bat_1',
      'GET /base/v1/crawls/bat_1/results?limit=200&after=7',
      'DELETE /base/v1/crawls/bat_1',
    ],
  );
  assert.equal(seen[0]?.key, 'order-1');
});

const COUNTS = { queued: 0, running: 0, done: 2, failed: 0, cancelled: 0 };

/** Serves a batch in one state after the other; the last state stays. */
function serveStates(states: readonly object[], seen: string[] = []): RequestListener {
  return ({ url = '' }, response) => {
    const batch = { id: 'bat_1', ...states[Math.min(seen.length, states.length - 1)] };
    seen.push(url);
    response.end(JSON.stringify({ request_id: 'req_1', batch }));
  };
}

test('waits for a batch until its last item has ended', async (t) => {
  const seen: string[] = [];
  const states = [
    { state: 'running', counts: { ...COUNTS, queued: 1 } },
    { state: 'cancelled', counts: { ...COUNTS, running: 1 } },
    { state: 'cancelled', counts: COUNTS },
  ];
  const client = await startService(t, serveStates(states, seen));
  const batch = await client.waitForBatch('bat_1', { pollIntervalMs: 1 });
  assert.deepEqual(batch.counts, COUNTS);
  assert.deepEqual(seen, Array(3).fill('/base/v1/batches/bat_1'));
});

test('a wait for a batch ends at its time limit or on abort', async (t) => {
  const client = await startService(t, serveStates([{ state: 'running', counts: COUNTS }]));
  await assert.rejects(client.waitForBatch('bat_1', { pollIntervalMs: 1, timeoutMs: 50 }), (error) => {
    assert(error instanceof WinnowTimeoutError);
    assert.equal(error.timeoutMs, 50);
    return true;
  });
  const controller = new AbortController();
  const waiting = client.waitForBatch('bat_1', { pollIntervalMs: 60_000, signal: controller.signal });
  setImmediate(() => controller.abort(new Error('enough')));
  await assert.rejects(waiting, /enough/);
  await assert.rejects(client.waitForBatch('bat_1', { pollIntervalMs: 0 }), TypeError);
});

test('sends the items of a batch as JSON Lines, its options first', async (t) => {
  let sent: { readonly type: string | undefined; readonly body: string } | undefined;
  const client = await startService(t, (request, response) => {
    void readText(request).then((body) => {
      sent = { type: request.headers['content-type'], body };
      response.end(JSON.stringify({ request_id: 'req_1', batch: { id: 'bat_1', state: 'running' } }));
    });
  });
  const items = [{ url: 'https://example.com/' }, { dom_id: 'dom_1' }];
  assert.equal((await client.createBatchFromItems(items, { batch: { formats: ['markdown'] } })).id, 'bat_1');
  assert.deepEqual(sent, {
    type: 'application/x-ndjson',
    body: '{"formats":["markdown"]}\n{"url":"https://example.com/"}\n{"dom_id":"dom_1"}\n',
  });
});
