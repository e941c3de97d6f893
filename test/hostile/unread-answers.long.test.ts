import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startServiceProcess } from '../support/service-process.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { readMainThreadMs, readMaxHeldMs } from '../torture/processes.ts';

const CONNECTIONS = 16;
/** 64 KiB of requests. */
const PIPELINED = 1700;
/** The most that keep a connection open. */
const ALLOWED = 64;

const MAX_MEMORY_MIB = 600;

/** Keep-alive connections of the probes and of the service itself. */
const MARGIN = 4;

/** Of one flood with a key. */
const PROBES = 20;

/** Answers that a caller gets without a key: the largest ones, computed ones, files, refusals. */
const PATHS = [
  '/openapi.json',
  '/docs/yaml',
  '/docs/static/swagger-ui-bundle.js',
  '/console/favicon.svg',
  '/metrics',
  '/healthz',
  '/v1/batches/bat_1/results',
  '/mcp',
  '/admin/v1/session',
];

const folder = mkdtempSync(path.join(tmpdir(), 'winnow-unread-'));
let service: ServiceProcess;
before(async () => {
  const environment = {
    WINNOW_LOG_LEVEL: 'error',
    WINNOW_EGRESS_ALLOW: '127.0.0.1',
    // Threads have their own limits.
    WINNOW_WORKER_THREADS: '1',
    WINNOW_WORKER_MEMORY: '128MiB',
  };
  service = await startServiceProcess({ dataDir: folder, environment, onLine: () => undefined });
});
after(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function flood(request: string, count: number): Promise<Socket[]> {
  const { hostname, port } = new URL(service.url);
  const sockets = Array.from({ length: CONNECTIONS }, () => connect(Number(port), hostname).pause());
  for (const socket of sockets) socket.on('error', () => undefined);
  // The system completes connections before the service accepts them.
  await Promise.all(
    sockets.map(async (socket) => {
      socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n');
      await once(socket.resume(), 'data');
      socket.pause();
    }),
  );
  for (const socket of sockets) socket.write(request.repeat(count));
  return sockets;
}

const get = (target: string, more = ''): string => `GET ${target} HTTP/1.1\r\nHost: a\r\n${more}\r\n`;

function post(target: string, body: object, more: string): string {
  const text = JSON.stringify(body);
  const headers = `Content-Type: application/json\r\nContent-Length: ${text.length}\r\n${more}`;
  return `POST ${target} HTTP/1.1\r\nHost: a\r\n${headers}\r\n${text}`;
}

const countDescriptors = (): number => readdirSync(`/proc/${service.pid}/fd`).length;

function readPeakMemoryMib(): number {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${service.pid}/status`, 'latin1'))?.[1]) / 1024;
}

function forgetPeakMemory(): void {
  writeFileSync(`/proc/${service.pid}/clear_refs`, '5');
}

async function probe(): Promise<number> {
  const started = readMainThreadMs(service.pid);
  const { status } = await fetch(`${service.url}/healthz`);
  assert.equal(status, 200);
  return readMainThreadMs(service.pid) - started;
}

// Checks: threat-unread-answers
test('callers who pipeline requests and read nothing cost little memory, no descriptors and no waiting', async () => {
  // What is built at its first use, in many turns, is built once in the life of a service.
  for (const target of PATHS) await (await fetch(service.url + target)).arrayBuffer();
  await probe();
  const held: Record<string, number> = {};
  for (const target of PATHS) {
    const idle = countDescriptors();
    const sockets = await flood(get(target), PIPELINED);
    let most = 0;
    do {
      most = Math.max(most, await probe());
      await sleep(5);
    } while (countDescriptors() > idle + MARGIN);
    held[target] = most;
    for (const socket of sockets) socket.destroy();
  }
  assertBounded(held);
});

// Checks: threat-unread-answers
test('callers who pipeline as much as they may and read nothing cost little memory and no waiting', async () => {
  const held: Record<string, number> = {};
  const opened: Socket[] = [];
  for (const target of ['/openapi.json', '/docs/static/swagger-ui-bundle.js', '/metrics']) {
    const idle = countDescriptors();
    opened.push(...(await flood(get(target), ALLOWED)));
    let most = 0;
    for (let count = 0; count < 20; count += 1) most = Math.max(most, await probe());
    held[target] = most;
    assert.ok(countDescriptors() >= idle + CONNECTIONS - MARGIN, 'the connections are still open');
  }
  assertBounded(held);
  for (const socket of opened) socket.destroy();
});

interface Pages {
  readonly url: string;
  close(): void;
}

/** Serves a large page of text. */
async function servePages(): Promise<Pages> {
  const text = '<p>The harbour is calm, and the ships lie still in the morning light of a long day.</p>'.repeat(1500);
  const server = createServer((_request, response) =>
    response
      .writeHead(200, { 'Content-Type': 'text/html' })
      .end(`<!doctype html><title>Page</title><main>${text}</main>`),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

interface Reply {
  readonly dom_id: string;
  readonly batch: { readonly id: string; readonly state: string; readonly counts: { readonly done: number } };
}

async function call(target: string, body?: object): Promise<Reply> {
  const response = await fetch(service.url + target, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'Content-Type': 'application/json', 'X-API-Key': service.key ?? '' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const reply = (await response.json()) as Reply;
  assert.equal(response.status, 200, JSON.stringify(reply).slice(0, 500));
  return reply;
}

/** Mostly style, so that the answer is large and its extraction cheap. */
const LARGE_PAGE = `<!doctype html><title>Large</title><style>${'/* calm */'.repeat(300_000)}</style><p>The harbour is calm.`;

const callExtract = (id: string): object => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'extract', arguments: { dom_id: id } },
});

/** Results of a batch, together more than the system takes for a connection. */
const RESULTS = 120;

// Checks: threat-unread-answers
test('callers with a key who read nothing cost little memory, no descriptors and no waiting', async (t) => {
  const pages = await servePages();
  t.after(() => pages.close());
  const { dom_id: large } = await call('/v1/snapshots', { url: `${pages.url}/large`, html: LARGE_PAGE });
  const { dom_id: id } = await call('/v1/dom/dump', { url: pages.url, options: { engine_preference: 'http' } });
  let { batch } = await call('/v1/batches', { dom_ids: Array.from({ length: RESULTS }, () => id) });
  while (batch.state === 'running') {
    await sleep(100);
    ({ batch } = await call(`/v1/batches/${batch.id}`));
  }
  assert.equal(batch.counts.done, RESULTS);
  const key = `X-API-Key: ${service.key ?? ''}\r\n`;
  const surfaces: Readonly<Record<string, string>> = {
    results: get(`/v1/batches/${batch.id}/results`, key),
    'compressed results': get(`/v1/batches/${batch.id}/results`, `${key}Accept-Encoding: gzip\r\n`),
    metrics: get('/metrics', key),
    'raw pages': post('/v1/extract', { extract: { dom_id: large }, trace: { include_raw_dom: true } }, key),
    'answers of tools': post('/mcp', callExtract(id), `${key}Accept: application/json, text/event-stream\r\n`),
    batches: get('/v1/batches', key),
  };
  await probe();
  const held: Record<string, number> = {};
  const peaks: Record<string, number> = {};
  for (const [name, request] of Object.entries(surfaces)) {
    const idle = countDescriptors();
    forgetPeakMemory();
    const sockets = await flood(request, ALLOWED);
    let most = 0;
    for (let count = 0; count < PROBES; count += 1) {
      most = Math.max(most, await probe());
      await sleep(50);
    }
    held[name] = most;
    for (const socket of sockets) socket.destroy();
    // Work that nobody waits for ends, and so do its files.
    while (countDescriptors() > idle + MARGIN) await sleep(50);
    peaks[name] = readPeakMemoryMib();
  }
  assertBounded(held, peaks);
});

function assertBounded(held: Readonly<Record<string, number>>, peaks: Readonly<Record<string, number>> = {}): void {
  const most = readMaxHeldMs();
  for (const [name, ms] of Object.entries(held)) assert.ok(ms < most, `${name} held the loop for ${ms} ms`);
  const memory = Object.keys(peaks).length > 0 ? peaks : { all: readPeakMemoryMib() };
  for (const [name, mib] of Object.entries(memory)) assert.ok(mib < MAX_MEMORY_MIB, `${name}: ${mib} MiB`);
}
