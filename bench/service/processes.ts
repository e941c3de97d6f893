import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { startServiceProcess } from '../../test/support/service-process.ts';
import { LightCaller } from './light-caller.ts';
import { SITES } from './sites.ts';

const WINNOW = path.join(import.meta.dirname, '../../winnow');

/** Milliseconds after which the self-test and the threads of the start have ended. */
const REST_MS = 15_000;

/**
 * Node's `monitorEventLoopDelay` records the time between two ticks of a timer, so an idle process shows the timer's
 * period (10 ms by default in @prometheus-io/client). The delay is the remainder.
 */
const LAG_TIMER_MS = 10;

export interface Pages {
  /** Returns a different address each time. */
  nextUrl(): string;
  /** Returns a different address each time, of each site in turn, whose answer is delayed by `waitMs`. */
  nextSlowUrl(waitMs: number): string;
  /** Value for `WINNOW_EGRESS_ALLOW`. */
  readonly allow: string;
  close(): Promise<void>;
}

export async function startPages(): Promise<Pages> {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, 'page-server.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [port] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  let count = 0;
  return {
    nextUrl: () => `http://127.0.0.1:${port}/page/${(count += 1)}`,
    nextSlowUrl: (waitMs) => `http://127.0.0.${((count += 1) % SITES) + 1}:${port}/page/${count}?wait=${waitMs}`,
    allow: `127.0.0.0/8:${port}`,
    close: async () => {
      child.kill();
      await once(child, 'exit');
    },
  };
}

export interface Service {
  /** Sends a request, by default with the first key; throws unless the answer is 200. */
  request(target: string, body: object, key?: string): Promise<void>;
  /** Creates another key of the same project. */
  addKey(): Promise<string>;
  /** The event loop's delay since the last scrape, 99th percentile, in milliseconds. */
  readLoopDelayMs(): Promise<number>;
  /** Resident memory, in MB (10^6 bytes). */
  measureRestMB(): number;
  close(): Promise<void>;
}

/** Starts the service with its defaults on an empty data folder, and waits until it is idle. */
export async function startService(pages: Pages, threads: number, browsers: number): Promise<Service> {
  const folder = await mkdtemp(path.join(tmpdir(), 'winnow-bench-'));
  const service = await startServiceProcess({
    dataDir: folder,
    environment: {
      HOME: process.env['HOME'] ?? '',
      WINNOW_EGRESS_ALLOW: pages.allow,
      WINNOW_WORKER_THREADS: String(threads),
      WINNOW_BROWSER_CONCURRENCY: String(browsers),
      WINNOW_SELF_TEST: 'true',
      WINNOW_LOG_LEVEL: 'error',
      // No thread is started in advance: the memory of the idle service is measured.
      WINNOW_KEEP_WARM: '0s',
    },
    onLine: (line) => process.stderr.write(`${line}\n`),
  });
  const { url, firstStart: first } = service;
  if (first === null) throw new Error('the data folder is not empty');
  const caller = new LightCaller(url);
  await sleep(REST_MS);
  return {
    request: async (target, order, key = first.key_only_key) => {
      const headers = { 'Content-Type': 'application/json', 'X-API-Key': key };
      const { status, body } = await caller.post(target, headers, JSON.stringify(order));
      if (status !== 200) throw new Error(`answered with ${status}: ${body.toString().slice(0, 300)}`);
    },
    addKey: async () => {
      const order = ['keys', 'create', '--project', first.project_id, '--standalone', '--json'];
      const { stdout } = await promisify(execFile)(WINNOW, order, { env: { ...process.env, WINNOW_DATA_DIR: folder } });
      return (JSON.parse(stdout) as { key: string }).key;
    },
    readLoopDelayMs: async () => {
      const text = await (await fetch(`${url}/metrics`)).text();
      const intervalMs = Number(/^nodejs_eventloop_lag_p99_seconds (\S+)$/m.exec(text)?.[1]) * 1000;
      return Math.max(0, intervalMs - LAG_TIMER_MS);
    },
    measureRestMB: () => {
      const status = readFileSync(`/proc/${service.pid}/status`, 'utf8');
      const kib = Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]);
      return (kib * 1024) / 1e6;
    },
    close: async () => {
      caller.close();
      await service.stop();
      await rm(folder, { recursive: true });
    },
  };
}
