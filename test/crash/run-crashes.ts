import { randomInt } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LocalSnapshotContent } from '../../packages/server/src/snapshots/local-snapshot-content.ts';
import { openStore } from '../../packages/server/src/store/open-store.ts';
import { hashOf } from '../find-lost.ts';
import { startPages } from './start-pages.ts';
import type { Pages } from './start-pages.ts';
import { startService } from './start-service.ts';
import type { RunningService } from './start-service.ts';

export interface CrashOptions {
  readonly kills: number;
  readonly onProgress?: (text: string) => void;
}

export interface CrashReport {
  readonly kills: number;
  /** Dumps that were answered with a dom_id before the kill. */
  readonly acknowledged: number;
  readonly rows: number;
  /** Acknowledged snapshots without a row, or with other content than in the answer. */
  readonly lost: readonly string[];
  /** Rows whose bytes are absent or damaged. */
  readonly rowsWithoutBytes: readonly string[];
}

/** Concurrent requests at the time of a kill. */
const CLIENTS = 6;

/** A kill follows a random number of answers and a random pause, up to these. */
const MOST_ANSWERS = 16;
const LONGEST_PAUSE_MS = 60;

/** `dom_id` → {@link hashOf} of the HTML in its answer. */
type Acknowledged = Map<string, string>;

/**
 * Repeatedly starts the service on the same data, dumps pages and kills it with SIGKILL at a random moment.
 * Afterwards every acknowledged snapshot must exist, and every row must have its bytes.
 */
export async function runCrashes(options: CrashOptions): Promise<CrashReport> {
  const folder = await mkdtemp(path.join(tmpdir(), 'winnow-crash-'));
  const pages = await startPages();
  const acknowledged: Acknowledged = new Map();
  let key: string | undefined;
  try {
    for (let kill = 1; kill <= options.kills; kill += 1) {
      const service = await startService({ dataDir: folder, allow: pages.address });
      key ??= service.key;
      await dumpUntilKilled(service, key ?? '', pages, acknowledged);
      options.onProgress?.(`kill ${kill}: ${acknowledged.size} snapshots acknowledged so far`);
    }
    return { kills: options.kills, acknowledged: acknowledged.size, ...(await inspect(folder, acknowledged)) };
  } finally {
    await pages.close();
    await rm(folder, { recursive: true });
  }
}

async function dumpUntilKilled(
  service: RunningService,
  key: string,
  pages: Pages,
  acknowledged: Acknowledged,
): Promise<void> {
  const enough = acknowledged.size + randomInt(MOST_ANSWERS);
  const reached = Promise.withResolvers<void>();
  const onAnswer = (): void => {
    if (acknowledged.size >= enough) reached.resolve();
  };
  onAnswer();
  const clients = Array.from({ length: CLIENTS }, () => dumpForEver(service, key, pages, acknowledged, onAnswer));
  await Promise.race([reached.promise, Promise.all(clients)]);
  await sleep(randomInt(LONGEST_PAUSE_MS));
  await service.kill();
  await Promise.all(clients);
}

/** Sends requests until the service is killed. */
async function dumpForEver(
  service: RunningService,
  key: string,
  pages: Pages,
  acknowledged: Acknowledged,
  onAnswer: () => void,
): Promise<void> {
  for (;;) {
    let response: Response;
    let body: { dom_id?: string; html?: string };
    try {
      response = await fetch(`${service.url}/v1/dom/dump`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-API-Key': key },
        body: JSON.stringify({ url: pages.nextUrl(), options: { engine_preference: 'http' } }),
      });
      body = (await response.json()) as typeof body;
    } catch (error) {
      if (service.isKilled()) return;
      throw error;
    }
    if (response.status !== 200 || body.dom_id === undefined || body.html === undefined) {
      throw new Error(`a dump was answered with ${response.status}: ${JSON.stringify(body).slice(0, 300)}`);
    }
    acknowledged.set(body.dom_id, hashOf(body.html));
    onAnswer();
  }
}

/** Reads the stored data without the service. */
async function inspect(
  folder: string,
  acknowledged: Acknowledged,
): Promise<Pick<CrashReport, 'rows' | 'lost' | 'rowsWithoutBytes'>> {
  const store = await openStore({
    location: { sqliteFile: path.join(folder, 'winnow.db') },
    onError: (error) => {
      throw error;
    },
  });
  const content = new LocalSnapshotContent(path.join(folder, 'snapshots'));
  const stored = new Map<string, string>();
  const rowsWithoutBytes: string[] = [];
  try {
    for (const project of await store.projects.list()) {
      for (let cursor: string | null | undefined; cursor !== null;) {
        const page = await store.snapshots.list(project.id, {}, cursor === undefined ? {} : { cursor });
        for (const { domId, hash } of page.items) {
          const html = await content.get(hash).catch(() => undefined);
          if (html === undefined) rowsWithoutBytes.push(domId);
          else stored.set(domId, hashOf(html));
        }
        cursor = page.nextCursor;
      }
    }
  } finally {
    await content.close();
    await store.close();
  }
  const lost = [...acknowledged].filter(([domId, hash]) => stored.get(domId) !== hash).map(([domId]) => domId);
  return { rows: stored.size + rowsWithoutBytes.length, lost, rowsWithoutBytes };
}
