/** Items of batches that end a process: the one that reads a document, or the service itself. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import type { BatchLine } from '@winnow/contract';
import { createBatch, waitForDone } from '../cluster/follow-batch.ts';
import type { BatchTarget } from '../cluster/follow-batch.ts';
import { startNode } from '../cluster/start-node.ts';
import { serveFiles } from '../documents/serve-files.ts';
import { drawLines, ENDLESS_FONTS, writeCidPage, writePage } from '../documents/write-pdf.ts';

const ENVIRONMENT = {
  WINNOW_CHROMIUM: 'none',
  WINNOW_EGRESS_ALLOW: '127.0.0.1',
  WINNOW_WORKER_MEMORY: '64MiB',
  WINNOW_BATCH_CONCURRENCY: '4',
  WINNOW_HOST_CONCURRENCY: '8',
  WINNOW_FETCH_TIMEOUT: '5m',
  WINNOW_STAGE_TIMEOUT: '5m',
  WINNOW_WORKER_THREADS: '4',
};

/** The page that the service never outlives. */
const FATAL = '/page/2';

const PAGES = 4;

async function makeFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'winnow-fatal-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function readLines(target: BatchTarget, id: string): Promise<BatchLine[]> {
  const response = await fetch(`${target.url}/v1/batches/${id}/results`, { headers: { 'X-API-Key': target.key } });
  const text = await response.text();
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as BatchLine);
}

// Checks: threat-fatal-item
test('a document that ends the process that reads it fails its item, and is not read again', async (t) => {
  const files = await serveFiles();
  t.after(() => files.close());
  const node = await startNode('one', await makeFolder(t), ENVIRONMENT);
  t.after(() => node.stop());
  const fatal = files.add('/fatal.pdf', writeCidPage(Object.values(ENDLESS_FONTS)[0]!));
  const sound = files.add('/sound.pdf', writePage(drawLines(['All is well in the harbour.'])));
  const target = { url: node.url, key: node.key ?? '' };
  const { id } = await createBatch(target, [fatal, sound], 'once');
  await waitForDone(target, id, 2);
  const [first, second] = await readLines(target, id);
  assert.match(first?.error?.code ?? '', /^(?:unsupported_content|response_too_large)$/);
  assert.match(second?.result?.main_text ?? '', /All is well/);
  assert.equal(files.requests.filter((one) => one === '/fatal.pdf').length, 1);
});

// Checks: threat-fatal-item
test('a page during which the service was killed twice fails its item, and pages beside it do not', async (t) => {
  const site = await startHeldPages(t);
  const folder = await makeFolder(t);
  let node = await startNode('one', folder, ENVIRONMENT);
  const key = node.key ?? '';
  t.after(() => node.kill());
  const urls = Array.from({ length: PAGES }, (_, index) => `${site.url}/page/${index}`);
  const { id } = await createBatch({ url: node.url, key }, urls, 'once');
  await site.waitFor(PAGES);
  await node.kill();
  site.answerAllBut(FATAL);
  node = await startNode('one', folder, ENVIRONMENT);
  // One by one: the pages before it are done, the one after it waits.
  await site.waitFor(PAGES + 3);
  await waitForDone({ url: node.url, key }, id, 2);
  await node.kill();
  node = await startNode('one', folder, ENVIRONMENT);
  await waitForDone({ url: node.url, key }, id, PAGES);
  const lines = await readLines({ url: node.url, key }, id);
  assert.deepEqual(
    lines.map(({ error }) => error?.code ?? 'done'),
    ['done', 'done', 'unsupported_content', 'done'],
  );
  assert.match(lines[2]?.error?.message ?? '', /service ended/);
  assert.equal(site.served.filter((page) => page === FATAL).length, 2);
});

interface HeldPages {
  readonly url: string;
  /** Requested pages, in order. */
  readonly served: readonly string[];
  /** Resolves after this number of requests for pages. */
  waitFor(requests: number): Promise<void>;
  answerAllBut(page: string): void;
}

/** Starts a site whose pages are not answered until the test says so. */
async function startHeldPages(t: TestContext): Promise<HeldPages> {
  const served: string[] = [];
  let held: string | undefined;
  const server = createServer(({ url = '' }, response) => {
    if (!url.startsWith('/page/')) {
      response.writeHead(404).end();
      return;
    }
    served.push(url);
    server.emit('served');
    if (held !== undefined && url !== held)
      response.writeHead(200, { 'Content-Type': 'text/html' }).end(`<h1>Page</h1><p>This is the text of ${url}.</p>`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    served,
    async waitFor(requests) {
      while (served.length < requests) await once(server, 'served');
    },
    answerAllBut(page) {
      held = page;
    },
  };
}
