/** Runs the samples of the API reference as they are printed, with the address of a page and the ids replaced. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { buildOpenApi } from '@winnow/contract';
import type { CodeSample } from '@winnow/contract';
import { LACKS_PYTHON } from '../support/python.ts';
import { startServiceProcess } from '../support/service-process.ts';
import type { ServiceProcess } from '../support/service-process.ts';

const PYTHON_CLIENT = path.join(import.meta.dirname, '../../clients/python');
const PAGE = `<!doctype html><title>Granite</title><article><h1>Granite</h1>${'<p>Granite is a coarse-grained rock that forms from magma cooling slowly below the ground.</p>'.repeat(8)}</article>`;
const DOM_ID = 'dom_01J9ZC8X9A4Q7W2E5R8T1Y3V6K';
const BATCH_ID = 'bat_01J9ZC8X9A4Q7W2E5R8T1Y3V6K';

/** Arguments that run a source. */
const RUNNERS: Readonly<Record<CodeSample['lang'], (source: string) => readonly [string, ...string[]]>> = {
  Shell: (source) => ['sh', '-c', source],
  Python: (source) => ['python3', '-c', source],
  TypeScript: (source) => [
    process.execPath,
    '--conditions=winnow-source',
    '--input-type=module-typescript',
    '-e',
    source,
  ],
};

/** What a sample prints. */
const PRINTED: Readonly<Record<string, RegExp>> = {
  extract: /Granite is a coarse-grained rock/,
  dumpDom: /dom_[0-9A-Z]{26}/,
  createSnapshot: /dom_[0-9A-Z]{26}/,
  deleteSnapshot: /deleted/,
  readScreenshot: /^$|[1-9]\d+ bytes/,
  readMhtml: /^$|[1-9]\d+ bytes/,
  createCrawl: /bat_[0-9A-Z]{26}/,
  createBatch: /bat_[0-9A-Z]{26}/,
  readBatch: /completed/,
  deleteBatch: /deleted/,
  readBatchResults: /Granite is a coarse-grained rock/,
  cancelBatch: /bat_[0-9A-Z]{26}/,
  readCrawl: /completed/,
  deleteCrawl: /deleted/,
  readCrawlResults: /Granite is a coarse-grained rock/,
  cancelCrawl: /bat_[0-9A-Z]{26}/,
};

interface SampledOperation {
  readonly operationId: string;
  readonly 'x-codeSamples'?: readonly CodeSample[];
}

const { paths } = buildOpenApi({ version: '0' }) as unknown as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, SampledOperation>>>>;
};
const sampled = Object.values(paths)
  .flatMap((methods) => Object.values(methods))
  .filter((operation) => operation['x-codeSamples'] !== undefined);

describe('the samples of the API reference', { concurrency: 2 }, () => {
  let folder: string;
  let service: ServiceProcess;
  let page: string;
  const site = createServer((_, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(PAGE);
  });

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'winnow-samples-'));
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    page = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;
    service = await startServiceProcess({
      dataDir: folder,
      environment: { WINNOW_EGRESS_ALLOW: '127.0.0.1' },
      onLine: () => undefined,
    });
  });
  after(async () => {
    await service.stop();
    site.close();
    await rm(folder, { recursive: true, force: true });
  });

  const call = async (url: string, body?: object): Promise<Record<string, never>> => {
    const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const headers = { 'x-api-key': service.key ?? '', 'content-type': 'application/json' };
    const answer = await fetch(service.url + url, { ...init, headers });
    assert.equal(answer.status, 200, `${url}: ${await answer.clone().text()}`);
    return (await answer.json()) as Record<string, never>;
  };
  const makeSnapshot = async (): Promise<string> => {
    const options = { engine_preference: 'chrome', screenshot: 'viewport', mhtml: true };
    const { dom_id: domId } = await call('/v1/dom/dump', { url: page, options });
    return String(domId);
  };
  /** A crawl is a batch, too. */
  const makeCrawl = async (): Promise<string> => {
    const { id } = (await call('/v1/crawls', { url: page, respect_robots: false }))['batch'] ?? assert.fail();
    for (;;) {
      const { state } = (await call(`/v1/batches/${String(id)}`))['batch'] ?? assert.fail();
      if (state === 'completed') return String(id);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };

  test('every operation with samples is run here', () => {
    assert.deepEqual(sampled.map(({ operationId }) => operationId).toSorted(), Object.keys(PRINTED).toSorted());
  });

  for (const { operationId, 'x-codeSamples': samples = [] } of sampled)
    for (const { lang, source } of samples)
      test(`${operationId} in ${lang}`, { skip: lang === 'Python' && LACKS_PYTHON }, async () => {
        const domId = source.includes(DOM_ID) ? await makeSnapshot() : '';
        const batchId = source.includes(BATCH_ID) ? await makeCrawl() : '';
        const text = source
          .replaceAll(/https:\/\/example\.com\/(?:news\/\d)?/g, page)
          .replaceAll(DOM_ID, domId)
          .replaceAll(BATCH_ID, batchId);
        // Packages are looked up from the folder; curl writes files into it.
        const cwd = lang === 'TypeScript' ? import.meta.dirname : folder;
        const { code, out, error } = await run(RUNNERS[lang](text), cwd);
        assert.equal(code, 0, `${text}\n${error}`);
        assert.match(out, PRINTED[operationId] ?? assert.fail());
        if (lang === 'Shell') assert.doesNotMatch(out, /"error"/);
      });

  function run([program, ...parameters]: readonly [string, ...string[]], cwd: string) {
    const env = {
      ...process.env,
      WINNOW_URL: service.url,
      WINNOW_API_KEY: service.key ?? '',
      PYTHONPATH: PYTHON_CLIENT,
      PYTHONDONTWRITEBYTECODE: '1',
    };
    const child = spawn(program, parameters, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let out = '';
    let error = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (out += chunk));
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (error += chunk));
    return new Promise<{ code: number | null; out: string; error: string }>((resolve) => {
      child.on('close', (code) => resolve({ code, out, error }));
    });
  }
});
