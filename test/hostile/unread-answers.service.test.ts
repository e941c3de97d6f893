import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startServiceProcess } from '../support/service-process.ts';
import type { ServiceProcess } from '../support/service-process.ts';

const CONNECTIONS = 16;
/** 64 KiB of requests. */
const PIPELINED = 1700;
/** The most that keep a connection open. */
const ALLOWED = 64;

const MAX_MEMORY_MIB = 600;

/** Processor time of the main thread while it answers one probe. */
const MAX_HELD_MS = 250;

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
  const environment = { WINNOW_LOG_LEVEL: 'error' };
  service = await startServiceProcess({ dataDir: folder, environment, onLine: () => undefined });
});
after(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function flood(target: string, count: number): Promise<Socket[]> {
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
  for (const socket of sockets) socket.write(`GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(count));
  return sockets;
}

const countDescriptors = (): number => readdirSync(`/proc/${service.pid}/fd`).length;

function readPeakMemoryMib(): number {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${service.pid}/status`, 'latin1'))?.[1]) / 1024;
}

/** Processor time of the main thread, in the clock ticks of Linux, of 10 ms. */
function readMainThreadMs(): number {
  const fields =
    readFileSync(`/proc/${service.pid}/task/${service.pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

async function probe(): Promise<number> {
  const started = readMainThreadMs();
  const { status } = await fetch(`${service.url}/healthz`);
  assert.equal(status, 200);
  return readMainThreadMs() - started;
}

test('callers who pipeline requests and read nothing cost little memory, no descriptors and no waiting', async () => {
  await probe();
  const held: Record<string, number> = {};
  for (const target of PATHS) {
    const idle = countDescriptors();
    const sockets = await flood(target, PIPELINED);
    let most = 0;
    do {
      most = Math.max(most, await probe());
      await sleep(5);
      // The keep-alive connections of the probes are the margin.
    } while (countDescriptors() > idle + 4);
    held[target] = most;
    for (const socket of sockets) socket.destroy();
  }
  assertBounded(held);
});

test('callers who pipeline as much as they may and read nothing cost little memory and no waiting', async () => {
  const held: Record<string, number> = {};
  const opened: Socket[] = [];
  for (const target of ['/openapi.json', '/docs/static/swagger-ui-bundle.js', '/metrics']) {
    const idle = countDescriptors();
    opened.push(...(await flood(target, ALLOWED)));
    let most = 0;
    for (let count = 0; count < 20; count += 1) most = Math.max(most, await probe());
    held[target] = most;
    assert.ok(countDescriptors() >= idle + CONNECTIONS, 'the connections are still open');
  }
  assertBounded(held);
  for (const socket of opened) socket.destroy();
});

function assertBounded(held: Readonly<Record<string, number>>): void {
  assert.ok(readPeakMemoryMib() < MAX_MEMORY_MIB, `${readPeakMemoryMib()} MiB`);
  for (const [target, ms] of Object.entries(held)) assert.ok(ms < MAX_HELD_MS, `${target} held the loop for ${ms} ms`);
}
