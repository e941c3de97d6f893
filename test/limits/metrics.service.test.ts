import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { startRunning } from '../support/running-service.ts';
import type { Running } from '../support/running-service.ts';

let running: Running;
before(async () => {
  running = await startRunning();
});
after(() => running.close());

async function scrape(): Promise<Map<string, number>> {
  const response = await fetch(`${running.url}/metrics`);
  assert.equal(response.status, 200);
  assert.match(response.headers.get('Content-Type') ?? '', /^text\/plain; version=0\.0\.4/);
  const lines = (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

test('/metrics counts requests, errors, stages, refusals and snapshots, and reads queues, browsers and threads', async () => {
  const body = { extract: { url: `${running.pages.url}/article` } };
  assert.equal((await running.call('/v1/extract', body)).status, 200);
  assert.equal((await running.call('/v1/extract', { extract: {} })).status, 400);
  assert.equal((await running.call('/v1/extract', { extract: { url: 'http://10.0.0.1/' } })).status, 400);
  assert.equal((await running.call('/nowhere/at/all', {})).status, 404);
  const figures = await scrape();
  const expected = {
    'winnow_requests_total{method="POST",route="/v1/extract",status="200"}': 1,
    'winnow_requests_total{method="POST",route="/v1/extract",status="400"}': 2,
    'winnow_requests_total{method="POST",route="unknown",status="404"}': 1,
    'winnow_errors_total{code="invalid_request",stage="request"}': 1,
    'winnow_errors_total{code="url_not_allowed",stage="request"}': 1,
    'winnow_stage_duration_seconds_count{stage="extract",status="ok"}': 1,
    'winnow_engine_attempts_total{engine="http",outcome="captured"}': 1,
    winnow_egress_refusals_total: 1,
    winnow_requests_running: 0,
    winnow_queue_length: 0,
    winnow_browser_leases: 0,
    winnow_worker_queue_length: 0,
  };
  for (const [name, value] of Object.entries(expected)) assert.equal(figures.get(name), value, name);
  for (const name of ['winnow_snapshots', 'winnow_snapshot_bytes', 'winnow_worker_threads'])
    assert.ok((figures.get(name) ?? 0) >= 1, name);
  for (const name of ['nodejs_eventloop_lag_p99_seconds', 'process_resident_memory_bytes'])
    assert.ok(figures.has(name), name);
});

test('the histogram of the stages has buckets, sums and every stage that a request goes through', async () => {
  const body = { extract: { url: `${running.pages.url}/article` }, trace: { include_steps: true } };
  const earlier = await scrape();
  const { status, body: answer } = await running.call('/v1/extract', body);
  assert.equal(status, 200, JSON.stringify(answer.error));
  const later = await scrape();
  const grown = (name: string): number => (later.get(name) ?? 0) - (earlier.get(name) ?? 0);
  const stages = answer.trace.filter((step) => step.status !== 'skipped');
  assert.ok(stages.length >= 6, JSON.stringify(answer.trace));
  for (const { stage, status: outcome, elapsed_ms: ms } of stages) {
    const name = 'winnow_stage_duration_seconds';
    const labels = `stage="${stage}",status="${outcome}"`;
    assert.equal(grown(`${name}_count{${labels}}`), 1, stage);
    assert.equal(grown(`${name}_bucket{le="+Inf",${labels}}`), 1, stage);
    const sum = grown(`${name}_sum{${labels}}`) * 1000;
    assert.ok(Math.abs(sum - ms) <= 1, `${stage}: ${sum} ms in the sum, ${ms} ms in the trace`);
    // Buckets are cumulative: only those with a limit above the time count the request.
    const buckets = [...later.keys()].flatMap((key) => {
      const limit =
        key.startsWith(`${name}_bucket`) && key.includes(labels) ? /le="([\d.]+)"/.exec(key)?.[1] : undefined;
      return limit === undefined ? [] : [[Number(limit) * 1000, grown(key)] as const];
    });
    assert.ok(buckets.length > 10, stage);
    for (const [limitMs, count] of buckets)
      if (Math.abs(limitMs - ms) > 1) assert.equal(count, Number(limitMs > ms), stage);
  }
});

// Checks: threat-traceparent
test('a traceparent is logged, returned with a new span id, and not sent to the site', async (t) => {
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;
  const seen: (string | undefined)[] = [];
  const site = createServer((request, response) => {
    seen.push(request.headers['traceparent'] as string | undefined);
    response.writeHead(200, { 'Content-Type': 'text/html' }).end('<!doctype html><p>A page.</p>');
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  t.after(() => void site.close());
  const url = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;
  const { status, headers } = await running.call(
    '/v1/dom/dump',
    { url, options: { engine_preference: 'http' } },
    { headers: { traceparent } },
  );
  assert.equal(status, 200);
  assert.match(headers.get('traceparent') ?? '', new RegExp(`^00-${traceId}-(?!00f067aa0ba902b7)[0-9a-f]{16}-01$`));
  assert.deepEqual(seen, [undefined]);
  const lines = running.log.filter((line) => line.includes(traceId));
  const completed = lines.find((line) => line.includes('request completed')) ?? assert.fail();
  const { spanId, target } = JSON.parse(completed) as Record<string, unknown>;
  assert.match(String(spanId), /^[0-9a-f]{16}$/);
  assert.equal(target, new URL(url).host);
});

test('a log line names no host of a request that was refused: it may be of any length', async () => {
  const { status, headers } = await running.call('/v1/extract', {
    extract: { url: `http://${'a'.repeat(9000)}.example/` },
  });
  assert.equal(status, 400);
  const id = headers.get('x-request-id') ?? assert.fail();
  const lines = running.log.filter((line) => line.includes(id));
  assert.ok(lines.length > 0 && lines.every((line) => line.length < 1000), lines.join('\n').slice(0, 2000));
});
