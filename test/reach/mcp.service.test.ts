import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { startRunning } from '../support/running-service.ts';
import type { Running } from '../support/running-service.ts';
import { startCanary } from '../site/canary.ts';
import { readToolAnswer } from '../support/read-tool-answer.ts';
import { startCrawlSite } from '../batches/crawl-site.ts';
import { HIDDEN_TEXT, LONG_PAGE, PARAGRAPH_NUMBERS, writeParagraph } from './long-page.ts';

const WINNOW = path.join(import.meta.dirname, '../../winnow');
const FOREIGN_PROJECT = 'prj_01J00000000000000000000009';

let running: Running;
let site: Server;
let siteUrl: string;
let folder: string;

before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'winnow-mcp-'));
  site = createServer((_request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(LONG_PAGE);
  });
  site.listen(0, '127.0.0.1');
  await once(site, 'listening');
  siteUrl = `http://127.0.0.1:${(site.address() as AddressInfo).port}/story`;
  running = await startRunning({ WINNOW_CHROMIUM: 'none' });
});
after(async () => {
  await running.close();
  site.closeAllConnections();
  site.close();
  await rm(folder, { recursive: true, force: true });
});

const ERAS = { legacy: 'legacy', modern: { pin: '2026-07-28' } } as const;
type Era = keyof typeof ERAS;

function newClient(era: Era): Client {
  return new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode: ERAS[era] } });
}

async function connectOverHttp(era: Era, key = running.secrets.key_only): Promise<Client> {
  const client = newClient(era);
  const requestInit = { headers: { Authorization: `Bearer ${key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', running.url), { requestInit }));
  return client;
}

async function connectOverStdio(era: Era): Promise<Client> {
  const client = newClient(era);
  const environment = { WINNOW_DATA_DIR: folder, WINNOW_EGRESS_ALLOW: '127.0.0.1', WINNOW_CHROMIUM: 'none' };
  await client.connect(
    new StdioClientTransport({
      command: WINNOW,
      args: ['mcp'],
      env: { PATH: process.env['PATH'] ?? '', ...environment },
    }),
  );
  return client;
}

type Structured = Readonly<Record<string, unknown>>;

async function callTool(client: Client, name: string, args: Structured): Promise<Structured> {
  const answer = await client.callTool({ name, arguments: args });
  assert.notEqual(answer.isError, true, JSON.stringify(answer.content));
  return readToolAnswer(answer);
}

async function failTool(client: Client, name: string, args: Structured): Promise<string> {
  const answer = await client.callTool({ name, arguments: args });
  assert.equal(answer.isError, true, JSON.stringify(answer));
  const [block] = answer.content;
  assert.ok(block?.type === 'text');
  return block.text;
}

/** Reads a whole snapshot, in pages of at most 10,000 characters. */
async function readAll(client: Client, domId: unknown): Promise<string> {
  const pages: string[] = [];
  let total: unknown;
  for (let offset: unknown = 0; offset !== undefined;) {
    const page = await callTool(client, 'read_snapshot', { dom_id: domId, offset, max_chars: 10_000 });
    const content = String(page['content']);
    assert.ok(content.length > 0 && content.length <= 10_000);
    assert.ok(content.isWellFormed());
    assert.equal(page['offset'], offset);
    pages.push(content);
    offset = page['next_offset'];
    total = page['total_chars'];
  }
  const whole = pages.join('');
  assert.ok(pages.length > 4);
  assert.equal(whole.length, total);
  return whole;
}

function assertWholeStory(whole: string): void {
  const numbers = [...whole.matchAll(/Paragraph number (\d+) of/g)].map(([, number]) => Number(number));
  assert.deepEqual(numbers, PARAGRAPH_NUMBERS);
  for (const number of PARAGRAPH_NUMBERS) assert.ok(whole.includes(writeParagraph(number)), `paragraph ${number}`);
}

for (const era of Object.keys(ERAS) as Era[]) {
  for (const [transport, connect] of Object.entries({ HTTP: connectOverHttp, stdio: connectOverStdio })) {
    // Checks: threat-hidden-text
    test(`MCP over ${transport} (${era}): the tools have schemas and hints, and read a long page whole`, async () => {
      const client = await connect(era);
      try {
        const { tools } = await client.listTools();
        // Crawls need a service, which goes on with them.
        const crawl = transport === 'HTTP' ? ['crawl'] : [];
        assert.deepEqual(tools.map(({ name }) => name).toSorted(), [
          ...crawl,
          'dump',
          'extract',
          'read_snapshot',
          'search_snapshots',
        ]);
        for (const tool of tools) {
          assert.equal(tool.annotations?.readOnlyHint, true, tool.name);
          assert.equal('$schema' in tool.inputSchema, false, tool.name);
          assert.doesNotMatch(JSON.stringify(tool.inputSchema), /domstable/);
          assert.equal(tool.inputSchema.additionalProperties, false, tool.name);
        }
        const extracted = await callTool(client, 'extract', { url: siteUrl, max_chars: 1000 });
        assert.equal(client.getServerCapabilities()?.tools?.listChanged, false);
        assert.equal(extracted['title'], 'A long story');
        assert.equal(extracted['next_offset'], 1000);
        const whole = await readAll(client, extracted['dom_id']);
        assertWholeStory(whole);
        assert.ok(!whole.includes(HIDDEN_TEXT));
        const captured = await callTool(client, 'dump', { url: siteUrl, engine: 'http' });
        assert.equal(captured['engine'], 'http');
        assert.ok(!JSON.stringify(captured).includes(HIDDEN_TEXT));
        assert.equal(await readAll(client, captured['dom_id']), whole);
        const found = await callTool(client, 'search_snapshots', { url_contains: '/STORY', limit: 1 });
        const [first] = found['items'] as { dom_id: string }[];
        assert.equal(first?.dom_id, captured['dom_id']);
        const next = await callTool(client, 'search_snapshots', {
          url_contains: '/story',
          limit: 1,
          cursor: found['next_cursor'],
        });
        assert.equal((next['items'] as { dom_id: string }[])[0]?.dom_id, extracted['dom_id']);
      } finally {
        await client.close();
      }
    });
  }
}

// Checks: threat-mcp-bypass
test("MCP: another project's dom_id is answered like an unknown one", async () => {
  await running.store.projects.insert({
    id: FOREIGN_PROJECT,
    name: 'foreign',
    createdAt: new Date(),
    archivedAt: null,
  });
  const foreignKey = await running.addKey({ projectId: FOREIGN_PROJECT, kind: 'key_only' });
  const owner = await connectOverHttp('modern');
  const foreign = await connectOverHttp('modern', foreignKey);
  try {
    const { dom_id: domId } = await callTool(owner, 'dump', { url: siteUrl });
    const refused = await failTool(foreign, 'read_snapshot', { dom_id: domId });
    assert.equal((JSON.parse(refused) as { error: { code: string } }).error.code, 'dom_not_found');
    assert.equal(refused, await failTool(foreign, 'read_snapshot', { dom_id: 'dom_01J9ZC8X9A4Q7W2E5R8T1Y3V6K' }));
    assert.equal(await failTool(foreign, 'extract', { dom_id: domId }), refused);
    assert.deepEqual(await callTool(foreign, 'search_snapshots', {}), { items: [] });
  } finally {
    await Promise.all([owner.close(), foreign.close()]);
  }
});

test('MCP: null, empty strings and missing schemes are read as models mean them', async () => {
  const client = await connectOverHttp('legacy');
  try {
    const { tools } = await client.listTools();
    const names = Object.keys(tools.find(({ name }) => name === 'extract')?.inputSchema.properties ?? {});
    for (const unset of [null, '']) {
      const args = Object.fromEntries(names.map((name) => [name, unset]));
      assert.equal((await callTool(client, 'extract', { ...args, url: siteUrl }))['title'], 'A long story');
    }
    const guessed = { url: `${siteUrl.replace('http://', '')}\n`, max_tokens: null };
    assert.equal((await callTool(client, 'extract', guessed))['title'], 'A long story');
  } finally {
    await client.close();
  }
});

// Checks: threat-mcp-bypass
test('MCP: invalid arguments are refused by name', async () => {
  const client = await connectOverHttp('legacy');
  try {
    assert.match(await failTool(client, 'read_snapshot', { dom_id: 'dom_x', max_chars: 1_000_000 }), /max_chars/);
    assert.match(await failTool(client, 'read_snapshot', { dom_id: 'dom_x', offset: -1 }), /offset/);
    assert.match(await failTool(client, 'extract', { url: siteUrl, ulr: 'x' }), /ulr/);
    assert.match(await failTool(client, 'extract', {}), /at least one of url and dom_id/);
    assert.match(await failTool(client, 'dump', { url: siteUrl, engine: 'netscape' }), /engine/);
    assert.match(await failTool(client, 'search_snapshots', { cursor: 'none' }), /cursor/);
    assert.match(await failTool(client, 'extract', { url: 'no address' }), /"url: is not an absolute URL/);
    assert.match(await failTool(client, 'dump', { url: 'file:///etc/passwd' }), /url_not_allowed/);
  } finally {
    await client.close();
  }
});

// Checks: threat-mcp-bypass
test('MCP reaches no refused address', async () => {
  const canary = await startCanary();
  const guarded = await startRunning({ WINNOW_CHROMIUM: 'none', WINNOW_EGRESS_ALLOW: '' });
  try {
    for (const [name, url] of [
      ['extract', `http://127.0.0.1:${canary.port}/`],
      ['dump', `http://localhost:${canary.port}/`],
    ] as const) {
      const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: { url } } };
      const answer = await post(guarded, body);
      assert.match(await answer.text(), /url_not_allowed|egress_denied/);
    }
    assert.deepEqual(canary.visits, []);
  } finally {
    await guarded.close();
    await canary.close();
  }
});

async function post(
  { url, secrets }: Running,
  body: unknown,
  headers: Readonly<Record<string, string>> = { 'X-API-Key': secrets.key_only },
): Promise<Response> {
  return fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify(body),
  });
}

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

// Checks: threat-mcp-bypass
test('/mcp needs a key, counts against its quota and refuses batches of messages', async () => {
  const stranger = await post(running, LIST, {});
  assert.equal(stranger.status, 401);
  assert.match(await stranger.text(), /"unauthorized"/);
  const batch = await post(running, [LIST, LIST]);
  assert.equal(batch.status, 400);
  assert.match(await batch.text(), /batches are not accepted/);
  for (const body of [null, 7, 'text']) assert.equal((await post(running, body)).status, 400);
  const { projectId } = running;
  const headers = { 'X-API-Key': await running.addKey({ projectId, kind: 'key_only', quotaPerMinute: 1 }) };
  assert.equal((await post(running, LIST, headers)).status, 200);
  const over = await post(running, LIST, headers);
  assert.equal(over.status, 429);
  assert.match(over.headers.get('RateLimit') ?? '', /r=0/);
});

// Checks: threat-mcp-origin
test('/mcp refuses requests from pages of other origins and of names under DNS rebinding', async () => {
  const { port } = new URL(running.url);
  const key = { 'X-API-Key': running.secrets.key_only };
  for (const origin of [
    'http://evil.example',
    `http://evil.example:${port}`,
    'null',
    'http://127.0.0.1.evil.example',
  ]) {
    const refused = await post(running, LIST, { ...key, Origin: origin });
    assert.equal(refused.status, 403, origin);
    assert.match(await refused.text(), /"forbidden"/);
    assert.equal(refused.headers.get('Access-Control-Allow-Origin'), null);
    assert.equal((await preflight(origin)).status, 403);
  }
  const origin = `http://localhost:${port}`;
  for (const [headers, status] of [
    [key, 200],
    [{}, 401],
  ] as const) {
    const answer = await post(running, LIST, { ...headers, Origin: origin });
    assert.equal(answer.status, status);
    assert.equal(answer.headers.get('Access-Control-Allow-Origin'), origin);
    assert.match(answer.headers.get('Access-Control-Expose-Headers') ?? '', /WWW-Authenticate/);
    assert.match(answer.headers.get('Vary') ?? '', /Origin$/);
  }
  const allowed = await preflight(origin);
  assert.equal(allowed.status, 204);
  assert.equal(allowed.headers.get('Access-Control-Allow-Origin'), origin);
  assert.equal(allowed.headers.get('Access-Control-Allow-Methods'), 'POST');
  assert.match(allowed.headers.get('Access-Control-Allow-Headers') ?? '', /Authorization, Content-Type, X-API-Key/);
});

async function preflight(origin: string): Promise<Response> {
  const headers = { Origin: origin, 'Access-Control-Request-Method': 'POST' };
  return fetch(`${running.url}/mcp`, { method: 'OPTIONS', headers });
}

test('/mcp takes any Accept that fits, and its address with a last slash', async () => {
  const key = { 'X-API-Key': running.secrets.key_only };
  assert.equal((await post(running, LIST, { ...key, Accept: '*/*' })).status, 200);
  assert.equal((await post(running, LIST, { ...key, Accept: 'application/json' })).status, 406);
  const client = newClient('legacy');
  const requestInit = { headers: { Authorization: `Bearer ${running.secrets.key_only}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp/', running.url), { requestInit }));
  assert.equal((await client.listTools()).tools.length, 5);
  await client.close();
});

test('large messages to /mcp cost no warning of the runtime in the log', async () => {
  const warnings: string[] = [];
  const onWarning = ({ message }: Error): void => void warnings.push(message);
  process.on('warning', onWarning);
  for (const length of [400_000, 900_000]) {
    const message = { jsonrpc: '2.0', id: 'x'.repeat(length), method: 'ping' };
    const answer = await post(running, message, { 'X-API-Key': running.secrets.key_only });
    assert.equal(answer.status, 200);
  }
  process.off('warning', onWarning);
  assert.deepEqual(warnings, []);
});

/** A page that never comes; `closed` settles when the capture gives up. */
async function startHangingSite(): Promise<{ url: string; asked: Promise<unknown>; closed: Promise<unknown> }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const asked = once(server, 'request');
  const closed = asked
    .then(([, response]) => once(response as NodeJS.EventEmitter, 'close'))
    .finally(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, asked, closed };
}

for (const era of Object.keys(ERAS) as Era[])
  test(`MCP over HTTP (${era}): a long call reports its progress, and ends when the client cancels it`, async () => {
    const hanging = await startHangingSite();
    const client = await connectOverHttp(era);
    const controller = new AbortController();
    const progressed = new Promise<object>((resolve) => {
      const options = { signal: controller.signal, onprogress: resolve };
      client
        .callTool({ name: 'dump', arguments: { url: hanging.url, engine: 'http' } }, options)
        .catch(() => undefined);
    });
    try {
      assert.deepEqual(Object.keys(await progressed), ['progress']);
      await hanging.asked;
      controller.abort();
      await hanging.closed;
    } finally {
      await client.close();
    }
  });

test('the tool crawl starts a crawl, tells how far it is, and returns its pages in bounded answers', async () => {
  const crawled = await startCrawlSite((address) => {
    if (address === '/') return { links: ['/a', '/b', '/missing', 'https://elsewhere.example/'] };
    return address === '/missing' ? undefined : {};
  });
  const client = await connectOverHttp('modern');
  try {
    const messages: unknown[] = [];
    const onprogress = ({ message }: { readonly message?: string | undefined }): void => void messages.push(message);
    const args = { url: `${crawled.url}/`, wait_ms: 60_000, max_chars: 1000, page_chars: 400 };
    const started = await client.callTool({ name: 'crawl', arguments: args }, { onprogress });
    assert.notEqual(started.isError, true, JSON.stringify(started.content));
    const first = readToolAnswer(started);
    assert.deepEqual([first['state'], first['found'], first['done'], first['failed']], ['completed', 4, 3, 1]);
    assert.deepEqual(first['skipped'], { scope: 1 });
    assert.match(String(messages.at(-1)), /^4 of 4 pages found are read$/);
    assert.ok(String(first['content']).length <= 1000);
    assert.match(String(first['content']), /^\[0\] Page .* \| http.* \| dom_id dom_\w+\n/);
    const texts = [String(first['content'])];
    let next = first['next_after'];
    for (; next !== undefined;) {
      const more = { crawl_id: first['crawl_id'], after: next, max_chars: 1000, page_chars: 400 };
      const answer = await callTool(client, 'crawl', more);
      texts.push(String(answer['content']));
      next = answer['next_after'];
    }
    const indexes = [...texts.join('\n\n').matchAll(/^\[(\d)\]/gm)].map(([, index]) => index);
    assert.deepEqual(indexes, ['0', '1', '2', '3']);
    assert.match(texts.join(), /\/missing \| http_status_not_ok: the target answered with status 404/);
    assert.match(await failTool(client, 'crawl', { crawl_id: 'bat_none' }), /there is no crawl bat_none/);
    assert.match(await failTool(client, 'crawl', {}), /needs either url or crawl_id/);
    assert.match(await failTool(client, 'crawl', { url: 'http://169.254.1.1/' }), /url_not_allowed/);
  } finally {
    await client.close();
    await crawled.close();
  }
});

// Checks: threat-mcp-bypass
test('/mcp refuses to open a stream, because the server initiates no messages', async () => {
  for (const method of ['GET', 'DELETE']) {
    const answer = await fetch(`${running.url}/mcp`, { method, headers: { 'X-API-Key': running.secrets.key_only } });
    assert.equal(answer.status, 405);
    assert.equal(answer.headers.get('Allow'), 'POST');
    const stranger = await fetch(`${running.url}/mcp`, { method });
    assert.equal(stranger.status, 401);
    assert.match(stranger.headers.get('WWW-Authenticate') ?? '', /^Bearer/);
  }
  const client = await connectOverHttp('modern');
  try {
    await assert.rejects(client.listen({ toolsListChanged: true }), /Subscription limit reached/);
  } finally {
    await client.close();
  }
});

test('calls of MCP tools are in the request log, tool lists are not', async () => {
  const client = await connectOverHttp('legacy');
  try {
    await client.listTools();
    await callTool(client, 'dump', { url: `${siteUrl}?logged` });
    await failTool(client, 'read_snapshot', { dom_id: 'dom_of_nobody' });
  } finally {
    await client.close();
  }
  for (;;) {
    const { items } = await running.store.requests.list(running.projectId, { endpoint: '/mcp' }, { limit: 200 });
    const dumped = items.find(({ url }) => url === `${siteUrl}?logged`);
    const failed = items.find(({ code }) => code === 'dom_not_found');
    if (dumped && failed) {
      assert.equal(dumped.code, 'ok');
      assert.equal(failed.status, 200);
      const details = await Promise.all(items.map(({ id }) => running.store.requests.find(running.projectId, id)));
      for (const entry of details) assert.ok(entry?.code !== 'ok' || entry.detail.includes('"tool"'), entry?.detail);
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
});

test('WINNOW_MCP=false turns /mcp off', async () => {
  const off = await startRunning({ WINNOW_CHROMIUM: 'none', WINNOW_MCP: 'false' });
  try {
    assert.equal((await post(off, LIST)).status, 404);
  } finally {
    await off.close();
  }
});

test('winnow mcp writes only protocol messages to standard output, and ends with its input', async () => {
  const child = spawn(WINNOW, ['mcp'], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { PATH: process.env['PATH'], WINNOW_DATA_DIR: folder, WINNOW_EGRESS_ALLOW: '', WINNOW_CHROMIUM: 'none' },
  });
  const ended = once(child, 'close');
  const lines = createInterface({ input: child.stdout });
  const initialize = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  };
  const call = (id: number, name: string, args: object) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name, arguments: args },
  });
  const messages = [
    initialize,
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    call(2, 'dump', { url: siteUrl }),
    call(3, 'no_such_tool', {}),
  ];
  child.stdin.write(`${messages.map((message) => JSON.stringify(message)).join('\n')}\nthis is not JSON\n`);
  const answers = new Map<unknown, string>();
  for await (const line of lines) {
    const message = JSON.parse(line) as { jsonrpc: string; id?: unknown };
    assert.equal(message.jsonrpc, '2.0');
    answers.set(message.id, line);
    if ([1, 2, 3].every((id) => answers.has(id))) child.stdin.end();
  }
  assert.match(answers.get(2) ?? '', /url_not_allowed/);
  const [code] = (await ended) as [number | null];
  assert.equal(code, 0);
});
