import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ADMIN_OPERATIONS } from '@winnow/contract';
import type { Operation } from '@winnow/contract';
import { startConsole } from './start-console.ts';
import type { RunningConsole } from './start-console.ts';

const OPERATIONS = Object.values<Operation>(ADMIN_OPERATIONS);
const AUTHENTICATED = OPERATIONS.filter(({ access }) => access !== 'nobody');

let running: RunningConsole;
let cookie: string;
before(async () => {
  running = await startConsole();
  const token = running.setupUrl.split('#')[1];
  const body = JSON.stringify({ token, email: 'admin@example.com', password: 'a horse that staples' });
  const answer = await send('POST', '/admin/v1/links/accept', { 'content-type': 'application/json' }, body);
  assert.equal(answer.status, 200);
  cookie = answer.headers.getSetCookie()[0] ?? '';
});
after(() => running.close());

function send(method: string, path: string, headers: Record<string, string>, body?: string): Promise<Response> {
  const address = `${running.service.url}${path.replaceAll(/:\w+/g, 'x')}`;
  return fetch(address, { method, headers, ...(body === undefined ? {} : { body }) });
}

test('no endpoint under /admin/v1 accepts an API key', async () => {
  const { secrets, projectId } = running.service.firstStart ?? assert.fail('no first start');
  for (const { method, path } of AUTHENTICATED) {
    for (const secret of Object.values(secrets)) {
      const headers = { 'x-api-key': secret, 'x-project-id': projectId, authorization: `Bearer ${secret}` };
      const answer = await send(method, path, headers);
      assert.equal(answer.status, 401, `${method} ${path}`);
    }
  }
});

test('extract and dump do not accept a session', async () => {
  for (const path of ['/v1/extract', '/v1/dom/dump']) {
    const headers = { cookie: cookie.split(';', 1)[0] ?? '', 'content-type': 'application/json' };
    assert.equal((await send('POST', path, headers, '{}')).status, 401);
  }
});

// Checks: threat-csrf
test('every change needs the CSRF token of its session and the same origin', async () => {
  const session = { cookie: cookie.split(';', 1)[0] ?? '' };
  const answer = await send('GET', '/admin/v1/session', session);
  const { csrf_token: token } = (await answer.json()) as { csrf_token: string };
  for (const { method, path } of AUTHENTICATED.filter((one) => one.method !== 'GET')) {
    const attempts = [
      {},
      { 'x-csrf-token': 'x'.repeat(43) },
      { 'x-csrf-token': token, origin: 'https://evil.example' },
    ];
    for (const headers of attempts) {
      assert.equal((await send(method, path, { ...session, ...headers })).status, 403, `${method} ${path}`);
    }
    assert.equal(
      (await send(method, path, { ...session, 'x-csrf-token': token, 'sec-fetch-site': 'cross-site' })).status,
      403,
    );
  }
  const foreign = { 'content-type': 'application/json', origin: 'https://evil.example' };
  assert.equal((await send('POST', '/admin/v1/session', foreign, '{"email":"a","password":"b"}')).status, 403);
  assert.equal((await send('GET', '/admin/v1/session', session)).status, 200);
});

test('changes by an administrator are in the audit log', async () => {
  const opened = cookie.split(';', 1)[0] ?? '';
  const session = (await (await send('GET', '/admin/v1/session', { cookie: opened })).json()) as { csrf_token: string };
  const headers = { cookie: opened, 'x-csrf-token': session.csrf_token, 'content-type': 'application/json' };
  const act = async (method: string, path: string, body?: object): Promise<Acted> => {
    const answer = await fetch(`${running.service.url}/admin/v1${path}`, {
      method,
      headers: body ? headers : { cookie: opened, 'x-csrf-token': session.csrf_token },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const acted = (await answer.json()) as Acted;
    assert.equal(answer.status, 200, `${method} ${path}: ${JSON.stringify(acted)}`);
    return acted;
  };
  const { projectId } = running.service.firstStart ?? assert.fail('no first start');
  await act('PATCH', `/projects/${projectId}`, { name: 'renamed' });
  const dump = { url: running.site.origin, options: { engine_preference: 'http' } };
  const { dom_id: domId = '' } = await act('POST', `/projects/${projectId}/dump`, dump);
  await act('DELETE', `/projects/${projectId}/snapshots/${domId}`);
  await act('POST', '/invitations', { email: 'gone@example.com', role: 'admin' });
  const { invitations = [], items: members = [] } = await act('GET', '/members');
  await act('DELETE', `/invitations/${invitations.find(({ email }) => email === 'gone@example.com')?.id}`);
  await act('POST', `/members/${members[0]?.id}/reset-link`);
  const passwords = { current_password: 'a horse that staples', new_password: 'another horse that staples' };
  await act('POST', '/session/password', passwords);

  // The new password has ended the old session.
  const signIn = JSON.stringify({ email: 'admin@example.com', password: passwords.new_password });
  const again = await send('POST', '/admin/v1/session', { 'content-type': 'application/json' }, signIn);
  cookie = again.headers.getSetCookie()[0] ?? '';
  const log = await send('GET', '/admin/v1/audit?limit=20', { cookie: cookie.split(';', 1)[0] ?? '' });
  const { items } = (await log.json()) as { items: { action: string; actor: string; target: string }[] };
  const entries = items.map(({ actor, action, target }) => [actor, action, target].join(' '));
  for (const entry of [
    'project.update renamed',
    `snapshot.delete ${domId}`,
    'member.withdraw-invitation gone@example.com',
    'member.reset-link admin@example.com',
    'password.change admin@example.com',
  ])
    assert.ok(entries.includes(`admin@example.com ${entry}`), `${entry}: ${entries.join('; ')}`);
});

interface Acted {
  readonly dom_id?: string;
  readonly items?: readonly { readonly id: string }[];
  readonly invitations?: readonly { readonly id: string; readonly email: string }[];
}

test('HEAD returns the status of GET, without a body', async () => {
  const session = { cookie: cookie.split(';', 1)[0] ?? '' };
  for (const path of ['/admin/v1/session', '/admin/v1/projects', '/admin/v1/members', '/admin/v1/projects/:id/keys']) {
    const answers = await Promise.all(['GET', 'HEAD'].map((method) => send(method, path, session)));
    assert.equal(answers[1]?.status, answers[0]?.status, path);
    assert.equal(await answers[1]?.text(), '');
    assert.equal((await send('HEAD', path, {})).status, 401, path);
  }
});

// Checks: threat-csrf
test('the cookie is HttpOnly and SameSite=Strict, and Secure with a separate name on https', async () => {
  assert.match(cookie, /^winnow_session=[\w-]{43};.*HttpOnly; SameSite=Strict$/);
  const secure = await startConsole({ WINNOW_BASE_URL: 'https://winnow.example.com' });
  try {
    assert.match(secure.setupUrl, /^https:\/\/winnow\.example\.com\/console\/welcome#/);
    const body = JSON.stringify({
      token: secure.setupUrl.split('#')[1],
      email: 'admin@example.com',
      password: 'a horse that staples',
    });
    const headers = { 'content-type': 'application/json', origin: 'https://winnow.example.com' };
    const answer = await fetch(`${secure.service.url}/admin/v1/links/accept`, { method: 'POST', headers, body });
    const [session = '', device = ''] = answer.headers.getSetCookie();
    assert.match(session, /^__Host-winnow_session=.*HttpOnly; Secure; SameSite=Strict$/);
    assert.match(device, /^__Host-winnow_device=.*HttpOnly; Secure; SameSite=Strict$/);
  } finally {
    await secure.close();
  }
});

test('every endpoint is in the OpenAPI document', async () => {
  const document = (await (await send('GET', '/openapi.json', {})).json()) as { paths: Record<string, object> };
  for (const { method, path } of OPERATIONS) {
    const documented = document.paths[path.replaceAll(/:(\w+)/g, '{$1}')];
    assert(documented && method.toLowerCase() in documented, `${method} ${path} is not documented`);
  }
});

test('the console has a strict Content-Security-Policy and nothing inline', async () => {
  const answer = await send('GET', '/console/', {});
  const policy = answer.headers.get('content-security-policy') ?? '';
  assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'/);
  assert.doesNotMatch(policy, /unsafe|https?:|\*/);
  assert.equal(answer.headers.get('x-frame-options'), 'DENY');
  const html = await answer.text();
  assert.doesNotMatch(html, /<style|<script(?![^>]*\bsrc=)|\bon\w+=|style="/);
  assert.doesNotMatch(html, /(?:src|href)="(?!\/console\/)/);
});
