import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setUp, startConsole } from './start-console.ts';

const OVERSEAS = {
  WINNOW_BASE_URL_OVERSEAS: 'https://overseas.example.com',
  WINNOW_CONSOLE_URL_OVERSEAS: 'https://overseas.example.com/console',
};

test('the overseas examples name placeholders, and the console where the keys are created', async (t) => {
  const running = await startConsole(OVERSEAS);
  t.after(() => running.close());
  const { page } = await running.open();
  await setUp(page, running.setupUrl);
  await page.goto(`${running.url}settings/examples`);
  const example = page.getByText(/^curl -sS/).first();
  const own = await example.textContent();
  assert.match(own ?? '', /X-Project-Id: prj_/);
  await page.getByRole('radio', { name: 'Overseas' }).click();
  await page.getByText('https://overseas.example.com/v1/extract').first().waitFor();
  const overseas = (await example.textContent()) ?? '';
  assert.match(overseas, /X-API-Key: YOUR_OVERSEAS_KEY/);
  assert.match(overseas, /X-Project-Id: YOUR_OVERSEAS_PROJECT_ID/);
  assert.doesNotMatch(overseas, /prj_/);
  const link = page.getByRole('link', { name: 'the overseas console' });
  assert.equal(await link.getAttribute('href'), OVERSEAS.WINNOW_CONSOLE_URL_OVERSEAS);
});
