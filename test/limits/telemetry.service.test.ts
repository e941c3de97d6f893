/** Traces and metrics as a collector on loopback gets them. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { openTelemetry, readExports } from '../../packages/server/src/composition/open-metrics.ts';
import { createLogger } from '../../packages/server/src/composition/process/logger.ts';
import { readConfig } from '../../packages/server/src/config/config.ts';
import { Telemetry } from '../../packages/server/src/telemetry/telemetry.ts';
import { startRunning } from '../support/running-service.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = '00f067aa0ba902b7';

interface Export {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

async function startCollector(t: TestContext, answer: (response: ServerResponse) => void) {
  const exports: Export[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      exports.push({ path: request.url ?? '', headers: request.headers, body: Buffer.concat(parts) });
      server.emit('export');
      answer(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { endpoint, exports, next: () => once(server, 'export') };
}

const accept = (response: ServerResponse): void =>
  void response.writeHead(200, { 'Content-Type': 'application/x-protobuf' }).end();

/** Fields of a message in Protocol Buffers, by number. */
type Message = ReadonlyMap<number, readonly (Buffer | bigint)[]>;

function readMessage(bytes: Buffer): Message {
  const fields = new Map<number, (Buffer | bigint)[]>();
  let at = 0;
  const readVarint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++] ?? assert.fail('the message ends in a number');
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const take = (length: number): Buffer => bytes.subarray(at, (at += length));
  while (at < bytes.length) {
    const tag = Number(readVarint());
    const type = tag & 7;
    const value = type === 0 ? readVarint() : type === 1 ? take(8) : type === 5 ? take(4) : take(Number(readVarint()));
    fields.set(tag >> 3, [...(fields.get(tag >> 3) ?? []), value]);
  }
  return fields;
}

const bytesOf = (message: Message, field: number): Buffer => {
  const value = message.get(field)?.[0];
  return Buffer.isBuffer(value) ? value : Buffer.alloc(0);
};
const textOf = (message: Message, field: number): string => bytesOf(message, field).toString();
/** The messages at the end of a path of fields. */
const list = (message: Message, ...[field, ...rest]: readonly number[]): Message[] => {
  if (field === undefined) return [message];
  const parts = (message.get(field) ?? []).map((part) => readMessage(part as Buffer));
  return parts.flatMap((part) => list(part, ...rest));
};

function readAttributes(message: Message, field: number): Record<string, string> {
  const pairs = list(message, field).map((pair) => {
    const value = readMessage(bytesOf(pair, 2));
    return [textOf(pair, 1), value.has(1) ? textOf(value, 1) : String(value.get(3)?.[0])];
  });
  return Object.fromEntries(pairs) as Record<string, string>;
}

function readSpans(exports: readonly Export[]) {
  return exports
    .filter(({ path }) => path.endsWith('/v1/traces'))
    .flatMap(({ body }) => list(readMessage(body), 1, 2, 2))
    .map((span) => ({
      traceId: bytesOf(span, 1).toString('hex'),
      spanId: bytesOf(span, 2).toString('hex'),
      parentId: bytesOf(span, 4).toString('hex'),
      name: textOf(span, 5),
      from: bytesOf(span, 7).readBigUInt64LE(),
      to: bytesOf(span, 8).readBigUInt64LE(),
      attributes: readAttributes(span, 9),
      hasFailed: list(span, 15).some((status) => status.get(3)?.[0] === 2n),
    }));
}

// Checks: threat-collector, threat-traceparent
test('a request is a trace of its stages below the span of its caller, and the metrics are those of /metrics', async (t) => {
  const { endpoint, exports } = await startCollector(t, accept);
  const running = await startRunning({
    OTEL_EXPORTER_OTLP_ENDPOINT: `${endpoint}/otlp`,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=word%20of%20the%20collector',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    WINNOW_CHROMIUM: 'none',
  });
  const url = `${running.pages.url}/article?token=a-secret-word`;
  const headers = { traceparent: `00-${TRACE}-${CALLER}-01` };
  const body = { extract: { url }, trace: { include_steps: true } };
  const good = await running.call('/v1/extract', body, { headers });
  assert.equal(good.status, 200);
  const bad = await running.call('/v1/extract', { extract: { url: 'http://10.0.0.1/?token=a-secret-word' } });
  assert.match(bad.headers.get('traceparent') ?? '', /-01$/, 'a new trace is recorded');
  const unrecorded = { traceparent: `00-${TRACE}-${CALLER}-00` };
  assert.equal((await running.call('/v1/extract', { extract: { url } }, { headers: unrecorded })).status, 200);
  await fetch(`${running.url}/healthz`);
  await running.close();

  const spans = readSpans(exports);
  const root = spans.find(({ parentId }) => parentId === CALLER) ?? assert.fail('the span below that of the caller');
  const children = spans.filter(({ parentId }) => parentId === root.spanId);
  assert.equal(good.headers.get('traceparent'), `00-${TRACE}-${root.spanId}-01`);
  assert.equal(root.name, 'POST /v1/extract');
  assert.deepEqual(
    [root.attributes['http.route'], root.attributes['http.response.status_code']],
    ['/v1/extract', '200'],
  );
  const steps = good.body.trace.filter(({ status }) => status !== 'skipped');
  assert.ok(steps.length >= 6);
  assert.deepEqual(children.map(({ name }) => name).toSorted(), steps.map(({ stage }) => stage).toSorted());
  for (const step of steps) {
    const span = children.find(({ name }) => name === step.stage) ?? assert.fail(step.stage);
    assert.equal(span.traceId, TRACE);
    assert.ok(root.from <= span.from && span.from <= span.to && span.to <= root.to, `${step.stage} is in the request`);
    const ms = Number(span.to - span.from) / 1e6;
    assert.ok(Math.abs(ms - step.elapsed_ms) <= 2, `${step.stage}: ${ms} ms, ${step.elapsed_ms} ms in the trace`);
  }
  assert.equal(children.find(({ name }) => name === 'fetch')?.attributes['winnow.engine'], 'http');
  const failed = spans.filter(({ attributes }) => attributes['error.type'] === 'url_not_allowed');
  assert.ok(failed.some(({ name, parentId }) => name === 'POST /v1/extract' && parentId === ''));
  assert.ok(failed.some(({ name, hasFailed }) => name === 'request' && hasFailed));
  assert.equal(spans.filter(({ parentId }) => parentId === '').length, 1, 'the check of health is no trace');
  assert.equal(spans.filter(({ parentId }) => parentId === CALLER).length, 1, 'the caller records one of two requests');

  const metrics = exports
    .filter(({ path }) => path === '/otlp/v1/metrics')
    .flatMap((one) => list(readMessage(one.body), 1, 2, 2));
  const last = (name: string): Message => metrics.findLast((metric) => textOf(metric, 1) === name) ?? assert.fail(name);
  const requests = list(last('winnow_requests_total'), 7, 1).map((point) => ({
    ...readAttributes(point, 7),
    value: bytesOf(point, 4).readDoubleLE(),
  }));
  assert.deepEqual(
    requests.filter(({ value }) => value === 2),
    [{ method: 'POST', route: '/v1/extract', status: '200', value: 2 }],
  );
  const stages = list(last('winnow_stage_duration_seconds'), 9, 1);
  const fetched = stages.find((point) => readAttributes(point, 9)['stage'] === 'fetch') ?? assert.fail();
  assert.equal(bytesOf(fetched, 4).readBigUInt64LE(), 2n);
  const counts = bytesOf(fetched, 6);
  const total = Array.from({ length: counts.length / 8 }, (_, at) => counts.readBigUInt64LE(at * 8));
  assert.equal(total.length, bytesOf(fetched, 7).length / 8 + 1);
  assert.equal(
    total.reduce((sum, count) => sum + count),
    2n,
    'buckets are not cumulative',
  );
  assert.ok(list(last('winnow_snapshots'), 5, 1).length === 1);

  for (const one of exports) {
    assert.equal(one.headers['x-collector-key'], 'word of the collector');
    const [resource] = list(readMessage(one.body), 1, 1);
    const named = readAttributes(resource ?? assert.fail(), 1);
    assert.deepEqual([named['service.name'], named['deployment.environment.name']], ['winnow', 'test']);
    assert.match(named['service.instance.id'] ?? '', /^[0-9a-f-]{36}$/);
    for (const secret of ['a-secret-word', '127.0.0.1', '10.0.0.1', running.secrets.key_only])
      assert.ok(!one.body.includes(secret), secret);
  }
});

// Checks: threat-collector
test('a collector that refuses or answers nonsense disturbs no request and is one warning', async (t) => {
  const { endpoint, exports, next } = await startCollector(t, (response) => {
    if (exports.length % 2 === 0) response.writeHead(400).end('no');
    else response.writeHead(200).end(Buffer.alloc(1000, 0xff));
  });
  const running = await startRunning({
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_METRIC_EXPORT_INTERVAL: '100',
    WINNOW_CHROMIUM: 'none',
  });
  const url = `${running.pages.url}/article`;
  while (exports.length < 6) {
    assert.equal((await running.call('/v1/extract', { extract: { url } })).status, 200);
    await next();
  }
  await running.close();
  const warnings = running.log.filter((line) => line.includes('OpenTelemetry'));
  assert.equal(warnings.length, 1, warnings.join(''));
  assert.match(warnings[0] ?? '', /"level":"?(?:40|warn)"?.*"reason":"Bad Request"/);
});

test('nothing is loaded without an endpoint, or where all is switched off', async () => {
  const logger = createLogger('silent', { write: () => undefined });
  const parts = { metrics: { read: () => Promise.resolve([]) }, version: '0', node: 'one', logger };
  const open = async (environment: Record<string, string>) => {
    const telemetry = await openTelemetry(readConfig(environment), parts);
    await telemetry?.close();
    return telemetry !== undefined;
  };
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' };
  const noTraces = { OTEL_TRACES_EXPORTER: 'none' };
  assert.equal(await open({}), false);
  assert.equal(await open({ ...endpoint, OTEL_SDK_DISABLED: 'true' }), false);
  assert.equal(await open({ ...endpoint, ...noTraces, OTEL_METRICS_EXPORTER: 'none' }), false);
  assert.equal(await open({ ...endpoint, OTEL_METRICS_EXPORTER: 'none' }), true);
  assert.deepEqual(readExports(readConfig({ ...endpoint, ...noTraces })), { traces: false, metrics: true });
});

// Checks: threat-collector
test('spans that a collector does not take are bounded', async (t) => {
  const held: ServerResponse[] = [];
  const { endpoint, exports, next } = await startCollector(t, (response) => {
    if (held.length === 0) held.push(response);
    else accept(response);
  });
  const telemetry = new Telemetry({
    endpoint,
    headers: {},
    resource: {},
    traces: true,
    metrics: false,
    metricIntervalMs: 60_000,
    version: '0',
    readMetrics: () => Promise.resolve([]),
    warn: assert.fail,
  });
  const hex = (index: number, length: number): string => index.toString(16).padStart(length, '1');
  const record = (index: number): void =>
    telemetry.record({
      requestId: 'req_1',
      method: 'POST',
      route: '/v1/extract',
      status: 200,
      elapsedMs: 5,
      failure: null,
      steps: [{ stage: 'auth', status: 'ok', startedMs: 0, elapsedMs: 1, detail: {} }],
      trace: { traceId: hex(index, 32), spanId: hex(index, 16), parentId: undefined, flags: '01', state: undefined },
      finished: undefined,
    });
  const first = next();
  for (let index = 1; index <= 256; index += 1) record(index);
  await first;
  for (let index = 257; index <= 10_000; index += 1) record(index);
  accept(held[0] ?? assert.fail());
  await telemetry.close();
  const { length } = readSpans(exports);
  assert.ok(length >= 2048 && length <= 2048 + 2 * 512, `${length} of 20,000 spans`);
});
