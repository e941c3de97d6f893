import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { findStep, startRunning } from '../support/running-service.ts';
import type { Answer, Running } from '../support/running-service.ts';
import { startSlowSite } from './slow-site.ts';
import type { SlowSite } from './slow-site.ts';

let running: Running;
let site: SlowSite;
before(async () => {
  running = await startRunning({
    WINNOW_CONCURRENCY: '2',
    WINNOW_HOST_CONCURRENCY: '100',
    WINNOW_MAX_QUEUE: '250',
    // Pages held back for long make later requests expect long waits.
    WINNOW_MAX_WAIT: '600s',
    WINNOW_MAX_TIMEOUT: '600s',
  });
});
after(() => running.close());

async function withSite(work: (site: SlowSite) => Promise<void>): Promise<void> {
  site = await startSlowSite();
  try {
    await work(site);
  } finally {
    site.open();
    await site.close();
  }
}

function dump(path: string, key: string, timeoutMs = 600_000): Promise<Answer> {
  const body = { url: site.origin + path, options: { engine_preference: 'http', timeout_ms: timeoutMs } };
  return running.call('/v1/dom/dump', body, { as: 'none', headers: { 'X-API-Key': key } });
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 5));
}

async function readQueue(): Promise<number> {
  const text = await (await fetch(`${running.url}/metrics`)).text();
  return Number(/^winnow_queue_length (\d+)$/m.exec(text)?.[1]);
}

/** Counts the requests whose head the service has read. */
function countArrivals(): number {
  return running.log.filter((line) => line.includes('"incoming request"')).length;
}

// Checks: threat-slot-hoarding
test('a key with 200 concurrent requests delays another key by one turn, not by 200', async () => {
  const noisyKey = await running.addKey({ projectId: running.projectId, kind: 'key_only' });
  const modestKey = await running.addKey({ projectId: running.projectId, kind: 'key_only' });
  const arrivals = countArrivals();
  await withSite(async (slow) => {
    const noisy = Array.from({ length: 200 }, (_, index) => dump(`/noisy/${index}`, noisyKey));
    await until(() => slow.requests.length === 2);
    const modest = ['/modest/1', '/modest/2', '/modest/3'].map((path) => dump(path, modestKey));
    // All of them wait now; each answer admits one.
    await until(() => countArrivals() >= arrivals + 203);
    for (let served = 3; slow.requests.filter((path) => path.startsWith('/modest')).length < 3; served += 1) {
      slow.answerOldest();
      await until(() => slow.requests.length >= served);
    }
    const last = slow.requests.indexOf('/modest/3');
    assert.ok(last <= 8, `the third modest request came as number ${last + 1} of 203`);
    slow.open();
    const answers = await Promise.all([...noisy, ...modest]);
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
  });
});

test('the wait for a slot is in the request step of the trace', async () => {
  const key = await running.addKey({ projectId: running.projectId, kind: 'key_only' });
  await withSite(async (slow) => {
    const held = [dump('/1', key), dump('/2', key)];
    await until(() => slow.requests.length === 2);
    const body = { extract: { url: `${slow.origin}/3` }, trace: { include_steps: true } };
    const waiting = running.call('/v1/extract', body, { as: 'none', headers: { 'X-API-Key': key } });
    await until(async () => (await readQueue()) === 1);
    await new Promise((resolve) => setTimeout(resolve, 100));
    slow.open();
    const { status, body: answer } = await waiting;
    assert.equal(status, 200, JSON.stringify(answer));
    assert.ok(Number(findStep(answer, 'request').detail?.['queued_ms']) >= 50);
    await Promise.all(held);
  });
});

// Checks: threat-hang-up
test('a caller that hangs up leaves the queue', async () => {
  const key = await running.addKey({ projectId: running.projectId, kind: 'key_only' });
  await withSite(async (slow) => {
    const held = [dump('/1', key), dump('/2', key)];
    await until(() => slow.requests.length === 2);
    const impatient = new AbortController();
    const gone = fetch(`${running.url}/v1/dom/dump`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-API-Key': key },
      body: JSON.stringify({ url: `${slow.origin}/gone`, options: { engine_preference: 'http' } }),
      signal: impatient.signal,
    });
    const refused = assert.rejects(gone);
    await until(async () => (await readQueue()) === 1);
    impatient.abort();
    await refused;
    await until(async () => (await readQueue()) === 0);
    const last = dump('/last', key);
    await until(async () => (await readQueue()) === 1);
    slow.open();
    assert.equal((await last).status, 200);
    await Promise.all(held);
    assert.ok(!slow.requests.includes('/gone'));
  });
});

// Checks: threat-overload
test('a wait beyond the timeout of the caller is refused at once with 503 and Retry-After', async () => {
  const key = await running.addKey({ projectId: running.projectId, kind: 'key_only' });
  await withSite(async (slow) => {
    const held = [dump('/1', key), dump('/2', key)];
    await until(() => slow.requests.length === 2);
    const body = { url: `${slow.origin}/late`, options: { engine_preference: 'http', timeout_ms: 60 } };
    const { status, headers, body: answer } = await running.call('/v1/dom/dump', body);
    assert.equal(status, 503);
    assert.equal(answer.error.code, 'overloaded');
    assert.equal(answer.error.stage, 'request');
    assert.match(headers.get('Retry-After') ?? '', /^[1-9]\d*$/);
    slow.open();
    await Promise.all(held);
  });
});

test('a wait estimated to exceed the timeout is refused before any other request moves', async () => {
  const key = await running.addKey({ projectId: running.projectId, kind: 'key_only' });
  await withSite(async (slow) => {
    // Half a second each: the service learns this as the duration of a request.
    const teaching = [dump('/slow/1', key), dump('/slow/2', key)];
    await until(() => slow.requests.length === 2);
    await new Promise((resolve) => setTimeout(resolve, 500));
    slow.answerOldest();
    slow.answerOldest();
    await Promise.all(teaching);
    const held = Array.from({ length: 100 }, (_, index) => dump(`/held/${index}`, key));
    await until(() => slow.requests.length === 4);
    await until(async () => (await readQueue()) >= 80);
    const { status, headers, body } = await dump('/refused', key, 2000);
    assert.equal(status, 503);
    assert.match(body.error.message, /is busy: the wait would be about \d+ s/);
    assert.match(headers.get('Retry-After') ?? '', /^[1-9]\d*$/);
    assert.equal(slow.requests.length, 4);
    slow.open();
    await Promise.all(held);
    assert.ok(!slow.requests.includes('/refused'));
  });
});

// Checks: threat-quota
test('each answer has the remaining quota of its key; a used-up quota is 429 with Retry-After', async () => {
  const key = await running.addKey({ projectId: running.projectId, kind: 'key_only', quotaPerMinute: 2 });
  const call = () => running.call('/v1/extract', {}, { as: 'none', headers: { 'X-API-Key': key } });
  const first = await call();
  assert.equal(first.status, 400);
  assert.equal(first.headers.get('RateLimit-Policy'), '"key";q=2;w=60');
  assert.match(first.headers.get('RateLimit') ?? '', /^"key";r=1;t=([1-9]|[1-5]\d|60)$/);
  assert.match((await call()).headers.get('RateLimit') ?? '', /^"key";r=0;/);
  const third = await call();
  assert.equal(third.status, 429);
  assert.equal(third.body.error.code, 'rate_limited');
  assert.equal(third.body.error.stage, 'auth');
  assert.match(third.headers.get('Retry-After') ?? '', /^([1-9]|[1-5]\d|60)$/);
  assert.match(third.headers.get('RateLimit') ?? '', /^"key";r=0;t=/);
  // Other keys are not affected, and keys without a quota get no such headers.
  const other = await running.call('/v1/extract', {});
  assert.equal(other.status, 400);
  assert.equal(other.headers.get('RateLimit'), null);
});
