import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { addTemplate, callAdmin } from '../fill-console.ts';
import { setUp, startConsole } from '../start-console.ts';
import type { RunningConsole } from '../start-console.ts';

/** Folder for pictures of the dialogs, to look at. */
const PICTURES = process.env['WINNOW_TEST_PICTURES'];

let running: RunningConsole;
let page: Page;

before(async () => {
  running = await startConsole();
  ({ page } = await running.open());
  await setUp(page, running.setupUrl);
});
after(() => running.close());

const button = (name: string): Locator => page.getByRole('button', { name, exact: true });

/** Returns the open dialog, after a check that Cancel only closes it. */
async function askTwice(name: string, picture: string): Promise<Locator> {
  const dialog = page.getByRole('dialog');
  await button(name).click();
  await dialog.getByRole('button', { name: 'Cancel', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  await button(name).click();
  await dialog.waitFor();
  if (PICTURES !== undefined) await page.screenshot({ path: `${PICTURES}/${picture}.png` });
  return dialog;
}

/** The message with a text, in the corner of the window. */
function toast(text: string): Locator {
  return page.locator('.toast').filter({ hasText: text });
}

async function callWith(key: string): Promise<{ status: number; message: string }> {
  const response = await fetch(`${running.service.url}/v1/extract`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: '{}',
  });
  const { error } = (await response.json()) as { error: { message: string } };
  return { status: response.status, message: error.message };
}

test('an assistant that asks for access is shown to its user, who is sent back with a code, or without one', async () => {
  const redirect = `${running.service.url}/healthz`;
  const answer = await fetch(`${running.service.url}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: 'Harbour pilot', redirect_uris: [redirect] }),
  });
  const { client_id } = (await answer.json()) as { client_id: string };
  const query = new URLSearchParams({
    client_id,
    redirect_uri: redirect,
    response_type: 'code',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
    state: 'tide',
  });
  for (const [choice, found] of [
    ['Deny', 'error'],
    ['Allow', 'code'],
  ] as const) {
    await page.goto(`${running.service.url}/oauth/authorize?${query}`);
    await page.getByRole('heading', { name: 'Let an assistant in?' }).waitFor();
    await page.getByText('Harbour pilot').waitFor();
    if (PICTURES !== undefined) await page.screenshot({ path: `${PICTURES}/authorize.png` });
    await button(choice).click();
    await page.waitForURL(`${redirect}?*`);
    const sent = new URL(page.url()).searchParams;
    assert.deepEqual([sent.get('state'), sent.has(found)], ['tide', true]);
  }
  // An application may name any host in its address.
  query.set('redirect_uri', 'com.example.app://claude.ai/callback');
  query.set('client_name', `Pilot ${'a'.repeat(200)}`);
  await page.goto(`${running.url}authorize?${query}`);
  await page.getByText('the application of com.example.app:').waitFor();
  assert.equal((await page.getByText(/^Pilot a+$/).textContent())?.length, 100);
});

test('archiving a project asks, names what follows, and can be undone; its keys say that it is archived', async () => {
  const { project } = await callAdmin<{ project: { id: string } }>(page, 'POST', '/projects', { name: 'Harbour' });
  const { secret } = await callAdmin<{ secret: string }>(page, 'POST', `/projects/${project.id}/keys`, {
    name: 'crawler',
    kind: 'key_only',
  });
  await page.goto(`${running.url}settings/projects`);
  const dialog = await askTwice('Archive Harbour', 'archive');
  await dialog.getByRole('heading', { name: 'Archive Harbour?' }).waitFor();
  await dialog.getByText(/Its keys are refused from now on, and its batches wait/).waitFor();
  assert.equal((await callWith(secret)).status, 400, 'nothing has happened yet');
  await dialog.getByRole('button', { name: 'Archive', exact: true }).click();
  await button('Bring back Harbour').waitFor();
  await dialog.waitFor({ state: 'detached' });
  assert.deepEqual(await callWith(secret), {
    status: 401,
    message: 'the project of this API key is archived; an administrator can bring it back in the console',
  });
  await button('Bring back Harbour').click();
  await button('Archive Harbour').waitFor();
  assert.equal((await callWith(secret)).status, 400, 'the key works again');

  await button('Archive Harbour').click();
  await dialog.getByRole('button', { name: 'Archive', exact: true }).click();
  await toast('Harbour is archived').getByRole('button', { name: 'Undo' }).click();
  await toast('Harbour is back').last().waitFor();
  await button('Archive Harbour').waitFor();
  assert.equal((await callWith(secret)).status, 400, 'the key works again after Undo');
});

test('an administrator can tell a project not to learn from its pages', async () => {
  const { project } = await callAdmin<{ project: { id: string } }>(page, 'POST', '/projects', { name: 'Quiet bay' });
  await page.goto(`${running.url}settings/projects`);
  const box = page.getByRole('checkbox', { name: 'Quiet bay learns from traffic' });
  await box.click();
  await page.getByRole('checkbox', { name: 'Quiet bay learns from traffic', checked: false }).waitFor();
  await page.reload();
  await box.waitFor();
  assert.equal(await box.isChecked(), false);
  const { items } = await callAdmin<{ items: { id: string; learns: boolean }[] }>(page, 'GET', '/projects');
  assert.deepEqual(
    items.filter(({ learns }) => !learns).map(({ id }) => id),
    [project.id],
  );
});

test('retiring a template asks, names what follows, and can be undone; so does going back a version', async () => {
  const name = await addTemplate(page);
  const { items } = await callAdmin<{ items: { id: string }[] }>(page, 'GET', '/projects');
  await page.goto(`${running.url}p/${items[0]?.id ?? ''}/templates/${name}`);
  const dialog = await askTwice('Retire', 'retire');
  await dialog.getByText(/^Pages of 127\.0\.0\.1 that it served are answered by another template/).waitFor();
  await dialog.getByRole('button', { name: 'Retire', exact: true }).click();
  await button('Restore').click();
  await button('Retire').waitFor();
  assert.equal(await stateOf(name), 'active');
  await button('Retire').click();
  await dialog.getByRole('button', { name: 'Retire', exact: true }).click();
  await button('Restore').waitFor();
  await toast('Version 1 is retired').last().getByRole('button', { name: 'Undo' }).click();
  await button('Retire').waitFor();
  assert.equal(await stateOf(name), 'active');

  const { document } = await callAdmin<{ document: object }>(page, 'GET', `/templates/${name}`);
  const second = await callAdmin<{ template: { name: string } }>(page, 'POST', '/templates', document);
  await callAdmin(page, 'POST', `/templates/${second.template.name}/activate`);
  await page.goto(`${running.url}p/${items[0]?.id ?? ''}/templates/${second.template.name}`);
  const back = await askTwice('Roll back', 'roll-back');
  await back.getByText(/^Version 2 is retired, and the version before it serves/).waitFor();
  await back.getByRole('button', { name: 'Roll back', exact: true }).click();
  await button('Restore').waitFor();
  assert.equal(await stateOf(name), 'active');
});

async function stateOf(name: string): Promise<string> {
  return (await callAdmin<{ template: { state: string } }>(page, 'GET', `/templates/${name}`)).template.state;
}

test('withdrawing the link of an invitation asks', async () => {
  await callAdmin(page, 'POST', '/invitations', { email: 'ines@example.com', role: 'member', project_ids: [] });
  await page.goto(`${running.url}settings/members`);
  const dialog = await askTwice('Withdraw the link for ines@example.com', 'withdraw');
  await dialog.getByText(/The link stops working/).waitFor();
  await dialog.getByRole('button', { name: 'Withdraw', exact: true }).click();
  await page.getByText('ines@example.com').first().waitFor({ state: 'detached' });
  await toast('The link is withdrawn').waitFor();
});

test('going back from work that is not saved asks, and keeps it until that is confirmed', async () => {
  const { items } = await callAdmin<{ items: { id: string }[] }>(page, 'GET', '/projects');
  await page.goto(`${running.url}p/${items[0]?.id ?? ''}/overview`);
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Templates' }).click();
  await button('Import').click();
  await page.getByLabel('Template as JSON').fill('{"format": 1');
  // A click beside the dialog does not close it.
  await page.mouse.click(5, 5);
  const question = page.getByRole('dialog', { name: 'Leave without saving?' });
  await page.evaluate(() => history.back());
  await question.getByRole('button', { name: 'Cancel' }).click();
  await question.waitFor({ state: 'detached' });
  assert.equal(await page.getByLabel('Template as JSON').inputValue(), '{"format": 1');
  await page.evaluate(() => history.back());
  await question.getByRole('button', { name: 'Leave', exact: true }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.evaluate(() => history.forward());
  await page.getByRole('heading', { name: 'Templates', exact: true }).waitFor();
});
