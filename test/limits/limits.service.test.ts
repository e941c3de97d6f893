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
    // Where pages are held back for long, long waits are expected of those who come.
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

async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; !condition(); tries += 1) {
    assert.ok(tries < 2000, 'it never came to that');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Requests whose head the service has read. */
function countArrivals(): number {
  return running.log.filter((line) => line.includes('"incoming request"')).length;
}

test('a key with 200 requests at once keeps another key waiting for one turn, not for 200', async () => {
  const noisyKey = await running.addKey({ projectId: running.projectId, kind: 'key_only' });
  const modestKey = await running.addKey({ projectId: running.projectId, kind: 'key_only' });
  const arrivals = countArrivals();
  await withSite(async (slow) => {
    const noisy = Array.from({ length: 200 }, (_, index) => dump(`/noisy/${index}`, noisyKey));
    await until(() => slow.asked.length === 2);
    const modest = ['/modest/1', '/modest/2', '/modest/3'].map((path) => dump(path, modestKey));
    // All of them wait now; each answer lets one in.
    await until(() => countArrivals() >= arrivals + 203);
    for (let served = 3; slow.asked.filter((path) => path.startsWith('/modest')).length < 3; served += 1) {
      slow.answerOldest();
      await until(() => slow.asked.length >= served);
    }
    const last = slow.asked.indexOf('/modest/3');
    assert.ok(last <= 8, `the third modest request came as number ${last + 1} of 203`);
    slow.open();
    const answers = await Promise.all([...noisy, ...modest]);
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
  });
});

test('the wait for a place shows in the step of the request', async () => {
  const key = await running.addKey({ projectId: running.projectId, kind: 'key_only' });
  await withSite(async (slow) => {
    const held = [dump('/1', key), dump('/2', key)];
    await until(() => slow.asked.length === 2);
    const body = { extract: { url: `${slow.origin}/3` }, trace: { include_steps: true } };
    const waiting = running.call('/v1/extract', body, { as: 'none', headers: { 'X-API-Key': key } });
    await new Promise((resolve) => setTimeout(resolve, 150));
    slow.open();
    const { status, body: answer } = await waiting;
    assert.equal(status, 200, JSON.stringify(answer));
    assert.ok(Number(findStep(answer, 'request').detail?.['queued_ms']) >= 50);
    await Promise.all(held);
  });
});

test('a caller that hangs up leaves the queue', async () => {
  const key = await running.addKey({ projectId: running.projectId, kind: 'key_only' });
  await withSite(async (slow) => {
    const held = [dump('/1', key), dump('/2', key)];
    await until(() => slow.asked.length === 2);
    const impatient = new AbortController();
    const gone = fetch(`${running.url}/v1/dom/dump`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-API-Key': key },
      body: JSON.stringify({ url: `${slow.origin}/gone`, options: { engine_preference: 'http' } }),
      signal: impatient.signal,
    });
    const refused = assert.rejects(gone);
    await new Promise((resolve) => setTimeout(resolve, 100));
    impatient.abort();
    await refused;
    const last = dump('/last', key);
    await new Promise((resolve) => setTimeout(resolve, 100));
    slow.open();
    assert.equal((await last).status, 200);
    await Promise.all(held);
    assert.ok(!slow.asked.includes('/gone'));
  });
});

test('when the wait would be longer than the caller allows the answer is 503 at once, with Retry-After', async () => {
  const key = await running.addKey({ projectId: running.projectId, kind: 'key_only' });
  await withSite(async (slow) => {
    const held = [dump('/1', key), dump('/2', key)];
    await until(() => slow.asked.length === 2);
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

test('a wait that is seen to be longer than seconds is not begun: the answer is there before anything has moved', async () => {
  const key = await running.addKey({ projectId: running.projectId, kind: 'key_only' });
  const readQueue = async (): Promise<number> => {
    const text = await (await fetch(`${running.url}/metrics`)).text();
    return Number(/^winnow_queue_length (\d+)$/m.exec(text)?.[1]);
  };
  await withSite(async (slow) => {
    // Half a second each: what the service takes as the time that a request holds its place.
    const teaching = [dump('/slow/1', key), dump('/slow/2', key)];
    await until(() => slow.asked.length === 2);
    await new Promise((resolve) => setTimeout(resolve, 500));
    slow.answerOldest();
    slow.answerOldest();
    await Promise.all(teaching);
    const held = Array.from({ length: 100 }, (_, index) => dump(`/held/${index}`, key));
    await until(() => slow.asked.length === 4);
    for (let tries = 0; (await readQueue()) < 80; tries += 1) {
      assert.ok(tries < 500, 'they never waited');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const { status, headers, body } = await dump('/refused', key, 2000);
    assert.equal(status, 503);
    assert.match(body.error.message, /is busy: the wait would be about \d+ s/);
    assert.match(headers.get('Retry-After') ?? '', /^[1-9]\d*$/);
    assert.equal(slow.asked.length, 4);
    slow.open();
    await Promise.all(held);
    assert.ok(!slow.asked.includes('/refused'));
  });
});

test('a key gets the rest of its quota in each answer, and 429 with Retry-After when it is used up', async () => {
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
  // Another key is not touched, and one without a quota has no such headers.
  const other = await running.call('/v1/extract', {});
  assert.equal(other.status, 400);
  assert.equal(other.headers.get('RateLimit'), null);
});
