import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { MAX_DRAWN_LENGTH } from '../domain/inspection/render-safe-page.ts';
import { WorkerExtractor } from './worker-extractor.ts';
import { IDLE_TIMEOUT_MS, WorkerPool } from './worker-pool.ts';

let pool: WorkerPool;
let worker: WorkerExtractor;
before(() => {
  pool = new WorkerPool({ workers: 1, memoryBytes: 768 * 1024 * 1024, maxQueue: 2 });
  worker = new WorkerExtractor(pool);
});
after(() => pool.close());

const budget = (timeoutMs: number) => ({ timeoutMs, signal: new AbortController().signal });

test('a stored page is rendered in a process, with its marks and its main content outlined', async () => {
  const text = 'The harbour was closed for a week while the quay was repaired by the town.';
  const html = `<nav>Home</nav><script>x()</script><p>${text}</p><i>Imprint and contact</i>`;
  const drawn = await worker.renderPreview({ html, marks: new Map([['title', [3]]]), mainText: text }, budget(60_000));
  assert.match(drawn, /<nav data-node="3" data-mark="title">/);
  assert.match(drawn, /<p data-node="\d+" data-mark="main">/);
  assert.doesNotMatch(drawn, /x\(\)/);
});

test('a preview that exceeds its time ends its process, and the next page is rendered', async () => {
  const html = '<p>a <b>b</b></p>'.repeat(300_000);
  await assert.rejects(worker.renderPreview({ html, marks: new Map() }, budget(50)), { code: 'extract_timeout' });
  assert.match(await worker.renderPreview({ html: '<p>next', marks: new Map() }, budget(60_000)), /next/);
});

test('pages too large or too deep for a preview are refused', async () => {
  for (const html of ['x'.repeat(MAX_DRAWN_LENGTH + 1), '<div>'.repeat(5000)])
    await assert.rejects(worker.renderPreview({ html, marks: new Map() }, budget(60_000)), {
      code: 'payload_too_large',
      message: /for a preview; view its source instead/,
    });
});

/** The start of a process takes seconds on a busy machine. */
const PATIENCE_MS = 60_000;

test('probes do not keep an idle process alive', async (t) => {
  let now = 0;
  let probes = 0;
  class CountingPool extends WorkerPool {
    override async run<T>(...task: Parameters<WorkerPool['run']>): Promise<T> {
      probes += 1;
      return super.run<T>(...task);
    }
  }
  const counting = new CountingPool({ workers: 2, memoryBytes: 768 * 1024 * 1024, maxQueue: 2 });
  t.after(() => counting.close());
  const probed = new WorkerExtractor(counting, () => now);
  for (; now <= IDLE_TIMEOUT_MS; now += 10_000) assert.equal(await probed.check(PATIENCE_MS), 'extracted a page');
  assert.equal(probes, 1);
  // A process kept alive by pages is probed again.
  now = 2 * IDLE_TIMEOUT_MS;
  assert.equal(await probed.check(PATIENCE_MS), 'extracted a page');
  assert.equal(probes, 2);
});
