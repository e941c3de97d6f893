/** A site of five pages is taught in the console, and the sixth page shows it. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { makeProductPage } from '../support/clay-shop.ts';
import { callAdmin } from './fill-console.ts';
import { setUp, startConsole } from './start-console.ts';
import type { RunningConsole } from './start-console.ts';

interface Answer {
  readonly template_id: string;
  readonly result: { readonly main_text: string };
}

let running: RunningConsole;
let shop: Server;
let origin = '';
before(async () => {
  running = await startConsole({ WINNOW_EGRESS_ALLOW: '127.0.0.1' });
  shop = createServer((request, response) => {
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    response.end(makeProductPage(request.url ?? '/'));
  });
  shop.listen(0, '127.0.0.1');
  await once(shop, 'listening');
  origin = `http://127.0.0.1:${(shop.address() as AddressInfo).port}`;
});
after(async () => {
  await running.close();
  shop.close();
});

test('a site of five pages is taught by two of them, and the sixth page is answered by the marks', async () => {
  const { page, context } = await running.open({ viewport: { width: 1280, height: 900 } });
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  await setUp(page, running.setupUrl);
  const projectId = /\/p\/([^/]+)\//.exec(page.url())?.[1] ?? assert.fail(page.url());
  const extract = (index: number): Promise<Answer> =>
    callAdmin(page, 'POST', `/projects/${projectId}/extract`, { extract: { url: `${origin}/p/blue-${index}` } });
  for (const index of [1, 2, 3, 4, 5]) assert.match((await extract(index)).result.main_text, /Anna of house/);

  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Templates' }).click();
  await page.getByRole('link', { name: 'Mark its content' }).click();
  await page.getByText('No page is marked').waitFor();
  await shoot(page, 'opened');

  // A click on the page marks the block below it.
  await clickOnPage(page, '.quotes p');
  const quote = page.getByRole('checkbox', { name: /^Anna of house/ });
  assert.equal(await quote.isChecked(), false);
  await page.getByText('Saved', { exact: true }).waitFor();
  // The focus is on the block: the next ones are the facts.
  for (const name of [/^Height/, /^Weight/]) {
    await page.keyboard.press('ArrowDown');
    assert.equal(await page.getByRole('checkbox', { name }).isChecked(), false);
    await page.keyboard.press('Space');
    await page.getByRole('checkbox', { name, checked: true }).waitFor();
  }
  await page.keyboard.press('Control+z');
  await page.getByRole('checkbox', { name: /^Weight/, checked: false }).waitFor();
  await page.keyboard.press('Space');
  await page.getByRole('checkbox', { name: /^Weight/, checked: true }).waitFor();
  const marked = page.frameLocator('iframe').locator('[data-mark~="main"]');
  await marked.filter({ hasText: 'Weight' }).waitFor();
  assert.equal(await marked.filter({ hasText: 'Anna' }).count(), 0);
  await page.getByText('Saved', { exact: true }).waitFor();
  await shoot(page, 'marked');

  // Nothing is lost by leaving.
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Overview' }).click();
  await page.goBack();
  await page.getByText('1 page is marked, another one of the same kind is needed').waitFor();
  await page.reload();
  await page.getByLabel('Page', { exact: true }).selectOption(await findMarked(page));
  await quote.waitFor();
  assert.equal(await quote.isChecked(), false);
  assert.equal(await page.getByRole('button', { name: 'Make live' }).isDisabled(), true);

  await page.getByRole('button', { name: 'The page is right, next one' }).click();
  await page.getByText('Not marked').waitFor();
  await quote.uncheck();
  for (const name of [/^Height/, /^Weight/]) await page.getByRole('checkbox', { name }).check();
  await page.getByText('2 pages are marked').waitFor();
  await page.getByRole('button', { name: 'Show differences' }).click();
  await page.getByRole('heading', { name: '5 of 5 stored pages change' }).waitFor();
  await page.locator('summary').first().click();
  await page.locator('td.added').filter({ hasText: 'Weight' }).first().waitFor();
  await page.locator('td.removed').filter({ hasText: 'Anna' }).first().waitFor();
  await shoot(page, 'differences');
  await page.getByRole('button', { name: 'Make live' }).click();
  await shoot(page, 'asked');
  await page.getByRole('dialog').getByRole('button', { name: 'Make live' }).click();
  const live = page.getByRole('link', { name: 'Live: version 1' });
  await live.waitFor();
  await page.getByRole('heading', { name: '0 of 5 stored pages change' }).waitFor();

  const sixth = await extract(6);
  assert.match(sixth.template_id, /^tpl_\w+:v1$/);
  assert.match(sixth.result.main_text, /Weight 306 g/);
  assert.doesNotMatch(sixth.result.main_text, /Anna/);

  // It is retired and restored as every template.
  await live.click();
  await page.getByText('manually taught by 2 pages').waitFor();
  await shoot(page, 'template');
  await page.getByRole('button', { name: 'Retire' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Retire' }).click();
  await page.getByRole('button', { name: 'Restore' }).waitFor();
  assert.match((await extract(6)).result.main_text, /Anna/);
  await page.getByRole('button', { name: 'Restore' }).click();
  await page.getByRole('button', { name: 'Retire' }).waitFor();
  assert.doesNotMatch((await extract(6)).result.main_text, /Anna/);
  assert.deepEqual(faults, []);
  await context.close();
});

/** Clicks where the preview shows an element. */
async function clickOnPage(page: Page, selector: string): Promise<void> {
  const box = await page.frameLocator('iframe').locator(selector).boundingBox();
  assert.ok(box !== null);
  await page.mouse.click(box.x + box.width / 4, box.y + box.height / 2);
}

async function findMarked(page: Page): Promise<string> {
  return (await page.locator('option').filter({ hasText: '✓' }).getAttribute('value')) ?? '';
}

/** Draws what the page shows, if a folder for it is named. */
async function shoot(page: Page, name: string): Promise<void> {
  const folder = process.env['WINNOW_TEST_SHOTS'];
  if (folder !== undefined) await page.screenshot({ path: `${folder}/teach-${name}.png` });
}
