/** OAuth for assistants, with the client of the MCP SDK. */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, test } from 'node:test';
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import type { OAuthClientProvider } from '@modelcontextprotocol/client';
import { openSigned, sign } from '../../packages/server/src/domain/oauth/oauth-client.ts';
import { startRunning } from '../support/running-service.ts';
import type { Running } from '../support/running-service.ts';

let running: Running;
/** Of the signed-in administrator. */
const session = { cookie: '', 'x-csrf-token': '' };

before(async () => {
  running = await startRunning({ WINNOW_CHROMIUM: 'none' });
  const token = running.service.setupUrl?.split('#')[1];
  const answer = await fetch(`${running.url}/admin/v1/links/accept`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, email: 'ada@example.com', password: 'a horse that staples' }),
  });
  session.cookie = answer.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';
  session['x-csrf-token'] = ((await answer.json()) as { csrf_token: string }).csrf_token;
});
after(() => running.close());

const REDIRECT = 'http://127.0.0.1:7777/callback';

/** An assistant, as far as the SDK asks it. */
class Assistant implements OAuthClientProvider {
  readonly redirectUrl = REDIRECT;
  readonly clientMetadata = { client_name: 'Test assistant', redirect_uris: [REDIRECT] };
  readonly saved: { client?: object; tokens?: object; verifier?: string; asked?: URL } = {};
  state = (): string => 'state-1';
  clientInformation = (): never => this.saved.client as never;
  saveClientInformation = (client: object): void => void (this.saved.client = client);
  tokens = (): never => this.saved.tokens as never;
  saveTokens = (tokens: object): void => void (this.saved.tokens = tokens);
  redirectToAuthorization = (url: URL): void => void (this.saved.asked = url);
  saveCodeVerifier = (verifier: string): void => void (this.saved.verifier = verifier);
  codeVerifier = (): string => this.saved.verifier ?? '';
}

const openTransport = (authProvider: Assistant): StreamableHTTPClientTransport =>
  new StreamableHTTPClientTransport(new URL('/mcp', running.url), { authProvider });

/** Opens the page of the console as a browser does, and decides as its user. Returns where the browser is sent. */
async function decide(asked: URL, approved = true): Promise<URL> {
  const answer = await fetch(asked, { redirect: 'manual' });
  assert.equal(answer.status, 302, await answer.clone().text());
  const page = new URL(answer.headers.get('location') ?? '');
  assert.equal(page.origin + page.pathname, `${running.url}/console/authorize`);
  const { client_name: name, ...body } = Object.fromEntries(page.searchParams);
  assert.equal(name, 'Test assistant');
  const decided = await fetch(`${running.url}/admin/v1/projects/${running.projectId}/authorizations`, {
    method: 'POST',
    headers: { ...session, 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, approved }),
  });
  assert.equal(decided.status, 200, await decided.clone().text());
  return new URL(((await decided.json()) as { redirect_to: string }).redirect_to);
}

/** Lets the SDK register and ask, and returns the assistant with the answer of the user. */
async function askUser(approved = true): Promise<{ assistant: Assistant; answer: URL }> {
  const assistant = new Assistant();
  const client = new Client({ name: 'test', version: '1.0.0' });
  await assert.rejects(client.connect(openTransport(assistant)), UnauthorizedError);
  const { asked } = assistant.saved;
  assert.ok(asked, 'the SDK opened no page');
  return { assistant, answer: await decide(asked, approved) };
}

interface TokenAnswer {
  readonly status: number;
  readonly error: string | undefined;
  readonly key: string;
}

async function exchange(fields: Readonly<Record<string, string>>): Promise<TokenAnswer> {
  const body = new URLSearchParams({ grant_type: 'authorization_code', ...fields });
  const answer = await fetch(`${running.url}/oauth/token`, { method: 'POST', body });
  const { error, access_token: key = '' } = (await answer.json()) as { error?: string; access_token?: string };
  return { status: answer.status, error, key };
}

/** The fields of the exchange of a code that a user has just given. */
async function askForCode() {
  const { assistant, answer } = await askUser();
  const { client_id } = assistant.saved.client as { client_id: string };
  const code = answer.searchParams.get('code') ?? '';
  return { client_id, code, redirect_uri: REDIRECT, code_verifier: assistant.codeVerifier() };
}

/** Returns the code as it would be if it had expired. */
async function expire(code: string): Promise<string> {
  const secret = (await running.store.settings.get('oauth_secret')) ?? '';
  const decided = openSigned(secret, 'code', code);
  assert.ok(decided);
  return sign(secret, 'code', { ...decided, expires: Date.now() - 1 });
}

async function listTools(key: string): Promise<number> {
  const answer = await fetch(`${running.url}/mcp`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', accept: '*/*' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  });
  return answer.status;
}

test("an assistant finds the service's documents, registers, asks the user, and calls tools with the key that it gets", async () => {
  const { assistant, answer } = await askUser();
  assert.equal(answer.origin + answer.pathname, REDIRECT);
  assert.equal(answer.searchParams.get('state'), 'state-1');
  const transport = openTransport(assistant);
  await transport.finishAuth(answer.searchParams);
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(openTransport(assistant));
  const { tools } = await client.listTools();
  assert.ok(tools.some(({ name }) => name === 'extract'));
  await client.close();
  const key = (await running.store.keys.list(running.projectId)).find(({ name }) => name === 'Test assistant (MCP)');
  assert.deepEqual([key?.scope, key?.kind, key?.expiresAt === null], ['mcp', 'key_only', false]);
});

// Checks: threat-oauth
test('the key of an assistant is only for /mcp', async () => {
  const { key } = await exchange(await askForCode());
  assert.equal(await listTools(key), 200);
  const page = { extract: { url: `${running.pages.url}/article` } };
  const answer = await fetch(`${running.url}/v1/extract`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify(page),
  });
  assert.equal(answer.status, 401);
  assert.match(await answer.text(), /this key is only for \/mcp/);
});

// Checks: threat-oauth
test('a code works once, and ends the key that it gave if it comes again', async () => {
  const fields = await askForCode();
  const first = await exchange(fields);
  assert.equal(first.status, 200);
  assert.equal(await listTools(first.key), 200);
  assert.deepEqual(await exchange(fields), { status: 400, error: 'invalid_grant', key: '' });
  assert.equal(await listTools(first.key), 401);
  const twice = await askForCode();
  const both = await Promise.all([exchange(twice), exchange(twice)]);
  assert.equal(both.filter(({ status }) => status === 200).length, 1);
});

// Checks: threat-oauth
test('a code is refused when it has expired, and with another verifier, redirect address, client or signature', async () => {
  const fields = await askForCode();
  const other = await askForCode();
  const cases: readonly (readonly [object, string])[] = [
    [{ code_verifier: other.code_verifier }, 'invalid_grant'],
    [{ code_verifier: 'short' }, 'invalid_grant'],
    [{ redirect_uri: 'http://127.0.0.1:7777/other' }, 'invalid_grant'],
    [{ code: `${fields.code}x` }, 'invalid_grant'],
    [{ code: other.code }, 'invalid_grant'],
    [{ code: await expire(fields.code) }, 'invalid_grant'],
    [{ client_id: 'mcp_unknown' }, 'invalid_client'],
    [{ client_id: fields.code }, 'invalid_client'],
    [{ grant_type: 'password' }, 'unsupported_grant_type'],
    [{ resource: 'https://elsewhere.example/mcp' }, 'invalid_target'],
  ];
  for (const [change, error] of cases)
    assert.equal((await exchange({ ...fields, ...change })).error, error, JSON.stringify(change));
  assert.equal((await exchange(fields)).status, 200, 'none of them has used the code');
});

test('a user can refuse, and a request that is not safe is answered before the user is asked', async () => {
  const { assistant, answer } = await askUser(false);
  assert.deepEqual([answer.searchParams.get('error'), answer.searchParams.get('code')], ['access_denied', null]);
  const asked = assistant.saved.asked ?? assert.fail();
  const ask = async (changes: Readonly<Record<string, string>>): Promise<Response> => {
    const url = new URL(asked);
    for (const [name, value] of Object.entries(changes)) url.searchParams.set(name, value);
    return fetch(url, { redirect: 'manual' });
  };
  for (const changes of [{ redirect_uri: 'https://elsewhere.example/' }, { client_id: 'mcp_x' }]) {
    const refused = await ask(changes);
    assert.deepEqual([refused.status, refused.headers.get('location')], [400, null]);
  }
  const plain = await ask({ code_challenge_method: 'plain' });
  assert.equal(new URL(plain.headers.get('location') ?? '').searchParams.get('error'), 'invalid_request');
  // Another port of the same machine.
  const port = await ask({ redirect_uri: 'http://127.0.0.1:9999/callback' });
  assert.match(port.headers.get('location') ?? '', /\/console\/authorize\?/);
  const elsewhere = await ask({ resource: 'https://elsewhere.example/mcp' });
  assert.equal(new URL(elsewhere.headers.get('location') ?? '').searchParams.get('error'), 'invalid_target');
});

/** Returns the id of a new client with one redirect address. */
async function registerFor(redirectUri: string): Promise<string> {
  const answer = await fetch(`${running.url}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ redirect_uris: [redirectUri] }),
  });
  return ((await answer.json()) as { client_id: string }).client_id;
}

// Checks: threat-oauth
test('no browser is sent to another site before its user has decided', async () => {
  const ask = async (redirectUri: string): Promise<Response> => {
    const query = { client_id: await registerFor(redirectUri), redirect_uri: redirectUri, response_type: 'token' };
    return fetch(`${running.url}/oauth/authorize?${new URLSearchParams(query).toString()}`, { redirect: 'manual' });
  };
  const site = await ask('https://elsewhere.example/sign-in');
  assert.deepEqual([site.status, site.headers.get('location')], [400, null]);
  assert.match(await site.text(), /response_type: must be code/);
  const app = await ask('cursor://anysphere/oauth');
  assert.match(app.headers.get('location') ?? '', /^cursor:.*error=unsupported_response_type/);
});

test('a request whose Host header is no host gets an error as others do', async () => {
  const { port } = new URL(running.url);
  const answer = await new Promise<{ challenge: string | undefined; body: string }>((resolve, reject) => {
    const asked = request({ port, method: 'POST', path: '/mcp', headers: { host: 'no host' } }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => void (body += text));
      response.on('end', () => resolve({ challenge: response.headers['www-authenticate'], body }));
    });
    asked.on('error', reject).end();
  });
  assert.equal(answer.challenge, 'Bearer realm="winnow"');
  assert.equal((JSON.parse(answer.body) as { error: { code: string } }).error.code, 'unauthorized');
});

test('a body that cannot be read is an error of OAuth', async () => {
  for (const path of ['register', 'token'])
    for (const [type, body] of [
      ['text/plain', 'x'],
      ['application/json', '{'],
      ['application/json', JSON.stringify({ code: 'x'.repeat(20_000) })],
    ] as const) {
      const answer = await fetch(`${running.url}/oauth/${path}`, {
        method: 'POST',
        headers: { 'content-type': type },
        body,
      });
      const fault = (await answer.json()) as { error?: unknown; error_description?: unknown };
      assert.deepEqual([fault.error, typeof fault.error_description], ['invalid_request', 'string'], `${path} ${body}`);
      assert.equal(answer.headers.get('access-control-allow-origin'), '*');
    }
});

// Checks: threat-terminal
test('the name of a client, which becomes that of a key, holds no control characters', async () => {
  const answer = await fetch(`${running.url}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ redirect_uris: [REDIRECT], client_name: '\u202eevil\n\u001b[2Jx' }),
  });
  const { client_name: name } = (await answer.json()) as { client_name: string };
  assert.equal(name, String.raw`\u202eevil\n\u001b[2Jx`);
});

test('clients with unsafe redirect addresses are not registered', async () => {
  const register = async (uris: readonly string[]): Promise<string> => {
    const answer = await fetch(`${running.url}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ redirect_uris: uris }),
    });
    const { error = '' } = (await answer.json()) as { error?: string };
    return answer.status === 201 ? 'registered' : error;
  };
  assert.equal(await register(['https://claude.ai/api/mcp/auth_callback', 'cursor://anysphere/oauth']), 'registered');
  for (const uri of [
    'http://example.com/',
    'javascript://%0aalert(1)',
    'data:text/html,a',
    'https://a.example/#b',
    'x',
  ])
    assert.equal(await register([uri]), 'invalid_redirect_uri', uri);
  assert.equal(await register([]), 'invalid_redirect_uri');
  const broken = await fetch(`${running.url}/oauth/register`, {
    method: 'POST',
    body: '{}',
    headers: { 'content-type': 'application/json' },
  });
  assert.deepEqual(
    [broken.status, ((await broken.json()) as { error: string }).error],
    [400, 'invalid_client_metadata'],
  );
});
