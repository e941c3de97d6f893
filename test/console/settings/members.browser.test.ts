import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { callAdmin } from '../fill-console.ts';
import { ADMIN, setUp, signIn, startConsole } from '../start-console.ts';
import type { RunningConsole } from '../start-console.ts';

const MEMBER = { email: 'ines@example.com', password: 'long walks at night' } as const;

interface ErrorAnswer {
  readonly error?: { readonly code: string };
}

let running: RunningConsole;
let admin: Page;
let own: string;
let foreign: string;

before(async () => {
  running = await startConsole();
  ({ page: admin } = await running.open());
  await setUp(admin, running.setupUrl);
  own = await createProject('Own');
  foreign = await createProject('Foreign');
});
after(() => running.close());

async function createProject(name: string): Promise<string> {
  return (await callAdmin<{ project: { id: string } }>(admin, 'POST', '/projects', { name })).project.id;
}

/** Opens a window in which the member is signed in. */
async function openMember(): Promise<{ page: Page; context: BrowserContext }> {
  const window = await running.open();
  await signIn(window.page, running.url, MEMBER.email, MEMBER.password);
  await window.page.getByRole('heading', { name: 'Overview' }).waitFor();
  return window;
}

test('an administrator invites a member, who joins by the link and sees only their own project', async () => {
  await admin.goto(`${running.url}settings/members`);
  await admin.getByRole('button', { name: 'Invite' }).click();
  await admin.getByLabel('E-mail').fill(MEMBER.email);
  await admin.getByLabel('Own', { exact: true }).check();
  await admin.getByRole('button', { name: 'Create the link' }).click();
  const link = (await admin.locator('.secret').textContent())?.match(/http\S+#[\w-]{43}/)?.[0] ?? '';

  const { page, context } = await running.open();
  await page.goto(link);
  await page.getByRole('heading', { name: 'Join this console' }).waitFor();
  await page.getByLabel('Password').fill(MEMBER.password);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  const options = await page.getByLabel('Project', { exact: true }).locator('option').allTextContents();
  assert.deepEqual(options, ['Own']);
  await page.getByRole('link', { name: 'Settings', exact: true }).click();
  for (const name of ['Members', 'Service health']) assert.equal(await page.getByRole('tab', { name }).count(), 0);
  await context.close();
});

test('an invitation without a project is questioned, and its member is told whom to ask', async () => {
  await admin.goto(`${running.url}settings/members`);
  await admin.getByRole('button', { name: 'Invite' }).click();
  await admin.getByText('Without a project, a member sees nothing but their account.').waitFor();
  await admin.getByLabel('Own', { exact: true }).check();
  await admin.getByText('Without a project, a member sees nothing').waitFor({ state: 'detached' });
  await admin.getByLabel('Own', { exact: true }).uncheck();
  await admin.getByLabel('E-mail').fill('lone@example.com');
  await admin.getByRole('button', { name: 'Create the link' }).click();
  const link = (await admin.locator('.secret').textContent())?.match(/http\S+#[\w-]{43}/)?.[0] ?? '';
  const { page, context } = await running.open();
  await page.goto(link);
  await page.getByLabel('Password').fill('long walks at night');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('You are not a member of a project yet').waitFor();
  await page.getByText(/Ask an administrator of this service to add lone@example\.com to one/).waitFor();
  await context.close();
});

// Checks: threat-member-rights
test('a foreign project looks absent, in the address and in every call', async () => {
  const { page, context } = await openMember();
  await page.goto(`${running.url}p/${foreign}/snapshots`);
  await page.getByText('No such project').waitFor();
  const calls: [string, string, object?][] = [
    ['GET', `/projects/${foreign}/keys`],
    ['POST', `/projects/${foreign}/keys`, { name: 'mine' }],
    ['GET', `/projects/${foreign}/snapshots`],
    ['GET', `/projects/${foreign}/requests`],
    ['GET', `/projects/${foreign}/requests/log_1`],
    ['GET', `/projects/${foreign}/batches`],
    ['GET', `/projects/${foreign}/batches/bat_1`],
    ['GET', `/projects/${foreign}/batches/bat_1/items`],
    ['GET', `/projects/${foreign}/batches/bat_1/results.ndjson`],
    ['GET', `/projects/${foreign}/batches/bat_1/items/0`],
    ['POST', `/projects/${foreign}/batches`, { urls: [`${running.site.origin}/news/1`] }],
    ['POST', `/projects/${foreign}/crawls`, { url: `${running.site.origin}/news/1` }],
    ['POST', `/projects/${foreign}/batches/bat_1/retry`],
    ['POST', `/projects/${foreign}/batches/bat_1/cancel`],
    ['DELETE', `/projects/${foreign}/batches/bat_1`],
    ['GET', `/projects/${foreign}/snapshots/dom_1/html`],
    ['POST', `/projects/${foreign}/extract`, { extract: { url: `${running.site.origin}/news/1` } }],
    ['POST', `/projects/${foreign}/dump`, { url: `${running.site.origin}/news/1` }],
    ['GET', `/projects/${foreign}/alert`],
    ['PUT', `/projects/${foreign}/alert`, { url: `${running.site.origin}/hook` }],
    ['POST', `/projects/${foreign}/alert/test`],
    ['DELETE', `/projects/${foreign}/alert`],
    ['GET', `/metrics?project_id=${foreign}`],
  ];
  for (const [method, path, body] of calls) {
    const answer = await callAdmin<ErrorAnswer>(page, method, path, body);
    assert.equal(answer.error?.code, 'not_found', `${method} ${path}`);
  }
  await context.close();
});

test("a member's own project gives no access to snapshots of another", async () => {
  const dumped = await callAdmin<{ dom_id: string }>(admin, 'POST', `/projects/${foreign}/dump`, {
    url: `${running.site.origin}/news/1`,
    options: { engine_preference: 'http' },
  });
  const { page, context } = await openMember();
  for (const path of ['', '/html', '/page']) {
    const answer = await callAdmin<ErrorAnswer>(page, 'GET', `/projects/${own}/snapshots/${dumped.dom_id}${path}`);
    assert.equal(answer.error?.code, 'dom_not_found', path);
  }
  const extract = { extract: { dom_id: dumped.dom_id } };
  const answer = await callAdmin<ErrorAnswer>(page, 'POST', `/projects/${own}/extract`, extract);
  assert.equal(answer.error?.code, 'dom_not_found');
  await context.close();
});

// Checks: threat-member-rights
test("members cannot use the administrators' functions", async () => {
  const { page, context } = await openMember();
  const calls: [string, string, object?][] = [
    ['GET', '/members'],
    ['GET', '/health'],
    ['GET', '/audit'],
    ['POST', '/projects', { name: 'Mine' }],
    ['PATCH', `/projects/${own}`, { archived: true }],
    ['POST', '/invitations', { email: 'x@example.com', role: 'admin' }],
    ['POST', `/projects/${own}/keys`, { name: 'alone', kind: 'key_only' }],
  ];
  for (const [method, path, body] of calls) {
    const answer = await callAdmin<ErrorAnswer>(page, method, path, body);
    assert.equal(answer.error?.code, 'forbidden', `${method} ${path}`);
  }
  await context.close();
});

test('sign-out everywhere ends every window; a disabled member is out at once', async () => {
  const [first, second] = [await openMember(), await openMember()];
  await first.page.getByRole('button', { name: 'Account' }).click();
  await first.page.getByRole('menuitem', { name: 'Sign out everywhere' }).click();
  await first.page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await second.page.getByRole('link', { name: 'Snapshots' }).click();
  await second.page.getByRole('heading', { name: 'Sign in' }).waitFor();

  const third = await openMember();
  await admin.goto(`${running.url}settings/members`);
  await admin.getByRole('button', { name: `Edit ${MEMBER.email}` }).click();
  await admin.getByLabel('Disabled: cannot sign in').check();
  await admin.getByRole('button', { name: 'Save' }).click();
  await admin.getByText('disabled', { exact: true }).waitFor();
  await third.page.getByRole('link', { name: 'Snapshots' }).click();
  await third.page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await signIn(third.page, running.url, MEMBER.email, MEMBER.password);
  await third.page.getByText('the e-mail address or the password is wrong').waitFor();
  for (const { context } of [first, second, third]) await context.close();
});

test('keys are refused within a second of being revoked, expiring, or their project being archived', async () => {
  const create = async (body: object) =>
    callAdmin<{ secret: string; key: { id: string } }>(admin, 'POST', `/projects/${own}/keys`, body);
  const call = async (secret: string): Promise<number> => {
    // With an empty body an accepted key gets 400, and nothing is fetched.
    const headers = { 'Content-Type': 'application/json', 'X-API-Key': secret, 'X-Project-Id': own };
    return (await fetch(`${running.service.url}/v1/extract`, { method: 'POST', headers, body: '{}' })).status;
  };
  const refusedAfter = async (secret: string, since: number): Promise<void> => {
    for (;;) {
      // A busy machine may answer an earlier call late.
      const begunAfterMs = performance.now() - since;
      if ((await call(secret)) === 401) return;
      assert(begunAfterMs < 1000, 'the key still works');
    }
  };
  const [revoked, archived] = [await create({ name: 'revoked' }), await create({ name: 'archived' })];
  const expiry = Date.now() + 2500;
  const expiring = await create({ name: 'expiring', expires_at: new Date(expiry).toISOString() });
  for (const { secret } of [revoked, archived]) assert.equal(await call(secret), 400);
  const status = await call(expiring.secret);
  assert.ok(status === 400 || Date.now() >= expiry, 'refused before its time');

  await callAdmin(admin, 'DELETE', `/projects/${own}/keys/${revoked.key.id}`);
  await refusedAfter(revoked.secret, performance.now());
  await callAdmin(admin, 'PATCH', `/projects/${own}`, { archived: true });
  await refusedAfter(archived.secret, performance.now());
  await callAdmin(admin, 'PATCH', `/projects/${own}`, { archived: false });
  assert.equal(await call(archived.secret), 400);

  await new Promise((resolve) => setTimeout(resolve, Math.max(0, expiry - Date.now())));
  await refusedAfter(expiring.secret, performance.now());
});

// Checks: threat-unattributed-change
test('the actions are in the audit log', async () => {
  await admin.goto(`${running.url}settings/audit`);
  for (const action of ['project.create', 'member.invite', 'key.create', 'key.revoke', 'member.update']) {
    await admin.getByRole('cell', { name: action }).first().waitFor();
  }
  await admin.getByRole('cell', { name: ADMIN.email }).first().waitFor();
});
