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

test('the reference of the API shows the mark of Winnow, and its policy refuses nothing that the page needs', async () => {
  const { page, context } = await running.open();
  const refused: string[] = [];
  page.on('console', (message) => refused.push(message.text()));
  await page.goto(`${running.service.url}/docs`);
  await page.locator('.opblock').first().waitFor();
  const mark = page.locator('.topbar img');
  await mark.waitFor();
  const source = (await mark.getAttribute('src')) ?? '';
  assert.match(Buffer.from(source.slice(source.indexOf(',') + 1), 'base64').toString(), />Winnow</);
  assert.deepEqual(refused, []);
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

test('a preview shows icons small whose style sheet it does not load, and other pictures as large as the page says', async () => {
  const { page, context } = await running.open({ storageState: state });
  await page.goto(running.url);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  const keys = `/projects/${filled.projectId}/keys`;
  const { secret } = await callAdmin<{ secret: string }>(page, 'POST', keys, { name: 'Icons', kind: 'key_only' });
  const circle = '<circle cx="8" cy="8" r="8"/>';
  const html = `<!doctype html><title>Icons</title><style>.map { width: 300px; height: 200px }</style>
    <svg id="icon" viewBox="0 0 16 16">${circle}</svg><svg id="map" class="map" viewBox="0 0 16 16">${circle}</svg>
    <svg id="sized" width="120" height="90" viewBox="0 0 16 16">${circle}</svg><svg id="wide" width="100%" height="100%" viewBox="0 0 16 16">${circle}</svg><p>The harbour opens at five.</p>`;
  const answer = await fetch(`${running.service.url}/v1/snapshots`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-API-Key': secret },
    body: JSON.stringify({ url: `${running.site.origin}/icons`, html }),
  });
  const { dom_id } = (await answer.json()) as { dom_id: string };
  await page.goto(`${running.url}p/${filled.projectId}/snapshots/${dom_id}`);
  const widthOf = async (id: string) => (await page.frameLocator('iframe').locator(id).boundingBox())?.width;
  await page.frameLocator('iframe').getByText('The harbour opens').waitFor();
  assert.equal(await widthOf('#icon'), 24);
  assert.equal(await widthOf('#wide'), 24);
  assert.equal(await widthOf('#map'), 300);
  assert.equal(await widthOf('#sized'), 120);
  await context.close();
});

test('on a phone, what a cell shows is on the side of its value and inside the card', async () => {
  const { page, context } = await running.open({ storageState: state, viewport: { width: 390, height: 780 } });
  await page.goto(`${running.url}p/${filled.projectId}/requests`);
  const cell = page.locator('td[data-label="Outcome and engine"]').filter({ hasText: 'http_status_not_ok' }).first();
  const around = await cell.boundingBox();
  const badge = await cell.getByText('http_status_not_ok').boundingBox();
  const engine = await cell.locator('.muted').boundingBox();
  assert.ok(around !== null && badge !== null && engine !== null);

  const right = around.x + around.width;
  assert.ok(Math.abs(badge.x + badge.width - right) <= 1, 'the outcome ends where the card ends');
  assert.ok(engine.y >= badge.y + badge.height - 1 && engine.x + engine.width <= right + 1);
  await context.close();
});

test('a long name or address breaks in its column, and no list of the settings widens the page', async () => {
  const { page, context } = await running.open({ storageState: state, viewport: { width: 1024, height: 780 } });
  await page.goto(`${running.url}p/${filled.projectId}/overview`);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  const name = 'Harbour'.repeat(14);
  await callAdmin(page, 'POST', '/projects', { name });
  await callAdmin(page, 'POST', `/projects/${filled.projectId}/keys`, { name, kind: 'project' });
  await callAdmin(page, 'POST', '/invitations', { email: `${'harbour'.repeat(9)}@example.com`, role: 'member' });
  for (const [tab, text] of [
    ['projects', name],
    ['keys', name],
    ['members', 'harbourharbour'],
    ['audit', 'harbourharbour'],
  ] as const) {
    await page.goto(`${running.url}settings/${tab}`);
    await page
      .getByRole('cell', { name: new RegExp(text) })
      .first()
      .waitFor();
    const sizes = await page.evaluate(() =>
      [document.documentElement, ...document.querySelectorAll('.table-wrap')].map(
        (box) => box.scrollWidth - box.clientWidth,
      ),
    );
    assert.ok(
      sizes.every((beyond) => beyond <= 0),
      `${tab}: ${sizes.join(', ')}`,
    );
  }
  await context.close();
});

test('on a tablet, lists show all their columns without scrolling', async () => {
  const { page, context } = await running.open({ storageState: state, viewport: { width: 768, height: 900 } });
  const project = `p/${filled.projectId}`;
  for (const path of [`${project}/requests`, `${project}/batches`, `${project}/batches/${filled.batchId}`]) {
    await page.goto(running.url + path);
    await page.getByRole('row').nth(1).waitFor();
    const beyond = await page.evaluate(() =>
      [...document.querySelectorAll('.table-wrap')].map((box) => box.scrollWidth - box.clientWidth),
    );
    assert.ok(beyond.length > 0 && Math.max(...beyond) <= 0, `${path}: ${beyond.join(', ')}`);
  }
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

for (const width of [1280, 390]) {
  test(`every tab of an answer is in sight, ${width} pixels wide`, async () => {
    const { page, context } = await running.open({ storageState: state, viewport: { width, height: 780 } });
    const url = encodeURIComponent(`${running.site.origin}/news/1`);
    await page.goto(`${running.url}p/${filled.projectId}/playground?url=${url}`);
    await page.getByRole('button', { name: 'Extract', exact: true }).waitFor();
    for (const box of await page.getByRole('group', { name: 'Include' }).getByRole('checkbox').all()) await box.check();
    await page.getByRole('button', { name: 'Extract', exact: true }).click();
    await page.getByRole('tab', { name: 'Raw DOM' }).waitFor();
    const list = page.getByRole('tablist', { name: 'Answer' });
    const around = await list.boundingBox();
    const tabs = await list.getByRole('tab').all();
    assert.ok(tabs.length >= 10 && around !== null);
    for (const tab of tabs) {
      const box = await tab.boundingBox();
      assert.ok(box !== null && box.x >= around.x - 1 && box.x + box.width <= around.x + around.width + 1);
      assert.ok(box.y + box.height <= around.y + around.height + 1, `${await tab.textContent()} is cut`);
    }
    await context.close();
  });
}

test('pages, projects, keys, hosts, snapshots and requests are found with the keyboard', async () => {
  const { page, context } = await running.open({ storageState: state });
  await page.goto(`${running.url}p/${filled.projectId}/overview`);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  const find = async (text: string, option: RegExp): Promise<void> => {
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Find anything' }).fill(text);
    await page.getByRole('option', { name: option }).first().waitFor();
    for (let count = 0; count < 20; count += 1) {
      if (
        await page
          .getByRole('option', { name: option })
          .first()
          .evaluate((one) => 'highlighted' in one.dataset)
      )
        break;
      await page.keyboard.press('ArrowDown');
    }
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  };
  const host = new URL(running.site.origin).host;
  await find('templ', /^Templates/);
  await page.getByRole('heading', { name: 'Templates', exact: true }).waitFor();
  await find('valley', /^Valley news/);
  await page.getByText('of project “Valley news”').waitFor();
  await find('nightly', /^Nightly import/);
  await page.getByRole('row').filter({ hasText: 'Nightly import' }).waitFor();
  await find('127.0.0.1', /its requests/);
  await page.getByRole('group', { name: 'Requests' }).getByText('/news/1').first().waitFor();
  assert.equal(await page.getByLabel('Host').inputValue(), host);
  await find('/news/2', /^Library trades/);
  await page.getByRole('heading', { name: `Snapshot of ${host}` }).waitFor();
  await find(host, new RegExp(`^${running.site.origin}/gone`));
  await page.getByText('site status 404').waitFor();
  await find(filled.requestId, /\/news\/1/);
  await page.getByRole('main').getByText(filled.requestId).waitFor();
  await find(filled.batchId, /^bat_/);
  await page.getByText('4 of 5 succeeded').waitFor();
  await context.close();
});

test('an administrator sees the state of queue, browsers, workers, memory and disk, and every check', async () => {
  const { page, context } = await running.open({ storageState: state });
  await page.goto(`${running.url}settings/health`);
  const part = (name: string) => page.getByRole('region', { name });
  await part('Queue').getByText('Waiting for their site').waitFor();
  await part('Browsers').getByText('Started so far').waitFor();
  assert.match(await part('Worker processes').innerText(), /Running\s+\d/);
  assert.match(await part('Memory and disk').innerText(), /Disk available\s+[\d.,]+ \w+ of [\d.,]+ \w+ \(\d+ %\)/);
  const checks = page.getByRole('group', { name: 'Checks' });
  for (const name of ['database', 'snapshots', 'browser', 'worker'])
    await checks.getByRole('row').filter({ hasText: name }).getByText('passes').first().waitFor();
  await context.close();
});

test('the list of templates shows those of the project and of all, not those of others', async () => {
  const { page, context } = await running.open({ storageState: state });
  await page.goto(running.url);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  type Created = { project: { id: string } };
  const { project } = await callAdmin<Created>(page, 'POST', '/projects', { name: 'Elsewhere' });
  type Templates = { items: { name: string; project_id: string | null }[] };
  const { items } = await callAdmin<Templates>(page, 'GET', `/templates?project_id=${project.id}`);
  assert.ok(items.every(({ project_id: owner }) => owner === null || owner === project.id));
  await page.goto(`${running.url}p/${project.id}/settings`);
  await page.getByRole('heading', { name: 'Settings' }).waitFor();
  await context.close();
});
