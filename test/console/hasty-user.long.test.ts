import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { callAdmin, TEMPLATE } from './fill-console.ts';
import { ADMIN, openSecondArticle, setUp, signIn, startConsole } from './start-console.ts';
import type { RunningConsole } from './start-console.ts';

const OTHER = { email: 'otto@example.com', password: 'tea with two lemons' } as const;

let running: RunningConsole;
let first: string;
let second: string;
let session: Awaited<ReturnType<BrowserContext['storageState']>>;

before(async () => {
  running = await startConsole();
  const { page, context } = await running.open();
  await setUp(page, running.setupUrl);
  second = (await callAdmin<{ project: { id: string } }>(page, 'POST', '/projects', { name: 'Second' })).project.id;
  first = (await callAdmin<{ items: { id: string }[] }>(page, 'GET', '/projects')).items[0]?.id ?? '';
  for (const path of ['/news/1', '/news/2']) {
    await callAdmin(page, 'POST', `/projects/${first}/extract`, { extract: { url: `${running.site.origin}${path}` } });
  }
  await inviteOther(page);
  session = await context.storageState();
  await context.close();
});
after(() => running.close());

async function inviteOther(page: Page): Promise<void> {
  const { url } = await callAdmin<{ url: string }>(page, 'POST', '/invitations', { email: OTHER.email, role: 'admin' });
  await callAdmin(page, 'POST', '/links/accept', { token: url.split('#')[1], password: OTHER.password });
}

/** Opens a page of the console in a window of the administrator's shared session. */
async function enter(path: string): Promise<Page> {
  const { page } = await running.open({ storageState: session });
  await page.goto(`${running.url}${path}`);
  return page;
}

/** Opens a page of the console in a window with a separate session, which the test may end. */
async function enterWithOwnSession(path: string): Promise<Page> {
  const { page } = await running.open();
  await signIn(page, `${running.url}${path}`, ADMIN.email, ADMIN.password);
  await page.getByRole('heading', { level: 1 }).and(page.getByText('Sign in')).waitFor({ state: 'detached' });
  return page;
}

/** Signs out and in again, in another window of the same browser. */
async function signInElsewhere(page: Page, { email, password }: typeof ADMIN | typeof OTHER): Promise<void> {
  const other = await page.context().newPage();
  await other.goto(running.url);
  await choose(other, 'Sign out');
  await signIn(other, running.url, email, password);
  await other.getByRole('heading', { name: 'Overview' }).waitFor();
  await other.close();
}

async function choose(page: Page, item: string): Promise<void> {
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('menuitem', { name: item, exact: true }).click();
}

async function createKey(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Create a key' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill(name);
  await page.getByRole('button', { name: 'Create', exact: true }).click();
}

test('a window continues with the session that the same person started in another window', async () => {
  const page = await enterWithOwnSession('settings/keys');
  await page.getByRole('button', { name: 'Create a key' }).waitFor();
  await signInElsewhere(page, ADMIN);
  await createKey(page, 'Later session');
  await page.getByText('This is the only time that the key is shown.').waitFor();
  await page.getByRole('button', { name: 'Done' }).click();
  await choose(page, 'Sign out');
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  assert.equal(await page.evaluate(async () => (await fetch('/admin/v1/session')).status), 401);
  await page.context().close();
});

test("a window never acts in another person's session, and names the person who is signed in now", async () => {
  const page = await enterWithOwnSession('settings/keys');
  await page.getByRole('button', { name: 'Create a key' }).waitFor();
  await signInElsewhere(page, OTHER);
  await createKey(page, 'Of nobody');
  await page.getByRole('dialog', { name: 'Create a key' }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByText(OTHER.email).waitFor();
  assert.equal(await page.getByText('Of nobody').count(), 0);
  await page.context().close();
});

test('a failed sign-out is reported', async () => {
  const page = await enterWithOwnSession('settings/account');
  await page.route('**/admin/v1/session*', (route) =>
    route.request().method() === 'DELETE' ? route.abort() : route.continue(),
  );
  await choose(page, 'Sign out');
  await page.getByRole('alert').getByText('cannot reach').waitFor();
  await page.getByText(ADMIN.email).waitFor();
  await page.getByRole('tabpanel').getByRole('button', { name: 'Sign out everywhere' }).click();
  await page.getByRole('tabpanel').getByRole('alert').getByText('cannot reach').waitFor();
  await page.context().close();
});

test('the form of the playground survives the end of the session and a new sign-in', async () => {
  const page = await enter(`p/${first}/playground`);
  await page.getByLabel('Page URL').fill(`${running.site.origin}/news/2`);
  await page.getByLabel('Markdown').check();
  await page.context().clearCookies();
  await page.getByRole('button', { name: 'Extract', exact: true }).click();
  await page.getByLabel('E-mail').fill(ADMIN.email);
  await page.getByLabel('Password').fill(ADMIN.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  assert.equal(await page.getByLabel('Page URL').inputValue(), `${running.site.origin}/news/2`);
  assert.equal(await page.getByLabel('Markdown').isChecked(), true);
  await page.context().close();
});

test('a browser without a network says so, and continues while the service is reachable', async () => {
  const page = await enter('settings/keys');
  await page.getByRole('button', { name: 'Create a key' }).waitFor();
  await page.context().setOffline(true);
  await createKey(page, 'Without a network');
  await page.getByRole('dialog').getByRole('alert').getByText('cannot reach').waitFor();
  await page.context().setOffline(false);
  // As on the machine of the service: the network is gone, the service is reachable.
  await page.evaluate(() => window.dispatchEvent(new Event('offline')));
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByText('This is the only time that the key is shown.').waitFor();
  await page.context().close();
});

test('a slow request of the console can be repeated, and loaded data stays', async () => {
  const page = await enter('settings/keys');
  await page.getByRole('button', { name: 'Create a key' }).waitFor();
  await page.route('**/admin/v1/projects', (route) => route.abort());
  const refused = page.waitForEvent('requestfailed');
  await page.getByRole('tab', { name: 'Projects' }).click();
  await refused;
  await page.getByRole('cell', { name: 'Second', exact: true }).waitFor();
  assert.equal(await page.getByRole('alert').count(), 0);

  await page.reload();
  await page.getByRole('alert').getByText('cannot reach').waitFor();
  await page.unroute('**/admin/v1/projects');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { name: 'Settings' }).waitFor();
  await page.context().close();
});

test('a change of project keeps the form of the playground, but not the answer', async () => {
  const page = await enter(`p/${first}/playground`);
  await page.getByLabel('Page URL').fill(`${running.site.origin}/news/1`);
  await page.getByRole('button', { name: 'Extract', exact: true }).click();
  await page.getByRole('article', { name: 'Extracted page' }).waitFor();
  await page.getByLabel('Project', { exact: true }).selectOption(second);
  await page.getByText('project “Second”').waitFor();
  assert.equal(await page.getByRole('article', { name: 'Extracted page' }).count(), 0);
  assert.equal(await page.getByLabel('Page URL').inputValue(), `${running.site.origin}/news/1`);
  await page.context().close();
});

test('a change of project clears the selected snapshots and the figures', async () => {
  const page = await enter(`p/${first}/snapshots`);
  const boxes = page.getByLabel(/^Compare dom_/);
  await boxes.nth(0).check();
  await boxes.nth(1).check();
  await page.getByRole('link', { name: 'Compare the two' }).waitFor();
  await page.getByLabel('Project', { exact: true }).selectOption(second);
  await page.getByText('They appear with the first capture').waitFor();
  assert.equal(await page.getByRole('link', { name: 'Compare the two' }).count(), 0);

  await page.goto(`${running.url}p/${first}/overview`);
  await page.getByRole('heading', { name: 'Errors by code and stage' }).waitFor();
  await page.route('**/admin/v1/metrics*', () => undefined);
  await page.getByLabel('Project', { exact: true }).selectOption(second);
  await page.getByText('Loading the figures').waitFor();
  await page.context().close();
});

test('the back link of a snapshot leads to the search results', async () => {
  const page = await enter(`p/${first}/snapshots`);
  await openSecondArticle(page, '/news/2');
  await page.getByRole('heading', { name: /^Snapshot of/ }).waitFor();
  await page.goBack();
  await page
    .getByRole('link', { name: /Library trades/ })
    .first()
    .waitFor();
  assert.equal(await page.getByRole('link', { name: /Harbour opens/ }).count(), 0);
  assert.equal(await page.getByLabel('URL contains').inputValue(), '/news/2');
  await page.goBack();
  await page
    .getByRole('link', { name: /Harbour opens/ })
    .first()
    .waitFor();
  assert.equal(await page.getByLabel('URL contains').inputValue(), '');
  await page.context().close();
});

test('a host is found when written with ideographic full stops', async () => {
  const page = await enter(`p/${first}/snapshots`);
  await page.getByLabel('Host').fill('127。0。0。1');
  await page.getByRole('button', { name: 'Search' }).click();
  await page.waitForURL(/host=/);
  await page
    .getByRole('link', { name: /Harbour opens/ })
    .first()
    .waitFor();
  await page.context().close();
});

test('a page is drawn even if a selector matches more nodes than can be outlined', async () => {
  const page = await enter('settings/keys');
  await callAdmin(page, 'POST', `/projects/${first}/extract`, { extract: { url: `${running.site.origin}/archive` } });
  const content = { ...TEMPLATE.content, exclude: [{ css: 'li', all: true }] };
  const { template } = await callAdmin<{ template: { name: string } }>(page, 'POST', '/templates', {
    ...TEMPLATE,
    content,
  });
  await page.goto(`${running.url}p/${first}/templates/${template.name}`);
  const shown = page.getByLabel('Shown on');
  const archive = shown.locator('option').filter({ hasText: '/archive' }).first();
  await shown.selectOption(await archive.getAttribute('value'));
  await page.getByRole('radio', { name: /left out.*5000 hits/ }).check();
  const frame = page.frameLocator('iframe');
  await frame.getByRole('heading', { name: 'Archive' }).waitFor();
  await frame.locator('li[data-mark]').first().waitFor();
  await page.context().close();
});

test('a new one-time link works in the window of the old one', async () => {
  const page = await enter('settings/members');
  const { url } = await callAdmin<{ url: string }>(page, 'POST', '/invitations', {
    email: 'third@example.com',
    role: 'member',
  });
  await page.goto(`${running.url}welcome#used-up`);
  await page.getByText('This link does not work').waitFor();
  await page.goto(url);
  await page.getByRole('heading', { name: 'Join this console' }).waitFor();
  await page.context().close();
});

test('a failed copy is not reported as copied', async () => {
  const page = await enter('settings/keys');
  await page.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new DOMException('refused', 'NotAllowedError'));
    document.execCommand = () => false;
  });
  await page.getByRole('button', { name: 'Copy project id' }).click();
  await page.getByText('Not copied').waitFor();
  await page.context().close();
});

test('a double click on Create makes one project', async () => {
  const page = await enter('settings/projects');
  await page.getByRole('button', { name: 'Create a project' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Twice');
  await page.getByRole('button', { name: 'Create', exact: true }).dblclick();
  await page.getByRole('dialog', { name: 'Create a project' }).waitFor({ state: 'detached' });
  const { items } = await callAdmin<{ items: { name: string }[] }>(page, 'GET', '/projects');
  assert.equal(items.filter(({ name }) => name === 'Twice').length, 1);
  await page.context().close();
});

test('a page whose scripts cannot be loaded says so, and other pages still open', async () => {
  const page = await enter('settings/keys');
  await page.getByRole('button', { name: 'Create a key' }).waitFor();
  // As after an upgrade: this window's script files are gone.
  await page.route('**/console/assets/**', (route) => route.fulfill({ status: 404 }));
  await page.getByRole('link', { name: 'Snapshots', exact: true }).click();
  await page.getByRole('alert').waitFor();
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('button', { name: 'Create a key' }).waitFor();
  await page.goBack();
  await page.unroute('**/console/assets/**');
  await page.getByRole('button', { name: 'Reload' }).click();
  await page.getByRole('heading', { name: 'Snapshots' }).waitFor();
  await page.context().close();
});
