import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { callAdmin } from './fill-console.ts';
import { ADMIN, setUp, signIn, startConsole } from './start-console.ts';
import type { RunningConsole } from './start-console.ts';

const HTML = `"><img src=x onerror="document.title='ran'"><script>document.title='ran'</script>&amp;`;

interface ErrorAnswer {
  readonly error: { readonly code: string; readonly message: string };
}

let running: RunningConsole;
let page: Page;
before(async () => {
  running = await startConsole();
  ({ page } = await running.open());
  await setUp(page, running.setupUrl);
});
after(() => running.close());

test('a used, invented or truncated link is refused with a message', async () => {
  const { page: stranger, context } = await running.open();
  for (const link of [running.setupUrl, `${running.url}welcome#${'x'.repeat(43)}`, `${running.url}welcome#x`]) {
    await stranger.goto('about:blank');
    await stranger.goto(link);
    await stranger.getByText('or was not copied whole').waitFor();
  }
  await stranger.goto('about:blank');
  await stranger.goto(`${running.url}welcome`);
  await stranger.getByText('copy the whole link').waitFor();
  await context.close();
});

test("a wrong password is refused, and five lock the account for the client's network", async () => {
  const { page: stranger, context } = await running.open();
  await signIn(stranger, running.url, ADMIN.email, 'wrong');
  await stranger.getByText('the e-mail address or the password is wrong').waitFor();
  const attempt = (password: string): Promise<number> =>
    stranger.evaluate(
      async (body) => {
        const headers = { 'content-type': 'application/json' };
        return (await fetch('/admin/v1/session', { method: 'POST', headers, body })).status;
      },
      JSON.stringify({ email: ADMIN.email, password }),
    );
  const statuses: number[] = [];
  for (let count = 0; count < 5; count += 1) statuses.push(await attempt('wrong'));
  assert.deepEqual(statuses, [401, 401, 401, 401, 429]);
  await signIn(stranger, running.url, ADMIN.email, ADMIN.password);
  await stranger.getByText(/too many failed attempts: locked for 15 min/).waitFor();
  await context.close();
});

// Checks: threat-expensive-reads
test('names of 10 kB and other invalid values are refused with the name of the field', async () => {
  const { items } = await callAdmin<{ items: { id: string }[] }>(page, 'GET', '/projects');
  const base = `/projects/${items[0]?.id ?? ''}`;
  const calls: [string, string, unknown, RegExp][] = [
    ['POST', `${base}/keys`, { name: 'x'.repeat(10_000) }, /name: must have at most 100 characters/],
    ['GET', `${base}/snapshots?url=${'a'.repeat(501)}`, undefined, /url: must have at most 500 characters/],
    ['POST', `${base}/keys`, { name: 'a\nb' }, /name: must not contain control characters/],
    ['POST', '/projects', { name: 'a\u202eb' }, /name: must not contain control characters/],
    [
      'POST',
      '/session/password',
      { current_password: ADMIN.password, new_password: ' '.repeat(12) },
      /new_password: must not consist of blanks only/,
    ],
    ['POST', `${base}/keys`, { name: '   ' }, /name: must not be empty/],
    ['POST', `${base}/keys`, { name: 'a', expires_at: 'tomorrow' }, /expires_at: must be an RFC 3339 time/],
    ['POST', `${base}/keys`, { name: 'a', expires_at: '2001-01-01T00:00:00Z' }, /expires_at: must be in the future/],
    ['POST', `${base}/keys`, { name: 'a', quota_per_minute: 0 }, /quota_per_minute/],
    ['POST', `${base}/keys`, { name: 'a', kind: 'root' }, /kind/],
    ['POST', '/projects', { name: 'x'.repeat(10_000) }, /name: must have at most 100 characters/],
    ['POST', '/projects', { title: 'a' }, /title: unknown field/],
    ['POST', '/invitations', { email: 'not an address', role: 'member' }, /email: must be an e-mail address/],
    ['POST', '/invitations', { email: 'a@b', role: 'member', project_ids: ['prj_x'] }, /project_ids: no such project/],
    ['GET', `${base}/snapshots?status=abc`, undefined, /^status: must be a number$/],
    ['GET', `${base}/snapshots?cursor=nonsense`, undefined, /cursor/],
    ['GET', '/metrics?range=century', undefined, /range/],
  ];
  for (const [method, path, body, message] of calls) {
    const answer = await callAdmin<ErrorAnswer>(page, method, path, body as object | undefined);
    assert.equal(answer.error.code, 'invalid_request', `${method} ${path} ${JSON.stringify(answer)}`);
    assert.match(answer.error.message, message);
  }
  await page.goto(`${running.url}settings/keys`);
  await page.getByRole('button', { name: 'Create a key' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('x'.repeat(10_000));
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByText('name: must have at most 100 characters').waitFor();
});

test('HTML in every text field is shown as text', async () => {
  const name = HTML.slice(0, 100);
  const { project } = await callAdmin<{ project: { id: string } }>(page, 'POST', '/projects', { name });
  await callAdmin(page, 'POST', `/projects/${project.id}/keys`, { name });
  await callAdmin(page, 'POST', '/invitations', {
    email: `"<img/src=x/onerror=document.title='ran'>"@example.com`,
    role: 'member',
  });
  const url = `${running.site.origin}/news/1?q=${HTML}`;
  await callAdmin(page, 'POST', `/projects/${project.id}/dump`, { url, options: { engine_preference: 'http' } });
  for (const path of ['overview', 'playground', 'snapshots', 'templates']) {
    await page.goto(`${running.url}p/${project.id}/${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await assertInert();
  }
  for (const section of ['keys', 'projects', 'members', 'audit']) {
    await page.goto(`${running.url}settings/${section}`);
    await page.locator('main').getByText('<img').first().waitFor();
    await assertInert();
  }
  await page.goto(`${running.url}p/${project.id}/snapshots`);
  await page.getByLabel('URL contains').fill(HTML);
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByText('None fits this search').or(page.getByRole('table')).waitFor();
  await page.goto(`${running.url}p/${project.id}/playground?dom_id=${encodeURIComponent(HTML)}`);
  await page.getByRole('button', { name: 'Extract', exact: true }).click();
  await page.getByText('no such snapshot').first().waitFor();
  await assertInert();
});

async function assertInert(): Promise<void> {
  assert.equal(await page.locator('img[src="x"], img[onerror]').count(), 0);
  assert.notEqual(await page.title(), 'ran');
}

test('unknown addresses show that nothing was found', async () => {
  await page.goto(`${running.url}p/prj_01J00000000000000000000000/overview`);
  await page.getByText('No such project').waitFor();
  await page.goto(`${running.url}nowhere/at/all`);
  await page.getByText('Page not found').waitFor();
  const { items } = await callAdmin<{ items: { id: string }[] }>(page, 'GET', '/projects');
  await page.goto(`${running.url}p/${items[0]?.id ?? ''}/snapshots/dom_x`);
  await page.getByText('no such snapshot').waitFor();
  await page.goto(`${running.url}p/${items[0]?.id ?? ''}/requests?from=yesterday`);
  await page.getByText('from: must be an RFC 3339 time').waitFor();
});
