import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import type { BatchLine } from '@winnow/contract';
import type { Page } from 'playwright-core';
import { callAdmin, fillConsole, waitFor } from './fill-console.ts';
import type { Filled } from './fill-console.ts';
import { setUp, startConsole } from './start-console.ts';
import type { RunningConsole } from './start-console.ts';

let running: RunningConsole;
let page: Page;
let filled: Filled;
/** A project with a batch of four pages, one of them doubtful, and twenty that fail. */
let watched: string;
before(async () => {
  running = await startConsole();
  ({ page } = await running.open());
  await setUp(page, running.setupUrl);
  filled = await fillConsole(page, running);
  const { project } = await callAdmin<{ project: { id: string } }>(page, 'POST', '/projects', { name: 'Watched' });
  watched = project.id;
  const failing = Array.from({ length: 20 }, (_, index) => `/gone?${index}`);
  const urls = ['/news/1', '/news/2', '/news/3', '/members', ...failing].map((path) => running.site.origin + path);
  await callAdmin(page, 'POST', `/projects/${watched}/batches`, { urls, respect_robots: false });
});
after(() => running.close());

test('a batch is opened from the list, its failures are shown alone, and its results are downloaded', async () => {
  await page.goto(`${running.url}p/${filled.projectId}/batches`);
  await page.getByRole('link', { name: filled.batchId }).click();
  await page.getByText('4 of 5 succeeded, 1 failed').waitFor();
  const results = page.getByRole('group', { name: 'Results' });
  await results.getByRole('row').nth(5).waitFor();
  assert.equal(await results.getByRole('row').count(), 6);
  await page.getByRole('radiogroup', { name: 'Outcome' }).getByText('Failed').click();
  await results.getByText('http_status_not_ok').waitFor();
  await results.getByText('succeeded').first().waitFor({ state: 'detached' });
  assert.equal(await results.getByRole('row').count(), 2);

  const coming = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download results' }).click();
  const download = await coming;
  assert.equal(download.suggestedFilename(), `${filled.batchId}.ndjson`);
  const text = await readFile(await download.path(), 'utf8');
  const lines = text.trimEnd().split('\n');
  const items = lines.map((line) => JSON.parse(line) as BatchLine);
  assert.deepEqual(
    items.map(({ index, error }) => [index, error?.code]),
    [0, 1, 2, 3, 4].map((index) => [index, index === 2 ? 'http_status_not_ok' : undefined]),
  );
});

test('a running batch is cancelled and then deleted, and the audit log records both', async () => {
  const { secrets, projectId } = running.service.firstStart ?? assert.fail('no first start');
  const urls = Array.from({ length: 3000 }, (_, index) => `${running.site.origin}/news/1?${index}`);
  const created = await fetch(`${running.service.url}/v1/batches`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': secrets.key_only },
    body: JSON.stringify({ urls }),
  });
  const { batch } = (await created.json()) as { batch: { id: string } };
  await page.goto(`${running.url}p/${projectId}/batches/${batch.id}`);
  await page.getByRole('button', { name: 'Cancel batch' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel batch' }).click();
  await page.getByRole('dialog', { name: 'Cancel this batch?' }).waitFor({ state: 'detached' });
  await page.getByText('cancelled', { exact: true }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Cancel batch' }).count(), 0);

  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No batches').waitFor();
  const path = `/projects/${projectId}/batches/${batch.id}`;
  const gone = await callAdmin<{ error: { code: string } }>(page, 'GET', path);
  assert.equal(gone.error.code, 'not_found');
  const audit = await callAdmin<{ items: { action: string; target: string }[] }>(page, 'GET', '/audit');
  const actions = audit.items.filter(({ target }) => target === batch.id).map(({ action }) => action);
  assert.deepEqual(actions, ['batch.delete', 'batch.cancel']);
});

test('lists show the warnings of a page that succeeded, and filter by them', async () => {
  const { secrets, projectId } = running.service.firstStart ?? assert.fail('no first start');
  const post = async <T>(path: string, body: object): Promise<T> => {
    const headers = { 'content-type': 'application/json', 'x-api-key': secrets.key_only };
    const answer = await fetch(running.service.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    return (await answer.json()) as T;
  };
  const urls = ['/news/1', '/members'].map((path) => running.site.origin + path);
  const { batch } = await post<{ batch: { id: string } }>('/v1/batches', { urls });
  for (const url of urls) await post('/v1/extract', { extract: { url } });

  await page.goto(`${running.url}p/${projectId}/batches/${batch.id}`);
  await page.getByText('2 of 2 succeeded').waitFor();
  const results = page.getByRole('group', { name: 'Results' });
  await results.getByRole('row').nth(2).waitFor();
  await page.getByRole('radiogroup', { name: 'Outcome' }).getByText('With warnings').click();
  await results.getByText('/news/1').waitFor({ state: 'detached' });
  assert.match(await results.getByRole('row').nth(1).innerText(), /\/members[^]*login_wall[^]*\d %/);

  await waitFor(page, `/projects/${projectId}/requests?warning=login_wall`, ({ items = [] }) => items.length > 0);
  await page.goto(`${running.url}p/${projectId}/requests`);
  await page.getByLabel('Warning').selectOption('login_wall');
  await page.getByRole('button', { name: 'Search' }).click();
  const requests = page.getByRole('group', { name: 'Requests' });
  await requests.getByText('/news/1').waitFor({ state: 'detached' });
  assert.match(await requests.getByRole('row').nth(1).innerText(), /\/members[^]*login_wall[^]*\d %/);
});

test('the text of an item is read, and a failed item says why', async () => {
  await page.goto(`${running.url}p/${filled.projectId}/batches/${filled.batchId}`);
  await page.getByRole('link', { name: 'Night trains return to the valley line' }).click();
  const article = page.getByRole('article', { name: 'Extracted page' });
  await article.getByText('Shopkeepers fear a quiet season').waitFor();
  await page.getByRole('tab', { name: 'Markdown', exact: true }).click();
  await page.getByRole('group', { name: 'Rendered Markdown' }).getByText('Shopkeepers fear').waitFor();
  await page.getByRole('navigation', { name: 'Breadcrumbs' }).getByRole('link', { name: filled.batchId }).click();
  await page
    .getByRole('group', { name: 'Results' })
    .getByRole('link', { name: /\/gone$/ })
    .click();
  await page.getByRole('heading', { name: 'Error' }).waitFor();
  await page.getByText('site status 404').waitFor();
});

test('a batch is made of pasted addresses, and a crawl of a start page', async () => {
  const { project } = await callAdmin<{ project: { id: string } }>(page, 'POST', '/projects', { name: 'Pasted' });
  await page.goto(`${running.url}p/${project.id}/batches`);
  await page.getByRole('button', { name: 'New batch' }).click();
  const addresses = ['/news/1', '/members', '/gone', '/news/1'].map((path) => running.site.origin + path);
  await page.getByLabel('Addresses').fill(`\n${addresses.join('\n')}\n`);
  await page.getByText('3 pages', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Start' }).click();
  await page.getByText('A batch of 3 pages has begun').waitFor();
  await page.getByText('2 of 3 succeeded, 1 failed').waitFor();
  await page.getByText('formats: markdown').waitFor();

  await page.getByRole('navigation', { name: 'Breadcrumbs' }).getByRole('link', { name: 'Batches' }).click();
  await page.getByRole('button', { name: 'New batch' }).click();
  await page.getByText('Crawl of a site').click();
  await page.getByRole('textbox', { name: 'Start page' }).fill(`${running.site.origin}/news/2`);
  await page.getByLabel('Most pages').fill('1');
  await page.getByRole('button', { name: 'Start' }).click();
  await page.getByText('The crawl has begun').waitFor();
  await page.getByText('1 of 1 succeeded').waitFor();
});

test('batches are listed a page at a time, by state', async () => {
  const path = `/projects/${filled.projectId}/batches`;
  type List = { items: { id: string }[]; next_cursor: string | null };
  assert.deepEqual((await callAdmin<List>(page, 'GET', `${path}?state=running`)).items, []);
  const { items, next_cursor: next } = await callAdmin<List>(page, 'GET', `${path}?state=completed&limit=1`);
  assert.deepEqual([items[0]?.id, next], [filled.batchId, null]);
  type Items = { items: { index: number }[]; next_after: number | null };
  const first = await callAdmin<Items>(page, 'GET', `${path}/${filled.batchId}/items?limit=3`);
  assert.deepEqual([first.items.map(({ index }) => index), first.next_after], [[0, 1, 2], 2]);
  const rest = await callAdmin<Items>(page, 'GET', `${path}/${filled.batchId}/items?limit=3&after=2`);
  assert.deepEqual([rest.items.map(({ index }) => index), rest.next_after], [[3, 4], null]);
});

test('what failed is tried again as a batch of its own', async () => {
  await page.goto(`${running.url}p/${filled.projectId}/batches/${filled.batchId}`);
  await page.getByRole('button', { name: 'Retry failed' }).click();
  await page.getByText('A batch of the 1 that failed has begun').waitFor();
  await page.getByText('0 of 1 succeeded, 1 failed').waitFor();
  const results = page.getByRole('group', { name: 'Results' });
  await results.getByRole('link', { name: /\/gone$/ }).waitFor();
  assert.notEqual(page.url().split('/').at(-1), filled.batchId);
  await page.getByText('formats: markdown').waitFor();
  const audit = await callAdmin<{ items: { action: string; target: string }[] }>(page, 'GET', '/audit');
  assert.ok(audit.items.some(({ action, target }) => action === 'batch.retry' && target === filled.batchId));
});

test('a crawl is listed with its kind, and shows where it began and what it left out', async () => {
  const { secrets, projectId } = running.service.firstStart ?? assert.fail('no first start');
  const created = await fetch(`${running.service.url}/v1/crawls`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': secrets.key_only },
    body: JSON.stringify({ url: `${running.site.origin}/news/1`, limit: 1, sitemap: 'skip' }),
  });
  const { batch } = (await created.json()) as { batch: { id: string } };
  await page.goto(`${running.url}p/${projectId}/batches`);
  const row = page.getByRole('row').filter({ hasText: batch.id });
  await row.getByText('crawl', { exact: true }).waitFor();
  await row.getByText('completed', { exact: true }).waitFor();
  await page.getByRole('link', { name: batch.id }).click();
  await page.getByText('Links left out').waitFor();
  await page.getByText(`${running.site.origin}/news/1`).first().waitFor();
});

test('a crawl whose start page failed is tried again as a crawl', async () => {
  const { projectId } = running.service.firstStart ?? assert.fail('no first start');
  type Created = { batch: { id: string } };
  const body = { url: `${running.site.origin}/gone`, limit: 5, sitemap: 'skip' };
  const { batch } = await callAdmin<Created>(page, 'POST', `/projects/${projectId}/crawls`, body);
  await page.goto(`${running.url}p/${projectId}/batches/${batch.id}`);
  await page.getByRole('button', { name: 'Retry failed' }).click();
  await page.getByText('The crawl has begun again').waitFor();
  await page.getByRole('heading', { name: 'Crawl' }).waitFor();
  await page.getByText('0 of 1 succeeded, 1 failed').waitFor();
  assert.notEqual(page.url().split('/').at(-1), batch.id);
});

test('a page or project that does not exist leads to what does', async () => {
  for (const path of ['p/prj_none/overview', 'p/x/y', 'nowhere', 'settings/nonsense']) {
    await page.goto(running.url + path);
    await page
      .getByText(/does not exist/)
      .getByRole('link')
      .click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  }
});

/** Figures are written every few seconds. */
async function waitForFigures(): Promise<void> {
  type Figures = { totals: { items: number } };
  const path = `/metrics?range=1h&project_id=${watched}`;
  while ((await callAdmin<Figures>(page, 'GET', path)).totals.items < 24) await page.waitForTimeout(200);
}

test('pages of batches count in the overview, with their confidence and warnings', async () => {
  await waitForFigures();
  await page.goto(`${running.url}p/${watched}/overview`);
  const tile = page.locator('.figure-tile').filter({ hasText: 'Pages of batches' });
  assert.match((await tile.textContent()) ?? '', /24.*83 % failed/);
  await page.getByRole('figure', { name: 'Confidence and warnings over time' }).getByText('As a table').click();
  const figures = page.getByRole('group', { name: 'Confidence and warnings over time, as a table' });
  assert.match(await figures.getByRole('row').nth(1).innerText(), /\d+ %\s+25 %/);
  const link = page.getByRole('link', { name: 'login_wall' });
  assert.match((await link.getAttribute('href')) ?? '', /\/requests\?warning=login_wall&from=/);
  await tile.getByRole('link').click();
  await page.getByRole('heading', { name: 'Batches', exact: true }).waitFor();
});

test('a webhook is told of failures and of their end, after a test call', async () => {
  const path = `/projects/${watched}`;
  await waitForFigures();
  const calls = (): number => running.site.requests.filter((one) => one === '/hook').length;

  await page.goto(`${running.url}p/${watched}/overview`);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.goto(`${running.url}settings/alerts`);
  await page.getByLabel('Webhook').fill(`${running.site.origin}/no-hook`);
  await page.getByRole('button', { name: 'Make one' }).click();
  await page.getByLabel('Failed requests, in %').fill('');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The alerts are saved').waitFor();
  await page.getByRole('button', { name: 'Send a test call' }).click();
  await page.getByText('The receiver did not accept the call: the webhook answered with status 404').waitFor();

  await page.getByLabel('Webhook').fill(`${running.site.origin}/hook`);
  await page.getByLabel('Failed requests, in %').fill('50');
  await page.getByRole('button', { name: 'Save' }).click();
  // Saving looks at once, and a minute would be too long for a test.
  while (calls() < 1) await page.waitForTimeout(100);
  await page.reload();
  const state = page.getByRole('region', { name: 'State of the alerts' });
  await state.getByText('error_rate').waitFor();
  await page.getByRole('button', { name: 'Send a test call' }).click();
  await page.getByText('The receiver accepted the call').waitFor();
  assert.equal(calls(), 2);
  await page.getByRole('button', { name: 'End the alerts' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'End the alerts' }).click();
  await state.waitFor({ state: 'detached' });
  assert.deepEqual((await callAdmin<{ alert: object | null }>(page, 'GET', `${path}/alert`)).alert, null);
});
