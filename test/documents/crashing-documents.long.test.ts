/** Documents that end the process in which they are read. The service runs in a process of its own, as in production. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BatchBody } from '@winnow/contract';
import { readProc, until } from '../../packages/server/src/engines/testing/own-browsers.ts';
import { startServiceProcess } from '../support/service-process.ts';
import { listDescendants, readMainThreadMs, readMaxHeldMs, readResidentMiB } from '../torture/processes.ts';
import { drawLines, ENDLESS_FONTS, writeCidPage, writeDoublingForms, writePage } from './write-pdf.ts';
import { serveFiles } from './serve-files.ts';

const MAX_RESIDENT_MIB = 600;
const AT_ONCE = 8;
const PROCESSES = 2;

const dataDir = await mkdtemp(path.join(tmpdir(), 'winnow-crashing-documents-'));
const files = await serveFiles();
const service = await startServiceProcess({
  dataDir,
  environment: {
    WINNOW_CHROMIUM: 'none',
    WINNOW_EGRESS_ALLOW: '127.0.0.1',
    WINNOW_WORKER_THREADS: String(2 * PROCESSES),
    WINNOW_WORKER_MEMORY: '64MiB',
    WINNOW_HOST_CONCURRENCY: '100',
  },
  onLine: () => undefined,
});
after(async () => {
  await service.stop();
  await files.close();
  await rm(dataDir, { recursive: true });
});

const SOUND = files.add('/sound.pdf', writePage(drawLines(['All is well in the harbour.'])));
const HOSTILE = Object.entries(ENDLESS_FONTS).map(
  ([name, font], index) => [name, files.add(`/endless-${index}.pdf`, writeCidPage(font))] as const,
);

const ENDLESS = files.add('/endless.pdf', writeDoublingForms());

/** Pipes of its input and errors, and its channel. */
const FILES_PER_PROCESS = 3;

/** Connections of clients that stay open. */
const CONNECTIONS = 4;

interface Reply {
  readonly status: number;
  readonly body: {
    readonly html?: string;
    readonly batch?: BatchBody;
    readonly error?: { readonly code: string };
  };
}

const hostile = (index: number): string => HOSTILE[index % HOSTILE.length]![1];

async function call(target: string, body?: object): Promise<Reply> {
  const response = await fetch(service.url + target, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'Content-Type': 'application/json', 'X-API-Key': service.key ?? '' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Reply['body'] };
}

const dump = (url: string): Promise<Reply> =>
  call('/v1/dom/dump', { url, options: { engine_preference: 'http', timeout_ms: 120_000 } });

function assertHostile({ status, body }: Reply): void {
  assert.match(body.error?.code ?? `status ${status}`, /^(?:unsupported_content|response_too_large)$/);
}

async function assertSound(): Promise<void> {
  const { body } = await dump(SOUND);
  assert.match(body.html ?? JSON.stringify(body), /All is well in the harbour\./);
}

/** Clock ticks of processor time, mostly a hundredth of a second. */
const MANY_TICKS = 200;

/** Tests for a process that uses its main thread. */
function isBusy(pid: number): boolean {
  const fields = readProc(pid, 'stat').split(') ').at(-1)?.split(' ') ?? [];
  return Number(fields[11]) > MANY_TICKS;
}

interface Health {
  /** Largest resident memory. */
  readonly maxMiB: number;
  /** Most processor time of the main thread while it answered one probe. */
  readonly heldMs: number;
}

/** Asks for the health of the service until the work ends. */
async function watchHealth(work: Promise<unknown>): Promise<Health> {
  const watch = { isOver: false, maxMiB: 0, heldMs: 0 };
  const ended = work.finally(() => (watch.isOver = true));
  while (!watch.isOver) {
    const started = readMainThreadMs(service.pid);
    const { status } = await fetch(`${service.url}/healthz`);
    watch.heldMs = Math.max(watch.heldMs, readMainThreadMs(service.pid) - started);
    assert.equal(status, 200);
    watch.maxMiB = Math.max(watch.maxMiB, readResidentMiB(service.pid) ?? Infinity);
    await Promise.race([sleep(20), ended.catch(() => undefined)]);
  }
  await ended;
  return watch;
}

/** Fails unless the service is small and answers at once. */
function assertHealthy({ maxMiB, heldMs }: Health): void {
  assert.ok(maxMiB < MAX_RESIDENT_MIB, `${maxMiB} MiB resident`);
  assert.ok(heldMs < readMaxHeldMs(), `a probe waited for ${heldMs} ms of processor time`);
}

for (const [name, url] of HOSTILE) {
  // Checks: threat-endless-document
  test(`a PDF of a kilobyte with endless ${name} gives its error, and the next document is read`, async () => {
    assertHealthy(await watchHealth(dump(url).then(assertHostile)));
    await assertSound();
  });
}

// Checks: threat-endless-document
test('eight PDFs that crash at once harm no other document, and the service stays healthy and small', async () => {
  const crashing = Array.from({ length: AT_ONCE }, async (_, index) => assertHostile(await dump(hostile(index))));
  const sound = Array.from({ length: AT_ONCE }, assertSound);
  assertHealthy(await watchHealth(Promise.all([...crashing, ...sound])));
});

// Checks: threat-endless-document
test('a batch with addresses of documents that crash fails these items, and the service continues', async () => {
  const urls = [hostile(0), SOUND, hostile(1)];
  const made = await call('/v1/batches', { urls, options: { engine_preference: 'http' } });
  assert.equal(made.status, 200, JSON.stringify(made.body));
  let { batch } = made.body;
  const finish = async (): Promise<void> => {
    while (batch?.state === 'running') {
      await sleep(50);
      ({ batch } = (await call(`/v1/batches/${batch.id}`)).body);
    }
  };
  assertHealthy(await watchHealth(finish()));
  assert.deepEqual(batch?.counts, { queued: 0, running: 0, done: 1, failed: 2, cancelled: 0 });
  await assertSound();
});

// Checks: threat-endless-document
test('documents that crash leave neither processes nor open files', async () => {
  const countFiles = (): number => readdirSync(`/proc/${service.pid}/fd`).length;
  await assertSound();
  const before = { files: countFiles(), processes: listDescendants(service.pid).length };
  await Promise.all(Array.from({ length: AT_ONCE }, () => dump(hostile(0))));
  await Promise.all([assertSound(), assertSound()]);
  await until(() => listDescendants(service.pid).length <= PROCESSES, 'crashed processes to be gone');
  const added = listDescendants(service.pid).length - before.processes;
  const allowed = before.files + FILES_PER_PROCESS * added + CONNECTIONS;
  // Connections of the calls close a little later; what is lost stays open.
  await until(() => countFiles() <= allowed, `at most ${allowed} open files, ${before.files} before`);
});

// Checks: threat-endless-document
test('a process that reads an endless document ends with a killed service', async () => {
  const reading = assert.rejects(dump(ENDLESS));
  await until(() => listDescendants(service.pid).some(isBusy), 'a process to read the document');
  const children = listDescendants(service.pid);
  assert.ok(children.length > 0);
  await service.kill();
  await reading;
  await until(() => children.every((pid) => readResidentMiB(pid) === undefined), 'processes of the service to end');
});
