/** Runs the samples of the API reference and of `docs/integrations.md` as printed, with addresses and ids replaced. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { buildOpenApi } from '@winnow/contract';
import type { CodeSample } from '@winnow/contract';
import { LACKS_PYTHON } from '../support/python.ts';
import { startServiceProcess } from '../support/service-process.ts';
import type { ServiceProcess } from '../support/service-process.ts';

const PYTHON_CLIENT = path.join(import.meta.dirname, '../../clients/python');
/** Small stand-ins for Python packages of others. */
const STAND_INS = path.join(import.meta.dirname, 'stand-ins');
/** Leads to an article and to a page that does not exist. */
const PAGE = `<!doctype html><title>Granite</title><article><h1>Granite</h1>${'<p>Granite is a coarse-grained rock that forms from magma cooling slowly below the ground.</p>'.repeat(8)}<p><a href="/news/1">One</a> <a href="/news/2">Two</a></article>`;
const MISSING = ['/news/2', '/robots.txt', '/sitemap.xml'];
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

/** A Python that has the real Scrapy. */
const SCRAPY_PYTHON = ['python3', '/usr/bin/python3'].find(
  (program) => spawnSync(program, ['-c', 'import scrapy']).status === 0,
);

/** The sample under a heading of `docs/integrations.md`. */
function readSample(heading: string): string {
  const text = readFileSync(path.join(import.meta.dirname, '../../docs/integrations.md'), 'utf8');
  const section = text.split(/^## /m).find((one) => one.startsWith(`${heading}\n`));
  return /^```\w+\n(?<code>.*?)^```$/ms.exec(section ?? '')?.groups?.['code'] ?? assert.fail(heading);
}

interface Workflow {
  readonly nodes: readonly {
    readonly name: string;
    readonly type: string;
    readonly parameters: {
      readonly url?: string;
      readonly method?: string;
      readonly jsonBody?: string;
      readonly assignments?: { readonly assignments: readonly { readonly name: string; readonly value: string }[] };
    };
  }[];
  readonly connections: Readonly<Record<string, { readonly main: readonly (readonly { readonly node: string }[])[] }>>;
}

describe('the samples of the documentation', { concurrency: 2 }, () => {
  let folder: string;
  let service: ServiceProcess;
  let page: string;
  const site = createServer(({ url = '' }, response) => {
    response.statusCode = MISSING.includes(url) ? 404 : 200;
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
    const { id } = (await call('/v1/crawls', { url: page, limit: 1, respect_robots: false }))['batch'] ?? assert.fail();
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

  const localise = (sample: string): string => sample.replaceAll('https://example.com/', page);

  for (const heading of ['LangChain, Python', 'LlamaIndex'])
    test(heading, { skip: LACKS_PYTHON }, async () => {
      const { code, out, error } = await run(RUNNERS.Python(localise(readSample(heading))), folder, STAND_INS);
      assert.equal(code, 0, error);
      assert.match(out, /^Granite .*Granite is a coarse-grained rock/s);
      assert.match(error, /WARNING:root:.*\/news\/2: .*404/, 'the page that failed is named');
    });

  test('LangChain, TypeScript', async () => {
    const source = localise(readSample('LangChain, TypeScript'));
    const { code, out, error } = await run(RUNNERS.TypeScript(source), import.meta.dirname);
    assert.equal(code, 0, error);
    assert.match(out, /^Granite .*Granite is a coarse-grained rock/s);
    assert.match(error, /\/news\/2 WinnowApiError: .*404/, 'the page that failed is named');
  });

  describe('Scrapy', () => {
    const read = async (python: string, name: string, ...modules: string[]) => {
      const file = path.join(folder, `${name}.py`);
      await writeFile(file, localise(readSample('Scrapy')));
      const named = { WINNOW_URL: service.url, WINNOW_API_KEY: service.key, TELNETCONSOLE_ENABLED: 'False' };
      const settings = Object.entries(named).flatMap(([setting, value]) => ['-s', `${setting}=${value ?? ''}`]);
      const output = path.join(folder, `${name}.jsonl`);
      const all = [python, '-m', 'scrapy', 'runspider', file, ...settings, '-o', output] as const;
      const { code, error } = await run(all, folder, ...modules);
      assert.equal(code, 0, error);
      const items = readFileSync(output, 'utf8').trim().split('\n');
      const [item, ...others] = items.map((line) => JSON.parse(line) as Record<string, string>);
      assert.deepEqual(others, [], 'the missing page has no item');
      assert.deepEqual([item?.['url'], item?.['title']], [`${page}news/1`, 'Granite']);
      assert.match(item?.['markdown'] ?? '', /Granite is a coarse-grained rock/);
      assert.match(error, /<404 [^>]*\/news\/2>/, 'the page that failed is named');
    };

    test('the middleware with a stand-in for Scrapy', { skip: LACKS_PYTHON }, () =>
      read('python3', 'stand_in', STAND_INS),
    );

    const skip = SCRAPY_PYTHON === undefined && 'needs the Debian package python3-scrapy';
    test('the spider with the real Scrapy', { skip }, () => read(SCRAPY_PYTHON ?? '', 'real'));
  });

  test('n8n', async () => {
    const { nodes, connections } = JSON.parse(readSample('n8n')) as Workflow;
    const names = nodes.map(({ name }) => name);
    const targets = Object.values(connections).flatMap(({ main }) => main.flat().map(({ node }) => node));
    assert.deepEqual(
      [...Object.keys(connections), ...targets].filter((name) => !names.includes(name)),
      [],
    );
    const calculate = (text: string, $json: object): unknown => {
      const expression = /^=\{\{(?<code>.*)\}\}$/s.exec(text)?.groups?.['code'];
      return expression === undefined ? text : (runInNewContext(expression, { $json }) as unknown);
    };
    let item: Record<string, unknown> = {};
    for (const { type, parameters } of nodes)
      if (type === 'n8n-nodes-base.set')
        item = Object.fromEntries(
          (parameters.assignments?.assignments ?? []).map(({ name, value }) => [
            name,
            calculate(localise(value), item),
          ]),
        );
      else if (type === 'n8n-nodes-base.httpRequest') {
        const { url = '', method = '', jsonBody = '' } = parameters;
        const answer = await fetch(url.replace('http://127.0.0.1:8080', service.url), {
          method,
          headers: { 'x-api-key': service.key ?? '', 'content-type': 'application/json' },
          body: String(calculate(jsonBody, item)),
        });
        assert.equal(answer.status, 200);
        item = (await answer.json()) as Record<string, unknown>;
      }
    assert.match(String(item['markdown']), /Granite is a coarse-grained rock/);
  });

  function run([program, ...parameters]: readonly [string, ...string[]], cwd: string, ...modules: string[]) {
    const env = {
      ...process.env,
      WINNOW_URL: service.url,
      WINNOW_API_KEY: service.key ?? '',
      PYTHONPATH: [PYTHON_CLIENT, ...modules].join(path.delimiter),
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
