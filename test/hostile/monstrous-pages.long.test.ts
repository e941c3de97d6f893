/** Pages of extreme size and shape. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readReadiness } from '../support/read-readiness.ts';
import { findStep, startRunning } from '../support/running-service.ts';
import type { Running } from '../support/running-service.ts';
import { startTestSite } from '../site/start-test-site.ts';
import type { TestSite } from '../site/start-test-site.ts';
import { listDescendants, readResidentMiB } from '../torture/processes.ts';
import { startHostilePages } from './hostile-pages.ts';
import type { HostilePages } from './hostile-pages.ts';

let running: Running;
let site: TestSite;
let pages: HostilePages;
before(async () => {
  // Learning a template from such pages occupies a process for many seconds.
  running = await startRunning({
    WINNOW_FETCH_TIMEOUT: '15s',
    WINNOW_STAGE_TIMEOUT: '90s',
    WINNOW_WORKER_THREADS: '2',
  });
  [site, pages] = await Promise.all([startTestSite(), startHostilePages()]);
});
after(async () => {
  await Promise.all([running.close(), site.close(), pages.close()]);
});

async function assertHealthy(): Promise<void> {
  assert.equal((await readReadiness(running.url)).code, 200);
  const { status, body } = await running.call('/v1/extract', { extract: { url: `${site.origin}/static` } });
  assert.equal(status, 200, JSON.stringify(body));
}

/** Error codes that an extraction of a monstrous page may end with. */
const ACCEPTED: ReadonlySet<string> = new Set([
  'no_template_matched',
  'fetch_timeout',
  'extract_timeout',
  'match_timeout',
]);

/** Resident memory that one page may cost: a worker's heap, copies of the text, and uncollected garbage. */
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
  // Checks: threat-expensive-page
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

test('a page with more links than an answer may have is answered with the first of them', async () => {
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

// Checks: threat-expensive-page
test('a million links larger than the largest page are reported as response_too_large', async () => {
  const { body } = await running.call('/v1/extract', { extract: { url: pages.url('large-links') } });
  assert.equal(body.error.code, 'response_too_large');
  await assertHealthy();
});

/** Measures how far the resident memory of this process and of the service's workers grows. */
function watchMemory(): { stop(): number } {
  const read = (): number =>
    [process.pid, ...listDescendants(process.pid, 'task-process')].reduce(
      (sum, pid) => sum + (readResidentMiB(pid) ?? 0) * 1_048_576,
      0,
    );
  const atStart = read();
  let peak = atStart;
  const timer = setInterval(() => {
    peak = Math.max(peak, read());
  }, 200).unref();
  return {
    stop: () => {
      clearInterval(timer);
      return peak - atStart;
    },
  };
}
