import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { callAdmin } from './fill-console.ts';
import { setUp, startConsole } from './start-console.ts';
import type { RunningConsole } from './start-console.ts';

let running: RunningConsole;
let page: Page;
let project: string;

before(async () => {
  running = await startConsole();
  ({ page } = await running.open());
  await setUp(page, running.setupUrl);
  const { items } = await callAdmin<{ items: { id: string }[] }>(page, 'GET', '/projects');
  project = items[0]?.id ?? '';
});
after(() => running.close());

const capture = (options: object) =>
  callAdmin<{ dom_id: string }>(page, 'POST', `/projects/${project}/dump`, {
    url: `${running.site.origin}/news/1`,
    options,
  });

test('the list marks snapshots with a screenshot, and the page of one shows it', async () => {
  await capture({ engine_preference: 'http' });
  const { dom_id: domId } = await capture({ engine_preference: 'chrome', screenshot: 'full_page' });
  await page.goto(`${running.url}p/${project}/snapshots`);
  const mark = page.getByRole('img', { name: 'with a screenshot' });
  await mark.waitFor();
  assert.equal(await mark.count(), 1);
  await page.goto(`${running.url}p/${project}/snapshots/${domId}`);
  await page.getByRole('tab', { name: 'Screenshot' }).click();
  const picture = page.getByRole('img', { name: 'The page as it was captured' });
  await picture.waitFor();
  const path = (await picture.getAttribute('src')) ?? '';
  await page.waitForFunction(() => document.querySelector<HTMLImageElement>('img.screenshot')?.naturalWidth);
  const { status, type } = await page.evaluate(async (url) => {
    const response = await fetch(url);
    return { status: response.status, type: response.headers.get('content-type') };
  }, path);
  assert.deepEqual({ status, type }, { status: 200, type: 'image/webp' });
});

test('a screenshot needs a session', async () => {
  const { dom_id: domId } = await capture({ engine_preference: 'chrome', screenshot: 'viewport' });
  const response = await fetch(`${running.service.url}/admin/v1/projects/${project}/snapshots/${domId}/screenshot`);
  assert.equal(response.status, 401);
});
