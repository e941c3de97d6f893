/** The OpenAPI document and the service agree, as a proxy checks that stands between a client and the service. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { startRunning } from '../support/running-service.ts';
import type { Running } from '../support/running-service.ts';

interface Media {
  readonly schema?: { readonly contentSchema?: object };
  readonly example?: unknown;
}
interface Operation {
  readonly operationId: string;
  readonly security: readonly object[];
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Property>> };
}
interface Property {
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Property>>;
}
/** Fields of answers, as far as the tests read them. */
interface Json {
  readonly result?: { readonly final_url: string };
  readonly project?: { readonly id: string };
  readonly batch?: { readonly id: string; readonly state: string };
  readonly template?: { readonly name: string };
  readonly blocks?: readonly { readonly id: string }[];
  readonly csrf_token?: string;
}

interface Sent {
  readonly status: number;
  readonly body: Json;
  readonly lines: readonly Json[];
}

const SETTINGS = { WINNOW_CHROMIUM: 'none', WINNOW_DUMP_TIMEOUT: '111s', WINNOW_STAGE_TIMEOUT: '112s' };
const TYPE = 'application/json';

let running: Running;
let document: Document;
const ajv = new Ajv2020({ strict: false, allErrors: true });
// The types of the package are those of a CommonJS module.
(formats as unknown as (ajv: Ajv2020) => void)(ajv);
/** Of the signed-in administrator. */
const session = { cookie: '', 'x-csrf-token': '' };
/** What the examples name, and what it is in this service. */
const standIns = new Map<string, string>();
/** Parameters of paths. */
const ids: Record<string, string> = {};

before(async () => {
  running = await startRunning(SETTINGS);
  document = (await (await fetch(`${running.url}/openapi.json`)).json()) as Document;
  ajv.addSchema(document, 'openapi', false, false);
  const registered = await fetch(`${running.url}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': TYPE },
    body: JSON.stringify({ redirect_uris: ['http://127.0.0.1/callback'] }),
  });
  standIns.set('mcp_example', ((await registered.json()) as { client_id: string }).client_id);
  const { body } = await running.call('/v1/dom/dump', { url: `${running.pages.url}/article` });
  standIns.set('https://example.com/news/1', `${running.pages.url}/article`);
  standIns.set('https://example.com/news/2', `${running.pages.url}/missing`);
  standIns.set('https://example.com/', `${running.pages.url}/article`);
  standIns.set('dom_01J9ZC8X9A4Q7W2E5R8T1Y3V6K', body.dom_id);
  standIns.set('prj_01J9ZC8X9A4Q7W2E5R8T1Y3V6K', running.projectId);
  const { host } = new URL(running.pages.url);
  Object.assign(ids, { project_id: running.projectId, host, dom_id: body.dom_id, url: `${running.pages.url}/article` });
});
after(() => running.close());

/** Sends a request, and checks that the document describes its answer. */
async function send(id: string, { body, as = 'caller', headers = {}, ids: own = {} }: Options = {}): Promise<Sent> {
  const [target, method, operation] = find(id);
  const address = target.replaceAll(/\{(\w+)\}/g, (_, name: string) => own[name] ?? ids[name] ?? 'x');
  const key = operation.security.some((one) => 'ApiKey' in one);
  const credentials = key ? { 'x-api-key': running.secrets.key_only } : session;
  const content = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
  const accepted = Object.keys(operation.responses['200']?.content ?? {}).join(', ');
  const response = await fetch(running.url + address, {
    method: method.toUpperCase(),
    redirect: 'manual',
    headers: {
      accept: accepted,
      ...(content && { 'content-type': TYPE }),
      ...(as === 'caller' && credentials),
      ...headers,
    },
    ...(content === undefined ? {} : { body: content }),
  });
  const text = await response.text();
  const type = response.headers.get('content-type')?.split(';', 1)[0] ?? '';
  const what = `${method} ${address} ${response.status} ${type} ${text.slice(0, 300)}`;
  const described = operation.responses[response.status];
  assert.ok(described, `this status is not described: ${what}`);
  const lines: Json[] = [];
  if (text !== '') {
    assert.ok(described.content?.[type], `this media type is not described: ${what}`);
    const pointer = `paths/${escape(target)}/${method}/responses/${response.status}/content/${escape(type)}/schema`;
    if (type === TYPE) check(pointer, JSON.parse(text), what);
    if (type === 'application/x-ndjson')
      lines.push(
        ...text
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as Json),
      );
    for (const line of lines) check(`${pointer}/contentSchema`, line, what);
  }
  const answer = type === TYPE ? (JSON.parse(text) as Json) : {};
  if ('csrf_token' in answer) keepSession(response.headers, answer);
  return { status: response.status, body: answer, lines };
}

interface Options {
  readonly body?: unknown;
  readonly as?: 'caller' | 'stranger';
  readonly headers?: Readonly<Record<string, string>>;
  /** Parameters of the path. */
  readonly ids?: Readonly<Record<string, string>>;
}

function find(id: string): readonly [path: string, method: string, operation: Operation] {
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(methods))
      if (operation.operationId === id) return [path, method, operation];
  return assert.fail(`no operation ${id}`);
}

const escape = (part: string): string => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));

function check(pointer: string, value: unknown, what: string): void {
  const validate = ajv.compile({ $ref: `openapi#/${pointer}` });
  assert.ok(validate(value), `${what}: ${ajv.errorsText(validate.errors)}`);
}

/** The example of a body for this service. */
function exampleOf({ requestBody }: Operation, type = TYPE): unknown {
  let text = JSON.stringify(requestBody?.content[type]?.example);
  for (const [example, own] of standIns) text = text.replaceAll(example, own);
  return JSON.parse(text);
}

async function signIn(): Promise<void> {
  const token = running.service.setupUrl?.split('#')[1] ?? assert.fail('no setup link');
  const body = JSON.stringify({ token, email: 'ada@example.com', password: 'a horse that staples' });
  const headers = { 'content-type': TYPE };
  const answer = await fetch(`${running.url}/admin/v1/links/accept`, { method: 'POST', headers, body });
  keepSession(answer.headers, (await answer.json()) as Json);
}

function keepSession(headers: Headers, body: Json): void {
  const [cookie] = headers.getSetCookie();
  session.cookie = cookie?.split(';', 1)[0] ?? session.cookie;
  session['x-csrf-token'] = body.csrf_token ?? session['x-csrf-token'];
}

const listOperations = (): Operation[] => Object.values(document.paths).flatMap((methods) => Object.values(methods));

test('every request body has an example, which its schema and the service accept', async () => {
  await signIn();
  const outline = await send('admin_showExample');
  standIns.set('1k2x9f-a81c3', outline.body.blocks?.[0]?.id ?? assert.fail('no block'));
  const refused: string[] = [];
  let count = 0;
  for (const operation of listOperations()) {
    const { operationId: id, requestBody } = operation;
    if (requestBody === undefined) continue;
    // The other project and the member that earlier examples made.
    if (id === 'admin_updateProject') ids['project_id'] = ids['created_project'] ?? '';
    for (const [type, { example }] of Object.entries(requestBody.content)) {
      count += 1;
      const [path, method] = find(id);
      const pointer = `paths/${escape(path)}/${method}/requestBody/content/${escape(type)}/schema`;
      check(pointer, example, `${id} ${type}`);
      if (type !== TYPE)
        for (const line of (example as string).trim().split('\n'))
          check(`${pointer}/contentSchema`, JSON.parse(line), `${id} ${type}`);
      const { status, body } = await send(id, { body: exampleOf(operation, type), headers: { 'content-type': type } });
      if (JSON.stringify(body).includes('invalid_request')) refused.push(`${id}: ${status} ${JSON.stringify(body)}`);
      if (id === 'admin_createProject') ids['created_project'] = body.project?.id ?? '';
      if (id === 'createBatch') ids['id'] = body.batch?.id ?? '';
      if (id === 'admin_importTemplate') ids['name'] = body.template?.name ?? '';
    }
    ids['project_id'] = running.projectId;
  }
  assert.deepEqual(refused, []);
  assert.ok(count > 20, String(count));
});

test('the refusals of every operation are described', async () => {
  const unknown = { dom_id: 'dom_x', id: 'x', name: 'tpl_x', key_id: 'x', link_id: 'x', user_id: 'x' };
  const statuses = new Set<number>();
  for (const { operationId: id, security, requestBody } of listOperations()) {
    if (security.length > 0) assert.equal((await send(id, { as: 'stranger' })).status, 401, id);
    if (requestBody !== undefined) assert.equal((await send(id, { body: '{' })).status, 400, id);
    else if (!id.startsWith('admin_signOut')) statuses.add((await send(id, { ids: unknown })).status);
  }
  assert.deepEqual(statuses, new Set([200, 404, 409]));
});

test('results and failures of pages are described, JSON Lines line by line', async () => {
  const page = (path: string): string => `${running.pages.url}${path}`;
  const extract = async (target: string, headers = {}): Promise<Sent> =>
    send('extract', { body: { extract: { url: page(target) } }, headers: { accept: TYPE, ...headers } });
  assert.equal((await extract('/article')).body.result?.final_url, page('/article'));
  assert.equal((await extract('/article?a={b}|c^d[e]')).status, 200);
  assert.equal((await extract('/missing')).status, 502);
  assert.equal((await extract('/empty')).status, 422);
  assert.equal((await extract('/article?new', { 'cache-control': 'only-if-cached' })).status, 504);
  assert.equal((await extract('/article', { accept: 'text/markdown' })).status, 200);
  assert.equal((await send('firecrawlScrape', { body: { url: page('/missing') } })).status, 422);
  assert.equal((await send('firecrawlV1Scrape', { body: { url: page('/missing') } })).status, 500);
  assert.equal((await send('firecrawlScrape', { body: { url: page('/hang'), timeout: 100 } })).status, 408);
  assert.equal((await send('loadWebPages', { body: { urls: [page('/missing')] } })).status, 422);
  assert.equal((await send('readPage', { headers: { accept: 'text/plain' } })).status, 200);
  const quota = await running.addKey({ projectId: running.projectId, kind: 'key_only', quotaPerMinute: 1 });
  const answers = [1, 2].map(() => send('readBatch', { headers: { 'x-api-key': quota } }));
  assert.ok((await Promise.all(answers)).some(({ status }) => status === 429));
  const urls = [page('/article'), page('/missing')];
  const { body } = await send('createBatch', { body: { urls }, headers: { 'idempotency-key': 'mine' } });
  const other = { body: { urls: [page('/other')] }, headers: { 'idempotency-key': 'mine' } };
  assert.equal((await send('createBatch', other)).status, 409);
  const id = body.batch?.id ?? assert.fail('no batch');
  while ((await send('readBatch', { ids: { id } })).body.batch?.state === 'running') await sleep(50);
  assert.equal((await send('readBatchResults', { ids: { id } })).lines.length, 2);
  assert.equal((await send('admin_downloadBatchResults', { ids: { id } })).lines.length, 2);
  for (const index of ['0', '1'])
    assert.equal((await send('admin_readBatchItem', { ids: { id, index } })).status, 200, index);
  assert.equal((await send('admin_readBatchItem', { ids: { id, index: '2' } })).status, 404);
  const retried = (await send('admin_retryBatch', { ids: { id } })).body.batch?.id ?? assert.fail('no batch');
  assert.equal((await send('admin_cancelBatch', { ids: { id: retried } })).status, 200);
  for (const operation of [
    'firecrawlBatchStatus',
    'firecrawlV1JobStatus',
    'firecrawlBatchErrors',
    'firecrawlCancelBatch',
    'deleteBatch',
  ])
    assert.equal((await send(operation, { ids: { id } })).status, 200, operation);
  const notification = { jsonrpc: '2.0', method: 'notifications/initialized' };
  assert.equal((await send('mcp', { body: notification })).status, 202);
  assert.equal(
    (await send('mcp', { body: { jsonrpc: '2.0', id: 1, method: 'ping' }, headers: { accept: TYPE } })).status,
    406,
  );
  assert.equal((await send('mcp', { body: { jsonrpc: '1.0' } })).status, 400);
  assert.equal((await send('index', { headers: { accept: 'text/html' } })).status, 302);
});

test('the defaults of the document are those of the settings', () => {
  const { schemas } = document.components;
  const fields = (name: string, field: string): Property => schemas[name]?.properties?.[field] ?? assert.fail(name);
  assert.equal(fields('DumpRequest', 'options').properties?.['timeout_ms']?.default, 111_000);
  assert.equal(fields('FirecrawlMapRequest', 'timeout').default, 111_000);
  const stages = Object.values(fields('ExtractRequest', 'workflow').properties ?? {});
  assert.deepEqual(
    stages.map(({ default: preset }) => preset),
    [112_000, 112_000, 112_000],
  );
});

/** What generators such as oazapfts need: ids that are identifiers, and statuses that are numbers. */
test('clients can be generated', () => {
  const names = listOperations().map(({ operationId }) => operationId);
  assert.equal(new Set(names).size, names.length);
  for (const { operationId, responses } of listOperations()) {
    assert.match(operationId, /^[a-z]\w+$/i);
    for (const status of Object.keys(responses)) assert.match(status, /^\d{3}$/, operationId);
  }
});
