/** What a caller or a stranger sends: requests, JSON bodies, selectors and messages. */
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkText, Fault, parseAnswer } from './fuzz-target.ts';
import type { Answer, McpTarget, ServiceTarget } from './fuzz-target.ts';
import { mutate, mutateJson, nastyText } from './mutate.ts';
import type { Vocabulary } from './mutate.ts';
import { readOutcome } from './page-surfaces.ts';
import type { Random } from './random.ts';
import type { FuzzInput, Surface } from './run-fuzz.ts';

/** Stands for the address of the site, and for the key: both are known when the input is sent. */
const SITE = 'http://site.invalid';
const KEY = 'KEY';

function fillIn(service: Pick<ServiceTarget, 'site'> & { readonly key?: string }, text: string): string {
  return text.replaceAll(SITE, service.site.url).replaceAll(KEY, service.key ?? '');
}

const GET = (path: string, more = ''): string => `GET ${path} HTTP/1.1\r\nHost: a\r\nX-API-Key: ${KEY}\r\n${more}\r\n`;
const POST = (path: string, body: string, more = ''): string =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nX-API-Key: ${KEY}\r\nContent-Type: application/json\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`;
const CHUNKED =
  'POST /v1/extract HTTP/1.1\r\nHost: a\r\nX-API-Key: KEY\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\n\r\n5;a="b"\r\n{"ext\r\n8\r\nract":1}\r\n0\r\nX: y\r\n\r\n';
const EXTRACT = JSON.stringify({ extract: { url: `${SITE}/article`, options: { engine_preference: 'http' } } });

const HTTP: Vocabulary = {
  corpus: [
    GET('/healthz'),
    GET('/openapi.json', 'Accept-Encoding: gzip, br;q=0\r\n'),
    GET('/docs/', 'Accept: text/html\r\nIf-None-Match: "x"\r\nRange: bytes=0-1\r\n'),
    GET('/v1/snapshots?limit=2&cursor=a', 'Connection: keep-alive, upgrade\r\nUpgrade: websocket\r\n'),
    GET('http://a/readyz', 'Expect: 100-continue\r\n'),
    'OPTIONS * HTTP/1.1\r\nHost: a\r\nOrigin: http://b\r\nAccess-Control-Request-Method: POST\r\n\r\n',
    'CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n',
    'HEAD /console/ HTTP/1.0\r\n\r\n',
    `TRACE / HTTP/1.1\r\nHost: a\r\n\r\n`,
    POST('/v1/extract', EXTRACT),
    POST('/mcp', '{"jsonrpc":"2.0","id":1,"method":"tools/list"}', 'Accept: application/json, text/event-stream\r\n'),
    POST('/v1/batches', '{"urls":[]}', 'Idempotency-Key: a\r\nContent-Encoding: gzip\r\nExpect: x\r\n'),
    POST(
      '/admin/v1/session',
      '{"email":"a@example.com","password":"b"}',
      'X-Forwarded-For: 10.0.0.1, ::1\r\nCookie: a=b; c\r\n',
    ),
    CHUNKED,
    GET('/healthz') + CHUNKED + GET('/metrics'),
    GET('/r/http://site.invalid/article', 'X-Return-Format: markdown\r\nX-Timeout: 10\r\n'),
    `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n`,
  ].map((request) => Buffer.from(request)),
  words: [
    ...'GET POST HEAD PUT DELETE PATCH OPTIONS CONNECT TRACE QUERY HTTP/1.1 HTTP/1.0 HTTP/0.9 HTTP/2.0 Host: chunked gzip, identity close keep-alive upgrade 100-continue %00 %2e%2e/ %ff ?a=b # // * / :'.split(
      ' ',
    ),
    ...'Host|Content-Length|Transfer-Encoding|Connection|Expect|Upgrade|X-Request-ID|X-API-Key|X-Project-Id|Authorization|traceparent|Origin|Accept|Accept-Encoding|Accept-Language|Content-Type|Content-Encoding|Cookie|Range|If-Modified-Since|Idempotency-Key|Cache-Control|X-Forwarded-Host|__proto__|Keep-Alive|TE|Trailer'
      .split('|')
      .map((name) => `\r\n${name}: `),
    '\r\n',
    '\r\n\r\n',
    '\n',
    '\r',
    '\r\n ',
    '0\r\n\r\n',
    'ffffffffffffffff\r\n',
    '-1\r\n',
    '\0',
    '\u00FF',
    'Content-Length: 5\r\n',
    'Transfer-Encoding: chunked\r\n',
  ],
  pairs: [
    ['GET / HTTP/1.1\r\nHost: a\r\n\r\n', 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['\r\nX-A: ', '\r\n'],
    ['1\r\n', '\r\n'],
    ['"', '"'],
    ['/', '/..'],
    ['a=', '&'],
    ['%', '41'],
  ],
};

interface Delivery {
  /** Pieces in which the bytes are written. */
  readonly pieces: number;
  readonly end: 'half-close' | 'destroy' | 'wait';
  readonly reads: boolean;
}

const HTTP_SURFACE: Surface = {
  name: 'http',
  kind: 'service',
  inFlight: 16,
  make: (random) => {
    const more: Delivery = {
      pieces: random.chance(0.7) ? 1 : random.small(20),
      end: random.pick(['half-close', 'half-close', 'destroy', 'wait'] as const),
      reads: random.chance(0.9),
    };
    return { bytes: mutate(random, HTTP, 5), more };
  },
  send: async (target, { bytes, more }) => {
    const service = target as ServiceTarget;
    const outcome = await sendRaw(service, fillIn(service, bytes.toString('latin1')), more as Delivery);
    const { status } = await service.call('/healthz', undefined);
    if (status !== 200) throw new Fault(`/healthz answers ${status}`);
    return outcome;
  },
};

/** How long to wait for an answer: to an unfinished request there is none. */
const RAW_WAIT_MS = 150;

async function sendRaw(service: ServiceTarget, request: string, { pieces, end, reads }: Delivery): Promise<string> {
  const { hostname, port } = new URL(service.url);
  const socket = connect({ host: hostname, port: Number(port) });
  const answers: Buffer[] = [];
  const closed = new Promise<void>((resolve) => void socket.on('close', () => resolve()));
  socket.on('error', () => undefined);
  if (reads) socket.on('data', (piece) => answers.push(piece));
  const bytes = Buffer.from(request, 'latin1');
  const length = Math.max(1, Math.ceil(bytes.length / pieces));
  for (let from = 0; from < bytes.length && !socket.destroyed; from += length) {
    socket.write(bytes.subarray(from, from + length));
    if (pieces > 1) await sleep(1);
  }
  if (end === 'half-close') socket.end();
  if (end !== 'destroy') await Promise.race([closed, sleep(RAW_WAIT_MS)]);
  socket.destroy();
  const answer = Buffer.concat(answers).toString('latin1');
  checkText(answer);
  if (answer === '') return 'no answer';
  const status = /^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1];
  if (status === undefined) throw new Fault(`not an HTTP answer: ${JSON.stringify(answer.slice(0, 200))}`);
  if (/^HTTP\/1\.1 500 /m.test(answer)) throw new Fault(`status 500: ${answer.slice(0, 400)}`);
  return status;
}

const OPTIONS = {
  timeout_ms: 10_000,
  engine_preference: 'http',
  filter_scripts_styles: true,
  accept_language: 'de-CH,de;q=0.9',
  locale: 'de-CH',
  headers: { 'X-Preview': '1', authorization: 'Basic a' },
  cookies: [{ name: 'a', value: 'b', path: '/', secure: false }],
  user_agent: 'Mozilla/5.0',
  device: 'mobile',
  block: ['images', 'fonts'],
  include_tags: ['article'],
  exclude_tags: ['nav', '.x'],
};
const CONTENT = {
  formats: ['markdown', 'html', 'stated'],
  favor: 'precision',
  hidden_text: 'keep',
  markdown: { links: 'references', images: 'alt', title: true },
  fields: [
    { name: 'price', selector: '.price', type: 'number', all: true },
    { name: 'head', selector: 'json_ld=Article:author.name', attribute: 'content' },
  ],
  chunks: { max_characters: 1000 },
};

/** Bodies of requests, by method and path. */
const BODIES: readonly (readonly [target: string, body: unknown])[] = [
  [
    '/v1/extract',
    {
      extract: { url: `${SITE}/article`, options: OPTIONS, ...CONTENT },
      trace: { include_steps: true, include_raw_dom: true },
      workflow: { match_timeout_ms: 5000, generate_timeout_ms: 5000, extract_timeout_ms: 5000 },
    },
  ],
  ['/v1/extract', { extract: { dom_id: 'dom_01J9ZC8X9A4Q7W2E5R8T1Y3V6K', ...CONTENT } }],
  ['/v1/dom/dump', { url: `${SITE}/article`, options: OPTIONS }],
  ['/v1/snapshots', { url: `${SITE}/article`, html: '<title>a</title><p>b</p>', content_language: 'de' }],
  ['/v1/batches', { urls: [`${SITE}/a`, `${SITE}/b`], options: OPTIONS, ...CONTENT, respect_robots: false }],
  [
    '/v2/scrape',
    {
      url: `${SITE}/article`,
      formats: ['markdown', { type: 'links' }],
      onlyMainContent: false,
      includeTags: ['main'],
      location: { languages: ['de'] },
      maxAge: 0,
      timeout: 9000,
      headers: { 'X-A': 'b', Cookie: 'a=b; c=d' },
    },
  ],
  ['/v1/map', { url: SITE, sitemapOnly: true }],
  ['/r', { url: `${SITE}/article` }],
  ['/v2/batch/scrape', { urls: [`${SITE}/a`], formats: ['html'], ignoreInvalidURLs: true }],
  ['/v2/map', { url: SITE, search: 'a', limit: 5, sitemap: 'include', includeSubdomains: true, timeout: 9000 }],
  ['/web-loader', { urls: [`${SITE}/article`] }],
  ['/admin/v1/session', { email: 'a@example.com', password: 'b' }],
  ['/admin/v1/links/lookup', { token: 'a' }],
  ['/admin/v1/projects', { name: 'a' }],
  ['/admin/v1/invitations', { email: 'a@example.com', role: 'member' }],
  ['/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }],
];
const VALUES: readonly unknown[] = BODIES.map(([, body]) => body);

/** Addresses without bodies. */
const TARGETS: readonly string[] = [
  '/v1/snapshots?limit=2&cursor=a&host=b&url_contains=c',
  '/v1/snapshots/dom_01J9ZC8X9A4Q7W2E5R8T1Y3V6K?part=html',
  '/v1/batches/bat_01J9ZC8X9A4Q7W2E5R8T1Y3V6K/results?cursor=1&limit=2',
  '/v1/batches?limit=2&state=running',
  '/v2/batch/scrape/bat_01J9ZC8X9A4Q7W2E5R8T1Y3V6K?skip=1',
  `/r/${SITE}/article`,
  '/admin/v1/templates?state=active&cursor=a&limit=3',
  '/admin/v1/projects?archived=true',
  '/admin/v1/audit?cursor=a&limit=2',
  '/admin/v1/metrics?from=2024-01-01&to=2025-01-01&step=day',
  '/admin/v1/members/usr_01J9ZC8X9A4Q7W2E5R8T1Y3V6K',
];

const JSON_TEXT: Vocabulary = {
  corpus: BODIES.map(([, body]) => Buffer.from(JSON.stringify(body))),
  words: '{ } [ ] , : " \\ \\u0000 \\uD800 null true 1e999 -0 "__proto__": "constructor": "a":1, /**/ NaN \u00FF'.split(
    ' ',
  ),
  pairs: [
    ['{"a":', '}'],
    ['[', ']'],
    ['"', '"'],
  ],
};

interface JsonRequest {
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly isSignedIn: boolean;
  readonly hasBody: boolean;
}

const JSON_SURFACE: Surface = {
  name: 'json',
  kind: 'service',
  inFlight: 16,
  make: (random) => {
    const isSignedIn = random.chance(0.5);
    if (random.chance(0.15)) {
      const target = changePath(random, random.pick(TARGETS));
      return { bytes: Buffer.alloc(0), more: { target, isSignedIn, hasBody: false, headers: {} } };
    }
    const [target, body] = random.pick(BODIES);
    const bytes = random.chance(0.3)
      ? mutate(random, JSON_TEXT)
      : Buffer.from(JSON.stringify(mutateJson(random, body, VALUES)) ?? '');
    return { bytes, more: { target, isSignedIn, hasBody: true, headers: makeHeaders(random) } };
  },
  send: (target, input) => sendJson(target as ServiceTarget, input),
};

/** Changes a path and its query, in characters that a client may send. */
function changePath(random: Random, target: string): string {
  const at = 1 + random.below(target.length);
  const inserted = encodeURIComponent(nastyText(random).toWellFormed().slice(0, 2000));
  return target.slice(0, at) + inserted + (random.chance(0.3) ? '' : target.slice(at + random.below(5)));
}

function makeHeaders(random: Random): Record<string, string> {
  const name = random.pick([
    'Idempotency-Key',
    'X-Request-ID',
    'Cache-Control',
    'traceparent',
    'Accept',
    'X-Project-Id',
    'Content-Type',
  ]);
  const value = random.pick([
    'a',
    'max-age=0, only-if-cached',
    'application/x-ndjson',
    '00-0-0-00',
    '*/*;q=',
    'application/json; charset=utf-16',
  ]);
  return random.chance(0.15) ? { [name]: value } : {};
}

async function sendJson(service: ServiceTarget, { bytes, more }: FuzzInput): Promise<string> {
  const { target, headers, isSignedIn, hasBody } = more as JsonRequest;
  const body = hasBody ? Buffer.from(fillIn(service, bytes.toString('latin1')), 'latin1') : undefined;
  const answer = await service.call(fillIn(service, target), body, {
    headers: { ...headers, ...(isSignedIn ? service.session : {}), ...(target === '/mcp' ? MCP_HEADERS : {}) },
  });
  if (answer.status === 200 && target === '/v1/batches') await awaitBatch(service, answer);
  return String(answer.status);
}

const MAX_POLLS = 100;

/** Waits for the end of a batch and reads its results. */
export async function awaitBatch(service: ServiceTarget, answer: Answer): Promise<string> {
  const { batch } = parseAnswer(answer.text) as { batch: { id: string } };
  for (let poll = 0; poll < MAX_POLLS; poll += 1) {
    const { text } = await service.call(`/v1/batches/${batch.id}`, undefined);
    const { state } = (parseAnswer(text) as { batch: { state: string } }).batch;
    if (state === 'running') {
      await sleep(50);
      continue;
    }
    const results = await service.call(`/v1/batches/${batch.id}/results`, undefined);
    await service.call(`/v1/batches/${batch.id}`, undefined, { method: 'DELETE' });
    return results.text;
  }
  await service.call(`/v1/batches/${batch.id}`, undefined, { method: 'DELETE' });
  return '';
}

const SELECTORS: Vocabulary = {
  corpus: [
    'article > p:nth-child(2n+1 of .x), main a[href^="/" i]:not(.b, #c)::attr(href)',
    ':is(h1, h2):has(+ p) ~ div *|* [lang|=en] [data-x~="\\31 a"]:root:empty:first-of-type',
    "//article//p[position() > 1 and contains(@class, 'x')]/following-sibling::*[last()]/text()",
    '(//a | //b)[count(.//c) = 2 or not(@d)]/ancestor-or-self::node()[string-length(normalize-space(.)) > 3]',
    "substring-before(concat('a', translate(//h1, 'abc', 'ABC')), 'b')",
    './/*[@id = //*/@href][sum(//td) mod 2 div 3 - -1 = number("x")]',
    'json_ld=NewsArticle:author.name',
    '*:offers.price',
  ].map((selector) => Buffer.from(selector)),
  words:
    '* > + ~ , | : :: . # [ ] ( ) = ^= $= *= ~= |= / // @ .. | " \' \\ :not( :has( :is( :where( :nth-child( :nth-last-child( :contains( :scope ::before -n+3 2n odd even i s ancestor:: following:: preceding:: namespace:: attribute:: self::node() position() last() count( sum( string( id( lang( not( concat( translate( substring( normalize-space( and or mod div text() comment() processing-instruction() $x a:b css= xpath= json_ld= *'.split(
      ' ',
    ),
  pairs: [
    [':not(', ')'],
    [':has(', ')'],
    [':is(', ')'],
    ['[', ']'],
    ['(', ')'],
    ['//*[', ']'],
    ['count(//*[', '])'],
    ['"', '"'],
    ['concat(', ',1)'],
    ['* ', ' *'],
    ['//*', '/..'],
  ],
};

const MAX_SELECTOR = 1000;
const ANY_SELECTOR_PAGE = `<!doctype html><title>The market</title><main class="x"><article id=a lang=en>${'<section><h2>A</h2><p class="x y">One <a href="/1">two</a></p><table><tr><td>3<td>4</table></section>'.repeat(60)}</article></main><script type="application/ld+json">{"@type":"NewsArticle","author":{"name":"Ada"},"offers":[{"price":1}]}</script>`;

interface SelectorRequest {
  readonly use: 'fields' | 'tags' | 'template';
  readonly selectors: readonly string[];
}

const SELECTOR_SURFACE: Surface = {
  name: 'selectors',
  kind: 'service',
  inFlight: 8,
  make: (random) => {
    const selectors = Array.from({ length: random.small(4) }, () =>
      mutate(random, SELECTORS, 3).toString().slice(0, MAX_SELECTOR),
    );
    const more: SelectorRequest = { use: random.pick(['fields', 'fields', 'tags', 'template'] as const), selectors };
    return { bytes: Buffer.from(selectors.join('\n')), more };
  },
  send: async (target, { more }) => {
    const service = target as ServiceTarget;
    const { use, selectors } = more as SelectorRequest;
    const url = `${service.site.url}/selected`;
    const stored = await service.call('/v1/snapshots', { url, html: ANY_SELECTOR_PAGE });
    const { dom_id: domId } = parseAnswer(stored.text) as { dom_id: string };
    if (use === 'template') return previewTemplate(service, domId, selectors);
    const half = Math.ceil(selectors.length / 2);
    const fields = selectors.map((selector, index) => ({
      name: `f${index}`,
      selector,
      all: index % 2 === 0,
      type: ['text', 'number', 'date', 'url'][index % 4],
    }));
    const options = {
      include_tags: selectors.slice(0, half),
      exclude_tags: selectors.slice(half),
      engine_preference: 'http',
    };
    const extract = use === 'fields' ? { dom_id: domId, fields } : { url: `${service.site.url}/article`, options };
    const answer = await service.call('/v1/extract', { extract });
    return readOutcome(answer.text);
  },
};

async function previewTemplate(service: ServiceTarget, domId: string, selectors: readonly string[]): Promise<string> {
  const kinds = selectors.map((text) => (/^(?:xpath=|\.?\/|\()/.test(text) ? { xpath: text } : { css: text }));
  const document = {
    format: 1,
    hosts: [new URL(service.site.url).host],
    url_shapes: [],
    signature: null,
    fields: { title: { selectors: kinds } },
    content: { include: kinds.slice(0, 1), exclude: kinds.slice(1), exclude_text: [] },
    custom: [{ name: 'a', type: 'list', selectors: kinds.map((kind) => ({ ...kind, all: true })) }],
    invariants: { required: [], main_text_words: null },
    provenance: { source: 'hand' },
  };
  const { items } = parseAnswer(
    (await service.call('/admin/v1/projects', undefined, { headers: service.session })).text,
  ) as {
    items: readonly { readonly id: string }[];
  };
  const body = { project_id: items[0]?.id, dom_ids: [domId], document };
  const answer = await service.call('/admin/v1/templates/preview', body, { headers: service.session });
  return `template ${answer.status}`;
}

const MCP_HEADERS = { Accept: 'application/json, text/event-stream', 'MCP-Protocol-Version': '2025-06-18' };
const MESSAGES: readonly unknown[] = [
  {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
  },
  { jsonrpc: '2.0', method: 'notifications/initialized' },
  { jsonrpc: '2.0', id: 'a', method: 'tools/list', params: { cursor: 'a' } },
  {
    jsonrpc: '2.0',
    id: 2,
    method: 'tools/call',
    params: {
      name: 'extract',
      arguments: {
        url: `${SITE}/article`,
        format: 'markdown',
        links: 'text',
        engine: 'http',
        offset: 0,
        max_chars: 500,
        max_age: 5,
      },
      _meta: { progressToken: 1 },
    },
  },
  {
    jsonrpc: '2.0',
    id: 3,
    method: 'tools/call',
    params: { name: 'dump', arguments: { url: `${SITE}/article`, engine: 'http', timeout_ms: 9000 } },
  },
  {
    jsonrpc: '2.0',
    id: 4,
    method: 'tools/call',
    params: { name: 'read_snapshot', arguments: { dom_id: 'dom_01J9ZC8X9A4Q7W2E5R8T1Y3V6K', offset: 10 } },
  },
  {
    jsonrpc: '2.0',
    id: 5,
    method: 'tools/call',
    params: { name: 'search_snapshots', arguments: { url_contains: 'a', host: 'b', limit: 5, cursor: 'c' } },
  },
  {
    jsonrpc: '2.0',
    id: 10,
    method: 'tools/call',
    params: { name: 'crawl', arguments: { crawl_id: 'bat_a', after: 5, page_chars: 10, wait_ms: 0, cancel: true } },
  },
  { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2, reason: 'b' } },
  { jsonrpc: '2.0', id: 6, method: 'resources/read', params: { uri: 'file:///etc/passwd' } },
  { jsonrpc: '2.0', id: 7, method: 'logging/setLevel', params: { level: 'debug' } },
  { jsonrpc: '2.0', id: 8, result: {} },
  { jsonrpc: '2.0', id: 9, error: { code: -1, message: 'a' } },
];
const MCP: Vocabulary = { ...JSON_TEXT, corpus: MESSAGES.map((message) => Buffer.from(JSON.stringify(message))) };

function makeMessage(random: Random): Buffer {
  if (random.chance(0.25)) return mutate(random, MCP);
  return Buffer.from(JSON.stringify(mutateJson(random, random.pick(MESSAGES), MESSAGES)) ?? 'null');
}

const MCP_SURFACE: Surface = {
  name: 'mcp',
  kind: 'service',
  inFlight: 16,
  make: (random) => ({ bytes: makeMessage(random), more: { isModern: random.chance(0.3) } }),
  send: async (target, { bytes, more }) => {
    const service = target as ServiceTarget;
    const { isModern } = more as { readonly isModern: boolean };
    const body = Buffer.from(fillIn(service, bytes.toString('latin1')), 'latin1');
    const headers = { ...MCP_HEADERS, ...(isModern ? { 'MCP-Protocol-Version': '2026-07-28' } : {}) };
    return String((await service.call('/mcp', body, { headers })).status);
  },
};

const MCP_STDIO_SURFACE: Surface = {
  name: 'mcp-stdio',
  kind: 'mcp',
  inFlight: 1,
  make: (random) => ({ bytes: makeMessage(random), more: {} }),
  send: async (target, { bytes }) => {
    const mcp = target as McpTarget;
    const lines = await mcp.exchange(Buffer.from(fillIn(mcp, bytes.toString('latin1')), 'latin1'));
    for (const line of lines) {
      checkText(line);
      parseAnswer(line);
    }
    return lines.length > 1 ? 'answered' : 'ignored';
  },
};

export const REQUEST_SURFACES: readonly Surface[] = [
  HTTP_SURFACE,
  JSON_SURFACE,
  SELECTOR_SURFACE,
  MCP_SURFACE,
  MCP_STDIO_SURFACE,
];
