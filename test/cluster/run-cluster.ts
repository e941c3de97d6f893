import { setTimeout as sleep } from 'node:timers/promises';
import { ERRORS } from '@winnow/contract';
import type { DumpResponse, ErrorResponse } from '@winnow/contract';
import { S3SnapshotContent } from '../../packages/server/src/snapshots/s3-snapshot-content.ts';
import type { S3SnapshotOptions } from '../../packages/server/src/snapshots/s3-snapshot-content.ts';
import { openStore } from '../../packages/server/src/store/open-store.ts';
import type { BatchSite } from '../batches/batch-site.ts';
import { findLost, hashOf } from '../find-lost.ts';
import { checkResults, createBatch, waitForDone } from './follow-batch.ts';
import type { ResultCheck } from './follow-batch.ts';
import { startCluster } from './start-cluster.ts';

export interface ClusterOptions {
  /** Folder of the programs of PostgreSQL, and the program nginx. */
  readonly postgres: string;
  readonly nginx: string;
  /** Pages of the concurrent batch. */
  readonly items: number;
  /** Milliseconds of load before, between and after the failures. Default 4000. */
  readonly calmMs?: number;
  readonly onProgress: (text: string) => void;
}

export interface ClusterReport {
  /** Dumps that were answered with a dom_id. */
  readonly acknowledged: number;
  /** Acknowledged dumps whose row or content is missing at the end. */
  readonly lost: readonly string[];
  /** Errors that callers saw, by code. */
  readonly errors: Readonly<Record<string, number>>;
  /** Answers without JSON of the documented shape, and broken connections. */
  readonly undocumented: readonly string[];
  /** Dumps made by the remote browsers. */
  readonly rendered: number;
  /** Requests that each node answered, in start order. */
  readonly answeredBy: readonly number[];
  readonly batch: ResultCheck;
  readonly elapsedMs: number;
}

/** Concurrent callers, and the pause of each between requests: a modest load. */
const HTTP_CLIENTS = 4;
const RENDER_CLIENTS = 1;
const PAUSE_MS = 50;

const CALM_MS = 4000;

/** Milliseconds of downtime of PostgreSQL. */
const DATABASE_DOWN_MS = 1500;

/**
 * Three nodes, PostgreSQL, S3, two browsers and a load balancer on loopback. Under load, and with a
 * running batch, a node is killed and comes back, a browser is killed, and PostgreSQL restarts. Then every
 * acknowledged dump must exist.
 */
export async function runCluster(options: ClusterOptions): Promise<ClusterReport> {
  const started = performance.now();
  const calmMs = options.calmMs ?? CALM_MS;
  const cluster = await startCluster({ ...options, browsers: 2, environment: { WINNOW_BATCH_CONCURRENCY: '4' } });
  try {
    const { site, database, databaseUrl, s3, browsers, nodes, balancer, target } = cluster;
    options.onProgress('three nodes, PostgreSQL, S3, two browsers and nginx run');
    const urls = Array.from({ length: options.items }, (_, index) => site.pageUrl(index));
    const { id } = await createBatch(target, urls, 'cluster');
    const load = startLoad(target, site);
    await sleep(calmMs);
    options.onProgress('a node is killed');
    await nodes[1]?.kill();
    await sleep(calmMs);
    options.onProgress('a browser is killed');
    process.kill(browsers[0]?.pid ?? 0, 'SIGKILL');
    await sleep(calmMs);
    options.onProgress('PostgreSQL restarts');
    await database.restart(DATABASE_DOWN_MS);
    await sleep(calmMs);
    options.onProgress('the node comes back on its port');
    await cluster.startAgain(1);
    await sleep(calmMs);
    const seen = await load.stop();
    options.onProgress(`the load is over: ${seen.acknowledged.size} dumps; waiting for the batch`);
    await waitForDone(target, id, options.items);
    const batch = await checkResults(target, id, options.items);
    const counts = await balancer.countByNode();
    return {
      acknowledged: seen.acknowledged.size,
      lost: await inspect(databaseUrl, s3, seen.acknowledged),
      errors: seen.errors,
      undocumented: seen.undocumented,
      rendered: seen.rendered,
      answeredBy: nodes.map((node) => counts.get(new URL(node.url).host) ?? 0),
      batch,
      elapsedMs: Math.round(performance.now() - started),
    };
  } finally {
    await cluster.close();
  }
}

interface Seen {
  /** dom_id → SHA-256 of the HTML in its answer. */
  readonly acknowledged: Map<string, string>;
  readonly errors: Record<string, number>;
  readonly undocumented: string[];
  rendered: number;
}

function startLoad(target: { url: string; key: string }, site: BatchSite): { stop(): Promise<Seen> } {
  const seen: Seen = { acknowledged: new Map(), errors: {}, undocumented: [], rendered: 0 };
  const stop = new AbortController();
  let page = 1_000_000;
  const call = async (engine: string): Promise<void> => {
    while (!stop.signal.aborted) {
      page += 1;
      await dumpOnce(target, site.pageUrl(page), engine, seen);
      await sleep(PAUSE_MS);
    }
  };
  const engines = [
    ...Array.from({ length: HTTP_CLIENTS }, () => 'http'),
    ...Array.from({ length: RENDER_CLIENTS }, () => 'chrome_cdp'),
  ];
  const clients = engines.map(call);
  return {
    stop: async () => {
      stop.abort();
      await Promise.all(clients);
      return seen;
    },
  };
}

async function dumpOnce(target: { url: string; key: string }, url: string, engine: string, seen: Seen): Promise<void> {
  let text = '';
  let status = 0;
  try {
    const response = await fetch(`${target.url}/v1/dom/dump`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-API-Key': target.key },
      body: JSON.stringify({ url, options: { engine_preference: engine } }),
    });
    status = response.status;
    text = await response.text();
    const body = JSON.parse(text) as Partial<DumpResponse & ErrorResponse>;
    if (status === 200 && body.dom_id !== undefined && body.html !== undefined) {
      seen.acknowledged.set(body.dom_id, hashOf(body.html));
      if (body.engine === 'chrome_cdp') seen.rendered += 1;
      return;
    }
    const code = body.error?.code;
    if (code === undefined || ERRORS[code]?.status !== status || body.request_id === undefined)
      throw new Error('shape');
    seen.errors[code] = (seen.errors[code] ?? 0) + 1;
  } catch (error) {
    seen.undocumented.push(`${status} ${text.slice(0, 200)} ${error instanceof Error ? error.message : ''}`);
  }
}

/** Reads the database and the bucket directly, without a node. */
async function inspect(
  databaseUrl: string,
  s3: S3SnapshotOptions,
  acknowledged: ReadonlyMap<string, string>,
): Promise<string[]> {
  const store = await openStore({ location: { databaseUrl }, onError: () => undefined });
  const content = new S3SnapshotContent(s3);
  try {
    return await findLost(store, content, acknowledged);
  } finally {
    content.close();
    await store.close();
  }
}
