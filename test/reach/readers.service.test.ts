/** Jina Reader's `GET /r/URL` and the web loader of Open WebUI, as their clients send requests. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startRecordingSite } from '../support/recording-site.ts';
import { startRunning } from '../support/running-service.ts';
import type { Running } from '../support/running-service.ts';
import { startCanary } from '../site/canary.ts';

let running: Running;

before(async () => {
  running = await startRunning({ WINNOW_CHROMIUM: 'none', WINNOW_HOST_SPACING: '0s' });
});
after(() => running.close());

function read(target: string, headers: Readonly<Record<string, string>> = {}, service = running): Promise<Response> {
  return fetch(`${service.url}/r/${target}`, {
    headers: { Authorization: `Bearer ${service.secrets.key_only}`, ...headers },
  });
}

interface Failure {
  readonly detail?: string;
  readonly code?: number;
  readonly status?: number;
  readonly message?: string;
  readonly data?: null;
  readonly error: { readonly code: string };
}

// Checks: threat-hidden-text
test('GET /r/URL returns the page in the format of Jina Reader', async () => {
  const answer = await read(`${running.pages.url}/article`);
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('Content-Type'), 'text/plain; charset=utf-8');
  const text = await answer.text();
  assert.ok(text.startsWith(`Title: The market by the harbour\n\nURL Source: ${running.pages.url}/article\n\n`), text);
  assert.match(text, /\nPublished Time: 2024-05-06T.*\n\nMarkdown Content:\n/);
  assert.match(text, /The harbour town keeps its old market/);
  const hidden = await (await read(`${running.pages.url}/hidden`)).text();
  assert.ok(!hidden.includes('hidden from every reader'));
});

test('GET /r/URL returns JSON with Accept: application/json', async () => {
  const answer = await read(`${running.pages.url}/article`, { Accept: 'application/json' });
  const body = (await answer.json()) as { code: number; status: number; data: Record<string, string> };
  assert.equal(body.code, 200);
  assert.equal(body.status, 20_000);
  assert.equal(body.data['title'], 'The market by the harbour');
  assert.equal(body.data['url'], `${running.pages.url}/article`);
  assert.match(body.data['content'] ?? '', /The harbour town/);
});

test('GET /r/URL keeps the query of the page, and accepts encoded, short and long addresses', async () => {
  const { url } = running.pages;
  const target = `${url}/article?a=1&b=${'x'.repeat(1000)}`;
  for (const written of [target, encodeURIComponent(target), target.replace('//', '/')])
    assert.equal((await read(written)).status, 200, written.slice(0, 80));
  assert.equal(running.pages.hits(target.slice(url.length)), 3);
  const withoutScheme = (await (await read('pages.invalid/x')).json()) as Failure;
  assert.equal(withoutScheme.error.code, 'dns_failed');
});

test('GET /r/URL chooses elements, and styles and lists links and images', async () => {
  const target = `${running.pages.url}/article`;
  const chosen = await (
    await read(target, { 'X-Target-Selector': 'nav, h1', 'X-Remove-Selector': 'a[href="/"]' })
  ).text();
  assert.match(chosen, /Markdown Content:\n\[Contact\]\([^)]*\)\s+# The market by the harbour\n$/);
  const bare = await (await read(target, { 'X-Retain-Images': 'none', 'X-Md-Link-Style': 'discarded' })).text();
  assert.match(bare, /The harbour town/);
  assert.doesNotMatch(bare, /fish\.png|\]\(/);
  const alt = await (await read(target, { 'X-Retain-Images': 'alt', 'X-Md-Link-Style': 'referenced' })).text();
  assert.match(alt, /Fish/);
  assert.match(alt, /^\[\d+\]: https:\/\/example\.org\/away/m);
  const summaries = { 'X-With-Links-Summary': 'true', 'X-With-Images-Summary': 'true' };
  const listed = await (await read(target, summaries)).text();
  assert.ok(
    listed.includes(`\n\nImages:\n- ![Image 1: Fish](${running.pages.url}/fish.png)\n\nLinks/Buttons:\n- [`),
    listed,
  );
  assert.match(listed, /\n- \[Away\]\(https:\/\/example\.org\/away\)\n/);
  const { data } = (await (await read(target, { ...summaries, Accept: 'application/json' })).json()) as {
    data: { links: Record<string, string>; images: Record<string, string> };
  };
  assert.equal(data.links['Away'], 'https://example.org/away');
  assert.deepEqual(data.images, { 'Image 1: Fish': `${running.pages.url}/fish.png` });
});

test('POST /r/ reads the address in its body, with options in headers', async () => {
  const post = (body: object, path = '/r/') =>
    fetch(running.url + path, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Authorization: `Bearer ${running.secrets.key_only}`,
        'X-Engine': 'direct',
        'X-Return-Format': 'text',
      },
      body: JSON.stringify(body),
    });
  const answer = await post({ url: `${running.pages.url}/article` });
  assert.equal(answer.status, 200);
  assert.match(await answer.text(), /^The harbour town/);
  assert.equal((await post({ url: `${running.pages.url}/article` }, '/r')).status, 200);
  for (const [body, message] of [
    [{}, 'url: is required'],
    [{ url: 'no address' }, 'url: is not an absolute URL'],
    [{ url: 'https://example.com/', targetSelector: 'p' }, 'targetSelector: is not supported in the body'],
  ] as const) {
    const refused = await post(body);
    assert.equal(refused.status, 400);
    assert.ok(((await refused.json()) as Failure).message?.startsWith(message), message);
  }
  const unknown = await post({}, '/r/x');
  assert.equal(unknown.status, 405);
  assert.equal(((await unknown.json()) as Failure).data, null);
});

test('GET /r/URL supports X-Return-Format and X-Timeout', async () => {
  const target = `${running.pages.url}/article`;
  assert.match(await (await read(target, { 'X-Return-Format': 'html' })).text(), /^<(article|div|h1|p)/);
  assert.match(await (await read(target, { 'X-Return-Format': 'text' })).text(), /^The /);
  const late = await read(`${running.pages.url}/hang`, { 'X-Timeout': '1' });
  assert.equal(((await late.json()) as Failure).error.code, 'fetch_timeout');
  assert.equal((await read(target, { 'X-Timeout': '99999' })).status, 200);
});

test('language, agent and age of a read reach the capture', async () => {
  const site = await startRecordingSite();
  const { seen, url: target } = site;
  try {
    assert.equal((await read(target, { 'X-Locale': 'de-CH', 'X-User-Agent': 'Reader/1' })).status, 200);
    assert.match(seen[0]?.['accept-language'] ?? '', /^de-CH/);
    assert.equal(seen[0]?.['user-agent'], 'Reader/1');
    await read(target);
    await read(target, { 'X-Cache-Tolerance': '60' });
    assert.equal(seen.length, 2);
    await read(target, { 'X-Cache-Tolerance': '60', 'X-No-Cache': 'true' });
    assert.equal(seen.length, 3);
    const cookies = 'a=1; path=/Page; Expires=Wed, 21 Oct 2099 07:28:00 GMT; HttpOnly, b=x=y; Path=/other';
    await read(target.replace('/page', '/Page'), { 'X-Set-Cookie': cookies });
    assert.equal(seen[3]?.cookie, 'a=1');
  } finally {
    site.close();
  }
});

// Checks: threat-facade-bypass
test("Jina Reader's options that this service lacks are refused by name, in its error format", async () => {
  for (const [name, value] of [
    ['X-Set-Cookie', 'a b=1'],
    ['X-Set-Cookie', 'a=1; Domain=example.org'],
    ['X-Proxy-Url', 'http://proxy.example'],
    ['X-Target-Selector', 'p[[['],
    ['X-Remove-Selector', 'p::before'],
    ['X-Engine', 'vlm'],
    ['X-Retain-Images', 'all_p'],
    ['X-Md-Link-Style', 'x'],
    ['X-With-Links-Summary', 'some'],
    ['X-Respond-With', 'pageshot'],
    ['X-With-Generated-Alt', 'true'],
    ['X-Return-Format', 'screenshot'],
    ['X-Timeout', '-1'],
    ['X-Locale', 'not a language'],
    ['X-Cache-Tolerance', '-1'],
    ['X-Wait-For-Selector', 'p[[['],
    ['Accept', 'text/event-stream'],
  ] as const) {
    const answer = await read(`${running.pages.url}/never`, { [name]: value });
    const body = (await answer.json()) as Failure;
    assert.equal(answer.status, 400, name);
    assert.equal(body.code, 400);
    assert.equal(body.status, 40_000);
    assert.equal(body.data, null);
    assert.ok(body.message?.startsWith(`${name}: `), body.message);
  }
  assert.equal(running.pages.hits('/never'), 0);
  const bad = (await (await read('file:///etc/passwd')).json()) as Failure;
  assert.equal(bad.error.code, 'url_not_allowed');
  const none = await read('');
  assert.match(((await none.json()) as Failure).message ?? '', /follows \/r\/$/);
});

// Checks: threat-facade-bypass
test('GET /r/URL needs a key and is in the request log, and HEAD is refused', async () => {
  const target = `${running.pages.url}/article?read`;
  const stranger = await fetch(`${running.url}/r/${target}`);
  assert.equal(stranger.status, 401);
  assert.equal(((await stranger.json()) as Failure).error.code, 'unauthorized');
  const headers = { 'X-API-Key': running.secrets.key_only };
  assert.equal((await fetch(`${running.url}/r/${target}`, { method: 'HEAD', headers })).status, 405);
  assert.equal(running.pages.hits('/article?read'), 0);
  await read(target);
  await expectLogged('/r/*', target);
});

async function expectLogged(endpoint: string, url: string): Promise<void> {
  for (;;) {
    const { items } = await running.store.requests.list(running.projectId, { endpoint }, { limit: 200 });
    if (items.some((item) => item.url === url && item.domId !== null)) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Sends a request like Open WebUI's `ExternalWebLoader`. */
function load(urls: unknown, key = running.secrets.key_only, service = running): Promise<Response> {
  return fetch(`${service.url}/web-loader`, {
    method: 'POST',
    headers: {
      'User-Agent': 'Open WebUI (https://github.com/open-webui/open-webui) External Web Loader',
      Authorization: `Bearer ${key}`,
      'Content-Type': 'application/json',
    },
    body: JSON.stringify({ urls }),
  });
}

type Loaded = readonly { readonly page_content: string; readonly metadata: Readonly<Record<string, unknown>> }[];

// Checks: threat-hidden-text
test("Open WebUI's web loader gets the pages that could be read, in order", async () => {
  const { url } = running.pages;
  const answer = await load([`${url}/article?loaded`, `${url}/missing`, `${url}/redirect`, `${url}/hidden`]);
  assert.equal(answer.status, 200);
  const pages = (await answer.json()) as Loaded;
  assert.deepEqual(
    pages.map(({ metadata }) => metadata['source']),
    [`${url}/article?loaded`, `${url}/redirect`, `${url}/hidden`],
  );
  for (const { page_content: content, metadata } of pages) {
    assert.match(content, /The harbour town/);
    assert.ok(!content.includes('hidden from every reader'));
    assert.equal(metadata['title'], 'The market by the harbour');
  }
  await expectLogged('/web-loader', `${url}/article?loaded`);
});

test("Open WebUI's web loader gets the reason for an unread page and for a refused request", async () => {
  const none = await load([`${running.pages.url}/missing`]);
  // Clients repeat a request after 5xx.
  assert.equal(none.status, 422);
  assert.match(((await none.json()) as Failure).detail ?? '', /404/);
  const bad = await load(['no address']);
  assert.equal(bad.status, 400);
  assert.equal(((await bad.json()) as Failure).detail, 'urls: is not an absolute URL: its host or port is not valid');
  assert.equal((await load(['pages.invalid/x'])).status, 502);
  for (const urls of [[], undefined, ['x'.repeat(100_000)], Array.from({ length: 51 }, () => running.pages.url)]) {
    const refused = await load(urls);
    assert.equal(refused.status, 400);
    assert.match(((await refused.json()) as Failure).detail ?? '', /^urls/);
  }
  assert.equal((await load([running.pages.url], 'wk_no')).status, 401);
});

// Checks: threat-facade-bypass
test("each page of Open WebUI's web loader counts against the quota", async () => {
  const secret = await running.addKey({ projectId: running.projectId, kind: 'key_only', quotaPerMinute: 2 });
  const urls = ['a', 'b', 'c'].map((name) => `${running.pages.url}/article?quota=${name}`);
  const pages = (await (await load(urls, secret)).json()) as Loaded;
  assert.equal(pages.length, 2);
  assert.equal((await load(urls, secret)).status, 429);
});

// Checks: threat-facade-bypass
test('the readers of other clients reach no refused address', async () => {
  const canary = await startCanary();
  const guarded = await startRunning({ WINNOW_CHROMIUM: 'none', WINNOW_EGRESS_ALLOW: '' });
  try {
    const urls = [`http://127.0.0.1:${canary.port}/`, `http://localhost:${canary.port}/`];
    for (const url of urls) {
      const body = (await (await read(url, {}, guarded)).json()) as Failure;
      assert.match(body.error.code, /url_not_allowed|egress_denied/);
    }
    assert.ok((await load(urls, guarded.secrets.key_only, guarded)).status >= 400);
    assert.deepEqual(canary.visits, []);
  } finally {
    await guarded.close();
    await canary.close();
  }
});

// Checks: threat-facade-bypass
test('WINNOW_FACADES turns single interfaces off', async () => {
  const some = await startRunning({ WINNOW_CHROMIUM: 'none', WINNOW_FACADES: 'jina' });
  const none = await startRunning({ WINNOW_CHROMIUM: 'none', WINNOW_FACADES: 'none' });
  try {
    assert.equal((await read('file:///x', {}, some)).status, 400);
    assert.equal((await load([], some.secrets.key_only, some)).status, 404);
    assert.equal((await read('file:///x', {}, none)).status, 404);
    for (const service of [some, none])
      assert.equal((await service.call('/v2/scrape', { url: 'https://example.com' })).status, 404);
  } finally {
    await some.close();
    await none.close();
  }
});
