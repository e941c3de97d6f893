import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { extractResponseSchema, WARNING_CODES } from '@winnow/contract';
import { assertRefused } from '../support/assert-refused.ts';
import { readToolAnswer } from '../support/read-tool-answer.ts';
import { runWinnow } from '../support/run-winnow.ts';
import type { DoubtCode } from '@winnow/contract';
import type { LoggedRequest } from '../../packages/server/src/domain/request-log/ports.ts';
import { startRunning } from '../support/running-service.ts';
import type { Answer, Running } from '../support/running-service.ts';
import { WALL_PAGES } from './wall-pages.ts';

let running: Running;
before(async () => {
  running = await startRunning();
});
after(() => running.close());

/** Captures a page over plain HTTP and extracts its snapshot; returns the capture's answer if that failed. */
async function extractPlainly(path: string): Promise<Answer> {
  const dump = await running.call('/v1/dom/dump', {
    url: running.pages.url + path,
    options: { engine_preference: 'http' },
  });
  if (dump.status !== 200) return dump;
  return running.call('/v1/extract', { extract: { dom_id: dump.body.dom_id } });
}

// Checks: interface-2.3
test('an ordinary page has an empty array of warnings', async () => {
  const { body } = await extractPlainly('/article');
  extractResponseSchema.strict().parse(body);
  assert.deepEqual(body.metadata.warnings, []);
});

for (const [index, { name, code }] of WALL_PAGES.entries()) {
  // Checks: interface-2.3
  test(`the wall ${name} is reported as ${code}`, async () => {
    const { status, body } = await extractPlainly(`/wall/${index}`);
    if (code === 'fetch_blocked') {
      assert.equal(body.error.code, code);
      return;
    }
    // A shell without any text has no main content: its error names the probable kind.
    if (status === 422) assert.match(body.error.message, /shell of an application/);
    else assert.deepEqual([status, ...body.metadata.warnings.map((warning) => warning.code)], [200, code]);
  });
}

// Checks: interface-2.3
test('a block page is fetch_blocked, with its status only if that is not accepted', async () => {
  const refused = await extractPlainly('/challenge');
  assertRefused(refused, 'fetch_blocked', /block page/, 'fetch');
  assert.equal(refused.body.error.upstream_status_code, 403);
  const index = WALL_PAGES.findIndex(({ code }) => code === 'fetch_blocked');
  const passed = await extractPlainly(`/wall/${index}`);
  assertRefused(passed, 'fetch_blocked', /block page/, 'fetch');
  assert.equal('upstream_status_code' in passed.body.error, false);
});

// Checks: interface-2.3
test('a page without content is answered with its probable kind', async () => {
  const shell = await extractPlainly('/shell-without-text');
  assertRefused(shell, 'no_template_matched', /no main content found on the page: .*scripts have not run/, 'match');
  const empty = await extractPlainly('/empty');
  assertRefused(empty, 'no_template_matched', /no main content found on the page$/, 'match');
});

/** One page for each warning, with what every channel has to say of it. */
const DOUBTFUL = [...new Set(WALL_PAGES.map(({ code }) => code))]
  .filter((code) => code !== 'fetch_blocked')
  .map((code) => ({ code, path: `/wall/${WALL_PAGES.findLastIndex((page) => page.code === code)}` }));

async function post(
  { url, secrets }: Running,
  path: string,
  body: object,
  accept: string,
): Promise<{ status: number; headers: Headers; text: string }> {
  const headers = { 'X-API-Key': secrets.key_only, 'Content-Type': 'application/json', Accept: accept };
  const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

async function readAsTool(service: Running, url: string): Promise<string> {
  const client = new Client({ name: 'test', version: '1' });
  const requestInit = { headers: { 'X-API-Key': service.secrets.key_only } };
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', service.url), { requestInit }));
  try {
    return JSON.stringify(
      readToolAnswer(await client.callTool({ name: 'extract', arguments: { url, engine: 'http' } })),
    );
  } finally {
    await client.close();
  }
}

/** Waits for the newest entry of the console's request log; entries are written about a second after the answer. */
async function findLogged(service: Running, warning: DoubtCode): Promise<LoggedRequest> {
  for (;;) {
    const filter = { outcome: 'doubtful', warning } as const;
    const [entry] = (await service.store.requests.list(service.projectId, filter)).items;
    if (entry) return entry;
    await setTimeout(50);
  }
}

// Checks: interface-2.3
test('what is doubtful about a page is said in every channel', async (t) => {
  // Plain HTTP alone: the channels differ, not the engines.
  const service = await startRunning({ WINNOW_CHROMIUM: 'none' });
  t.after(() => service.close());
  const said = new Map<string, number>();
  for (const { code, path: page } of DOUBTFUL) {
    const url = service.pages.url + page;
    const extract = { extract: { url, options: { engine_preference: 'http' } } };
    const json = await post(service, '/v1/extract', extract, 'application/json');
    const { metadata } = JSON.parse(json.text) as Answer['body'];
    assert.equal(json.headers.get('Winnow-Warnings'), metadata.warnings.map((warning) => warning.code).join(', '));
    assert.equal(json.headers.get('Winnow-Confidence'), String(metadata.confidence));
    assert.equal(json.headers.get('Winnow-Template-Id'), metadata.template_id);
    assert.equal(json.headers.get('Winnow-Dom-Id'), metadata.dom_id);
    const markdown = await post(service, '/v1/extract', extract, 'text/markdown');
    assert.equal(markdown.headers.get('Winnow-Warnings'), code);
    assert.match(markdown.headers.get('Winnow-Confidence') ?? '', /^[01](?:\.\d+)?$/);
    const reader = await fetch(`${service.url}/r/${url}`, { headers: { 'X-API-Key': service.secrets.key_only } });
    assert.equal(reader.headers.get('Winnow-Warnings'), code, 'reader');
    const loaded = await post(service, '/web-loader', { urls: [url] }, '*/*');
    assert.equal(JSON.parse(loaded.text)[0].metadata.warnings, code, 'web loader');
    const scraped = await post(service, '/v2/scrape', { url }, '*/*');
    assert.match(JSON.parse(scraped.text).data.warning, new RegExp(`^${code}: `), 'firecrawl');
    assert.match(await readAsTool(service, url), new RegExp(`"warnings":\\["${code}: `), 'MCP');
    const file = join(service.folder, 'page.html');
    await writeFile(file, await (await fetch(url)).text());
    const { err } = await runWinnow(service.folder, ['extract', file, '--format', 'text']);
    assert.match(err, new RegExp(`^winnow: warning: ${code}: `), 'command line');
    said.set(code, metadata.confidence);
  }
  const fields = [{ name: 'deep', selector: '//i[count(preceding::i) > 5]', all: true }];
  const many = { extract: { url: `${service.pages.url}/many-elements`, fields } };
  const failed = await post(service, '/v1/extract', many, '*/*');
  assert.match(failed.headers.get('Winnow-Warnings') ?? '', /\bfield_failed$/);
  said.set('field_failed', Number(failed.headers.get('Winnow-Confidence')));
  for (const code of WARNING_CODES) {
    const { warnings, confidence } = await findLogged(service, code);
    assert.ok(warnings.includes(code));
    assert.equal(confidence, said.get(code), `console: ${code}`);
  }
  const { headers } = await post(service, '/v1/extract', { extract: { url: `${service.pages.url}/article` } }, '*/*');
  assert.equal(headers.get('Winnow-Warnings'), null);
});
