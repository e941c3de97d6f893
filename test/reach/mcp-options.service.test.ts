/** Options of the MCP tools. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { readToolAnswer } from '../support/read-tool-answer.ts';
import { startServiceWithFiles } from '../documents/service-with-files.ts';

const { running, files, close } = await startServiceWithFiles();
const client = new Client({ name: 'test', version: '1.0.0' });
let folder: string;

before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'winnow-mcp-options-'));
  const requestInit = { headers: { Authorization: `Bearer ${running.secrets.key_only}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', running.url), { requestInit }));
});
after(async () => {
  await client.close();
  await close();
  await rm(folder, { recursive: true, force: true });
});

const HTML = 'text/html; charset=utf-8';
const SENTENCE =
  '<p>The harbour town keeps its <a href="/market">old market</a>, and the fishermen sell there daily.</p>';
const STATED = {
  '@context': 'https://schema.org',
  '@type': 'Product',
  name: 'Net',
  offers: { price: '12.50', priceCurrency: 'EUR' },
};
const PAGE = `<!doctype html><title>Net</title><script type="application/ld+json">${JSON.stringify(STATED)}</script><main><h1>Net</h1><img src="/net.png" alt="A net">${SENTENCE.repeat(8)}</main>`;

async function call(name: string, args: object, via = client): Promise<Record<string, unknown>> {
  const answer = await via.callTool({ name, arguments: { ...args } });
  assert.notEqual(answer.isError, true, JSON.stringify(answer.content));
  return readToolAnswer(answer);
}

async function fail(name: string, args: object): Promise<string> {
  const answer = await client.callTool({ name, arguments: { ...args } });
  assert.equal(answer.isError, true, JSON.stringify(answer));
  return JSON.stringify(answer.content);
}

test('links and images of extract and read_snapshot control the Markdown', async () => {
  const url = files.add('/net', PAGE, HTML);
  const whole = await call('extract', { url });
  assert.match(String(whole['content']), /\[old market\]\(http/);
  assert.match(String(whole['content']), /!\[A net\]/);
  const plain = { links: 'text', images: 'none' };
  const bare = await call('extract', { url, ...plain });
  assert.match(String(bare['content']), /its old market, and/);
  assert.doesNotMatch(String(bare['content']), /net\.png|A net|\]\(/);
  const read = await call('read_snapshot', { dom_id: bare['dom_id'], ...plain });
  assert.doesNotMatch(String(read['content']), /net\.png|\]\(/);
});

test('format stated returns the stated data as JSON text, in pages', async () => {
  const url = files.add('/net', PAGE, HTML);
  const {
    content,
    dom_id: domId,
    next_offset: rest,
  } = await call('extract', { url, format: 'stated', max_chars: 100 });
  assert.equal(String(content).length, 100);
  const next = await call('extract', { dom_id: domId, format: 'stated', offset: rest, max_chars: 50_000 });
  const stated = JSON.parse(`${String(content)}${String(next['content'])}`) as { product: object };
  assert.match(JSON.stringify(stated), /"12\.5/);
  assert.match(JSON.stringify(stated), /EUR/);
});

test('wait_for and device change the capture', async () => {
  const late = `<!doctype html><title>Late</title><main>${SENTENCE.repeat(6)}</main><script>setTimeout(() => { document.querySelector('main').insertAdjacentHTML('beforeend', '<p id="late">The late boat brings ' + navigator.userAgent + ' and the last herring of the evening.</p>'); }, 1500);</script>`;
  const url = files.add('/late', late, HTML);
  const waited = await call('extract', { url, wait_for: '#late', device: 'mobile', max_chars: 50_000 });
  assert.match(String(waited['content']), /The late boat brings .*Mobile.* and the last herring/);
  const dumped = await call('dump', { url, engine: 'chrome', wait_for: 10, timeout_ms: 120_000 });
  assert.equal(dumped['partial'], false);
});

test('max_age uses a stored snapshot instead of a fetch, and the answer says so', async () => {
  const url = files.add('/aged', PAGE, HTML);
  const requests = (): number => files.requests.filter((one) => one === '/aged').length;
  const first = await call('extract', { url });
  assert.equal(first['cached'], false);
  const seen = requests();
  const second = await call('extract', { url, max_age: 3600 });
  assert.deepEqual([second['cached'], second['dom_id']], [true, first['dom_id']]);
  assert.equal((await call('dump', { url, max_age: 3600 }))['cached'], true);
  assert.equal(requests(), seen);
  assert.equal((await call('dump', { url, max_age: 0 }))['cached'], false);
  assert.ok(requests() > seen);
});

test('winnow mcp reuses the snapshots of its session by max_age', async () => {
  const local = new Client({ name: 'test', version: '1.0.0' });
  const env = {
    PATH: process.env['PATH'] ?? '',
    WINNOW_DATA_DIR: folder,
    WINNOW_EGRESS_ALLOW: '127.0.0.1',
    WINNOW_CHROMIUM: 'none',
  };
  const command = path.join(import.meta.dirname, '../../winnow');
  await local.connect(new StdioClientTransport({ command, args: ['mcp'], env }));
  try {
    const url = files.add('/session', PAGE, HTML);
    const first = await call('dump', { url }, local);
    const second = await call('extract', { url, max_age: 3600 }, local);
    assert.deepEqual([second['cached'], second['dom_id']], [true, first['dom_id']]);
  } finally {
    await local.close();
  }
});

test('invalid options of MCP tools are refused by name', async () => {
  const url = files.add('/net', PAGE, HTML);
  for (const [tool, args, message] of [
    ['extract', { engine: 'http', wait_for: 'h1' }, /wait_for: needs a browser/],
    ['extract', { wait_for: ':::' }, /wait_for: is not a CSS selector/],
    ['dump', { wait_for: 5000, timeout_ms: 1000 }, /wait_for: must be less than timeout_ms/],
    ['extract', { max_age: -1 }, /max_age/],
    ['dump', { max_age: 1e12 }, /max_age/],
    ['extract', { device: 'watch' }, /device/],
    ['extract', { links: 'all' }, /links/],
    ['extract', { format: 'html' }, /format/],
    ['extract', { headers: { a: 'b' } }, /headers/],
  ] as const)
    assert.match(await fail(tool, { url, ...args }), message);
});
