import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ERRORS } from '@winnow/contract';
import type { ErrorCode } from '@winnow/contract';
import { findStep, startRunning } from '../support/running-service.ts';
import type { Running } from '../support/running-service.ts';
import { startTestSite } from '../site/start-test-site.ts';
import type { TestSite } from '../site/start-test-site.ts';
import { startHostilePages } from './hostile-pages.ts';
import type { HostilePages } from './hostile-pages.ts';

let running: Running;
let site: TestSite;
let pages: HostilePages;
before(async () => {
  running = await startRunning({ WINNOW_FETCH_TIMEOUT: '15s' });
  [site, pages] = await Promise.all([startTestSite(), startHostilePages()]);
});
after(async () => {
  await Promise.all([running.close(), site.close(), pages.close()]);
});

const WAYS: readonly (readonly [path: string, code: ErrorCode, timeoutMs?: number])[] = [
  ['/bomb-gzip', 'response_too_large'],
  ['/bomb-br', 'response_too_large'],
  ['/large', 'response_too_large'],
  ['/redirect-loop', 'too_many_redirects'],
  ['/no-answer', 'fetch_timeout', 700],
  ['/drip', 'fetch_timeout', 700],
  ['/drip-headers', 'fetch_timeout', 700],
  ['/too-short', 'connect_failed'],
  ['/lengths-differ', 'connect_failed'],
  ['/negative-length', 'connect_failed'],
  ['/huge-length', 'connect_failed'],
  ['/bad-chunk-size', 'connect_failed'],
  ['/huge-chunk', 'connect_failed'],
  ['/overflowing-chunk', 'connect_failed'],
  ['/reset', 'connect_failed'],
  ['/not-http', 'connect_failed'],
  ['/not-gzip', 'unsupported_content'],
];

async function assertHealthy(): Promise<void> {
  assert.equal((await fetch(`${running.url}/readyz`)).status, 200);
  const { status, body } = await running.call('/v1/extract', { extract: { url: `${site.origin}/static` } });
  assert.equal(status, 200, JSON.stringify(body));
}

for (const [path, code, timeoutMs] of WAYS) {
  test(`a site that answers like ${path} is reported as ${code}, and the service stays healthy`, async () => {
    const options = { engine_preference: 'http', ...(timeoutMs === undefined ? {} : { timeout_ms: timeoutMs }) };
    const { status, body } = await running.call('/v1/dom/dump', { url: site.origin + path, options });
    assert.equal(status, ERRORS[code].status, JSON.stringify(body).slice(0, 300));
    assert.equal(body.error.code, code);
    await assertHealthy();
  });
}

test('a certificate that nobody vouches for is tls_failed', async () => {
  const { body } = await running.call('/v1/dom/dump', {
    url: `${site.httpsOrigin}/static`,
    options: { engine_preference: 'http' },
  });
  assert.equal(body.error.code, 'tls_failed');
});

/** What an extraction of a monstrous page may come to: an answer, or one of these. */
const ACCEPTED: ReadonlySet<string> = new Set([
  'no_template_matched',
  'fetch_timeout',
  'extract_timeout',
  'match_timeout',
]);

/** Resident memory that one page may cost: the heap of a thread, the text in its forms, and what the collector leaves. */
const MAX_GROWTH_BYTES = 2 * 1024 * 1_048_576;

const MONSTERS = [
  'one-line',
  'nodes',
  'deep',
  'attribute',
  'links',
  'broken-utf8',
  'json-ld',
  'json-ld-graph',
  'tables',
  'spans',
  'dates',
  'patterns',
] as const;

for (const name of MONSTERS) {
  test(`a monstrous page (${name}) is answered within its budget, and the service stays healthy`, async () => {
    const url = pages.url(name);
    const started = performance.now();
    const memory = watchMemory();
    const { status, body } = await running.call('/v1/extract', {
      extract: { url },
      workflow: { match_timeout_ms: 10_000, extract_timeout_ms: 10_000 },
    });
    if (status !== 200) assert.ok(ACCEPTED.has(body.error.code), JSON.stringify(body.error));
    assert.ok(performance.now() - started < 60_000);
    assert.ok(memory.stop() < MAX_GROWTH_BYTES);
    await assertHealthy();
  });
}

test('a page of more links than an answer carries is answered with the first of them', async () => {
  const memory = watchMemory();
  const { status, body } = await running.call('/v1/extract', { extract: { url: pages.url('addresses') } });
  assert.equal(status, 200, JSON.stringify(body.error));
  assert.match(body.result.main_text, /The harbour town/);
  assert.equal(body.result.links.length, 100_000);
  assert.equal(body.result.links.at(-1)?.url, new URL('/99999', pages.url('addresses')).href);
  assert.equal(findStep(body, 'validate').detail['links_left_out'], 500_000);
  assert.ok(memory.stop() < MAX_GROWTH_BYTES);
  await assertHealthy();
});

test('a million links larger than the largest page are reported as response_too_large', async () => {
  const { body } = await running.call('/v1/extract', { extract: { url: pages.url('large-links') } });
  assert.equal(body.error.code, 'response_too_large');
  await assertHealthy();
});

/** Watches the resident memory of this process, the service's threads included; gives how far it grew. */
function watchMemory(): { stop(): number } {
  const atStart = process.memoryUsage.rss();
  let peak = atStart;
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 50);
  return {
    stop: () => {
      clearInterval(timer);
      return peak - atStart;
    },
  };
}
