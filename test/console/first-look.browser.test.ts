/** What each page of the console shows first, without a click. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { BrowserContext } from 'playwright-core';
import { callAdmin, fillConsole } from './fill-console.ts';
import type { Filled } from './fill-console.ts';
import { setUp, startConsole } from './start-console.ts';
import type { RunningConsole } from './start-console.ts';

let running: RunningConsole;
let filled: Filled;
let state: Awaited<ReturnType<BrowserContext['storageState']>>;
before(async () => {
  running = await startConsole();
  const { page, context } = await running.open();
  await setUp(page, running.setupUrl);
  filled = await fillConsole(page, running);
  state = await context.storageState();
  await context.close();
});
after(() => running.close());

test('a project without requests shows the first steps', async () => {
  const { page, context } = await running.open({ storageState: state });
  await page.goto(running.url);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  type Created = { project: { id: string } };
  const { project } = await callAdmin<Created>(page, 'POST', '/projects', { name: 'Fresh' });
  await page.goto(`${running.url}p/${project.id}/overview`);
  const curl = page.getByRole('group', { name: 'first request' });
  assert.match((await curl.textContent()) ?? '', new RegExp(`curl .*${project.id}`, 's'));
  await page.getByRole('link', { name: 'Create an API key' }).waitFor();
  await page.getByRole('link', { name: 'Try a page in the playground' }).click();
  await page.getByRole('heading', { name: 'Playground' }).waitFor();
  await context.close();
});

test('a template opens on a snapshot that it matches, even if newer pages of the site differ', async () => {
  const { page, context } = await running.open({ storageState: state });
  await page.goto(running.url);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  const url = `${running.site.origin}/`;
  await callAdmin(page, 'POST', `/projects/${filled.projectId}/dump`, { url, options: { engine_preference: 'http' } });
  await page.goto(`${running.url}p/${filled.projectId}/templates/${filled.template}`);
  await page.frameLocator('iframe').locator('[data-mark~="title"]').waitFor();
  const shown = page.getByLabel('Shown on').locator('option:checked');
  assert.match((await shown.textContent()) ?? '', /news\/\d/);
  await context.close();
});

test('a site with notes of its pages is listed, and so is its evidence where an answer names it', async () => {
  const { page, context } = await running.open({ storageState: state });
  await page.goto(`${running.url}p/${filled.projectId}/templates`);
  const site = page.getByRole('group', { name: 'Sites with evidence' }).getByRole('row').nth(1);
  await site.getByText(`${new URL(running.site.origin).host}/news/{number}`).waitFor();
  assert.equal(await site.getByRole('cell').nth(1).textContent(), '4');
  const name = (await site.locator('.mono').textContent()) ?? '';
  assert.match(name, /^tpl_[0-9A-Z]{26}:v\d+$/);
  await page.goto(`${running.url}p/${filled.projectId}/templates/${name}`);
  await site.getByText(name).waitFor();
  await page.goto(`${running.url}p/${filled.projectId}/templates/${name.replace(/.:v/, '!:v')}`);
  await page.getByText(/there is no template tpl_/).waitFor();
  await context.close();
});

test('snapshots are listed by their titles', async () => {
  const { page, context } = await running.open({ storageState: state });
  await page.goto(`${running.url}p/${filled.projectId}/snapshots`);
  const row = page.getByRole('row').filter({ hasText: '/news/2' }).first();
  await row.getByRole('link', { name: 'Library trades late fees for reading hours – The Valley Paper' }).waitFor();
  await context.close();
});

test('the list of keys shows the kind of each', async () => {
  const { page, context } = await running.open({ storageState: state });
  await page.goto(`${running.url}p/${filled.projectId}/overview`);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.goto(`${running.url}settings/keys`);
  await page.getByRole('row').filter({ hasText: 'Partner' }).getByText('Standalone key').waitFor();
  await page.getByRole('row').filter({ hasText: 'Nightly import' }).getByText('Project key').waitFor();
  await context.close();
});

test('on a phone the chosen tab of an answer is in view', async () => {
  const { page, context } = await running.open({ storageState: state, viewport: { width: 320, height: 700 } });
  await page.goto(
    `${running.url}p/${filled.projectId}/playground?url=${encodeURIComponent(`${running.site.origin}/news/1`)}`,
  );
  await page.getByRole('button', { name: 'Extract', exact: true }).click();
  await page.getByRole('tab', { name: 'Page' }).focus();
  // The arrow keys move along the tabs, as dragging does.
  for (let count = 0; count < 4; count += 1) await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  const list = await page.getByRole('tablist', { name: 'Answer' }).boundingBox();
  const tab = await page.getByRole('tab', { selected: true }).last().boundingBox();
  assert.ok(list !== null && tab !== null);
  assert.ok(tab.x >= list.x - 1 && tab.x + tab.width <= list.x + list.width + 1, JSON.stringify({ list, tab }));
  await context.close();
});
