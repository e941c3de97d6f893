import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { callAdmin, waitFor } from '../fill-console.ts';
import { setUp, startConsole } from '../start-console.ts';
import type { RunningConsole } from '../start-console.ts';

const run = promisify(execFile);

let running: RunningConsole;
let page: Page;
let project: string;

before(async () => {
  running = await startConsole();
  ({ page } = await running.open({ viewport: { width: 1280, height: 800 } }));
  await setUp(page, running.setupUrl);
  const { items } = await callAdmin<{ items: { id: string }[] }>(page, 'GET', '/projects');
  project = items[0]?.id ?? '';
});
after(() => running.close());

/** Opens the playground on a page of the site, with its options open. */
async function openOptions(): Promise<void> {
  const url = encodeURIComponent(`${running.site.origin}/news/1`);
  // Navigating to the same address would keep the form.
  await page.goto('about:blank');
  await page.goto(`${running.url}p/${project}/playground?url=${url}`);
  await page.getByText('Options', { exact: true }).click();
}

/** Presses a button and returns the request body that the playground sends. */
async function press(name: string): Promise<unknown> {
  const sent = page.waitForRequest((request) => request.method() === 'POST');
  await page.getByRole('button', { name, exact: true }).click();
  return (await sent).postDataJSON() as unknown;
}

const EVERY_OPTION = {
  engine_preference: 'chrome',
  timeout_ms: 40_000,
  accept_language: 'de-CH,de;q=0.9',
  user_agent: 'ExampleBot/1.0',
  device: 'mobile',
  wait_for: 'h1',
  consent: 'reject',
  scroll: { max_steps: 20, max_items: 100 },
  locale: 'de-CH',
  timezone: 'Europe/Zurich',
  headers: { 'X-Preview': '1' },
  cookies: [{ name: 'session', value: 'f00d' }],
  block: ['fonts', 'media'],
  screenshot: 'viewport',
  screenshot_format: 'png',
  mhtml: true,
  include_tags: ['article', 'main'],
  exclude_tags: ['.advert'],
  filter_scripts_styles: true,
};

async function fillEveryOption(): Promise<void> {
  await page.getByLabel('Engine').selectOption('chrome');
  await page.getByLabel('Time limit in ms').fill('40000');
  await page.getByLabel('Device').selectOption('mobile');
  await page.getByLabel('Accept-Language').fill('de-CH,de;q=0.9');
  await page.getByLabel('User-Agent').fill('ExampleBot/1.0');
  await page.getByLabel('Wait for').fill('h1');
  await page.getByLabel('Consent dialogs').selectOption('reject');
  await page.getByLabel('Scroll steps').fill('20');
  await page.getByLabel('Scroll items').fill('100');
  await page.getByLabel('Locale').fill('de-CH');
  await page.getByLabel('Time zone').fill('Europe/Zurich');
  await page.getByLabel('Headers').fill('X-Preview: 1');
  await page.getByLabel('Cookies').fill('session=f00d');
  await page.getByLabel('fonts').check();
  await page.getByLabel('media').check();
  await page.getByLabel('Include', { exact: true }).fill('article\nmain\n');
  await page.getByLabel('Exclude').fill(' .advert ');
  await page.getByLabel('Screenshot', { exact: true }).selectOption('viewport');
  await page.getByLabel('Picture format').selectOption('png');
  await page.getByLabel('MHTML file').check();
  await page.getByLabel('No scripts, styles').check();
}

test('every capture option of the form is in the request, of a capture and of an extract', async () => {
  await openOptions();
  await fillEveryOption();
  await page.getByText('Options (19 set)').waitFor();
  const dumped = await press('Capture only');
  assert.deepEqual(dumped, { url: `${running.site.origin}/news/1`, options: EVERY_OPTION });
  await page.getByRole('tab', { name: 'Screenshot' }).click();
  await page.getByRole('img', { name: 'The page as it was captured' }).waitFor();
  const extracted = (await press('Extract')) as { extract: { options: object } };
  assert.deepEqual(extracted.extract.options, EVERY_OPTION);
  await page.getByRole('tab', { name: 'Screenshot' }).click();
  await page.waitForFunction(() => document.querySelector<HTMLImageElement>('img.screenshot')?.naturalWidth);
  const curl = await page.getByRole('group', { name: 'request as curl' }).textContent();
  assert.ok(curl?.includes('"wait_for": "h1"'), curl ?? '');
});

test('options of the content are in the request, and fields, stated data and Markdown in the answer', async () => {
  await openOptions();
  await page.getByLabel('Favor').selectOption('recall');
  await page.getByLabel('Hidden text').selectOption('keep');
  await page.getByLabel('Links', { exact: true }).selectOption('text');
  await page.getByLabel('Images', { exact: true }).selectOption('none');
  await page.getByLabel('With title').check();
  await page.getByLabel('Fields').fill('headline: h1\nnothing: .not-there');
  await page.getByLabel('Stated data').check();
  await page.getByLabel('Markdown', { exact: true }).check();
  const { extract } = (await press('Extract')) as { extract: unknown };
  assert.deepEqual(extract, {
    url: `${running.site.origin}/news/1`,
    formats: ['markdown', 'stated'],
    favor: 'recall',
    hidden_text: 'keep',
    markdown: { links: 'text', images: 'none', title: true },
    fields: [
      { name: 'headline', selector: 'h1' },
      { name: 'nothing', selector: '.not-there' },
    ],
  });
  await page.getByRole('article', { name: 'Extracted page' }).waitFor();
  const facts = await page.locator('.facts').allTextContents();
  assert.match(facts.join(' '), /headline/);
  await page.getByRole('tab', { name: 'Stated data' }).click();
  await page.getByRole('group', { name: 'stated data' }).waitFor();
});

test('limits of stages, the length of chunks and Cache-Control are options, too', async () => {
  await openOptions();
  await page.getByLabel('Longest chunk').fill('500');
  await page.getByLabel('Match, in ms').fill('9000');
  await page.getByLabel('Generate, in ms').fill('9001');
  await page.getByLabel('Extract, in ms').fill('9002');
  await page.getByLabel('Cache-Control').fill('max-age=3600');
  await page.getByText('Options (5 set)').waitFor();
  const sent = page.waitForRequest((request) => request.method() === 'POST');
  await page.getByRole('button', { name: 'Extract', exact: true }).click();
  const request = await sent;
  assert.deepEqual(request.postDataJSON(), {
    extract: { url: `${running.site.origin}/news/1`, formats: ['markdown'], chunks: { max_characters: 500 } },
    trace: { include_steps: true },
    workflow: { match_timeout_ms: 9000, generate_timeout_ms: 9001, extract_timeout_ms: 9002 },
  });
  assert.equal(request.headers()['cache-control'], 'max-age=3600');
  await page.getByRole('tab', { name: /^Chunks/ }).waitFor();
  const curl = page.getByRole('group', { name: 'request as curl' });
  assert.match((await curl.textContent()) ?? '', /-H 'Cache-Control: max-age=3600'/);
  assert.doesNotMatch((await curl.textContent()) ?? '', /workflow/);
  await page.getByText('Standalone key', { exact: true }).click();
  await curl.getByText('"workflow"').waitFor();
});

test('the request is shown in curl, Python and TypeScript, and the curl call works as it is copied', async () => {
  await openOptions();
  await page.getByLabel('Headers').fill("X-It's: 1");
  await page.getByText('Standalone key', { exact: true }).click();
  const { secrets } = running.service.firstStart ?? assert.fail('no first start');
  const text = (await page.getByRole('group', { name: 'request as curl' }).textContent()) ?? '';
  assert.match(text, /-d '\{\n {2}"extract": \{\n/);
  const { stdout } = await run('sh', ['-c', text.replace('YOUR_KEY', secrets.key_only)]);
  const answer = JSON.parse(stdout) as { result?: { markdown: string } };
  assert.match(answer.result?.markdown ?? stdout, /Shopkeepers fear/);
  await page.getByLabel('Headers').fill('X-Preview: 1');

  await page.getByRole('tab', { name: 'Python' }).click();
  const python = (await page.getByRole('group', { name: 'request as Python' }).textContent()) ?? '';
  assert.match(python, /^from winnow import Winnow\n\nwinnow = Winnow\("http:\/\/127\.0\.0\.1:\d+", "YOUR_KEY"\)/);
  assert.match(python, /"headers": \{"X-Preview": "1"\}/);
  await page.getByRole('tab', { name: 'TypeScript' }).click();
  const script = (await page.getByRole('group', { name: 'request as TypeScript' }).textContent()) ?? '';
  assert.match(script, /apiKey: 'YOUR_KEY'/);
  assert.match(script, /headers: \{ 'X-Preview': '1' \}/);
  await page.getByText('Project key').click();
  await page.getByText(`projectId: '${project}'`).waitFor();
});

test('an address needs no scheme', async () => {
  await openOptions();
  await page.getByLabel('Page URL').fill(' news.invalid/x ');
  const dumped = await press('Capture only');
  assert.deepEqual(dumped, { url: 'https://news.invalid/x' });
  assert.equal(await page.getByLabel('Page URL').inputValue(), 'https://news.invalid/x');
  // While an answer is awaited the form sends nothing.
  await page.getByRole('button', { name: 'Capture only' }).waitFor();
  await page.getByLabel('Page URL').fill('127.0.0.1:9/y');
  const sent = page.waitForRequest((request) => request.method() === 'POST');
  await page.getByLabel('Page URL').press('Enter');
  assert.equal(((await sent).postDataJSON() as { extract: { url: string } }).extract.url, 'http://127.0.0.1:9/y');
});

test('a link to the form has its options, but no values of headers and cookies; what is no form is ignored', async () => {
  await openOptions();
  await page.getByLabel('Favor').selectOption('recall');
  await page.getByLabel('Device').selectOption('mobile');
  await page.getByLabel('Stated data').check();
  await page.getByLabel('Cookies').fill('session=f00d');
  await page.getByText('Standalone key', { exact: true }).click();
  const body = await press('Extract');
  await page.getByRole('article', { name: 'Extracted page' }).waitFor();
  const link = page.url();
  assert.doesNotMatch(decodeURIComponent(link), /cookies|f00d/);

  const other = await running.open({ storageState: await page.context().storageState() });
  await other.page.goto(link);
  const sent = other.page.waitForRequest((request) => request.method() === 'POST');
  await other.page.getByRole('button', { name: 'Extract', exact: true }).click();
  const { extract } = body as { extract: { options: object } };
  assert.deepEqual((await sent).postDataJSON(), {
    ...(body as object),
    extract: { ...extract, options: { device: 'mobile' } },
  });
  assert.equal(await other.page.getByLabel('Standalone key').isChecked(), true);
  for (const order of ['{"options":[],"content":7,"url":{"a":1},"source":"elsewhere","trace":null}', '["text"']) {
    await other.page.goto(`${running.url}p/${project}/playground?order=${encodeURIComponent(order)}`);
    await other.page.getByRole('button', { name: 'Extract', exact: true }).waitFor();
    assert.equal(await other.page.getByLabel('Page URL').inputValue(), '');
  }
  await other.context.close();
});

test('the answer is still there on the way back from its snapshot, and belongs to its form alone', async () => {
  await openOptions();
  await press('Extract');
  const article = page.getByRole('article', { name: 'Extracted page' });
  await article.waitFor();
  const sent: string[] = [];
  const listen = (request: { method(): string; url(): string }): void => {
    if (request.method() === 'POST') sent.push(request.url());
  };
  page.on('request', listen);
  await page.getByRole('link', { name: /^dom_/ }).click();
  await page.getByRole('heading', { name: /^Snapshot of/ }).waitFor();
  await page.goBack();
  await article.waitFor();
  assert.equal(await page.getByLabel('Page URL').inputValue(), `${running.site.origin}/news/1`);
  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Playground' }).click();
  await page.getByText('No answer yet').waitFor();
  assert.deepEqual(sent, []);
  page.off('request', listen);
});

test('Markdown is shown rendered, also beside the page, and is copied and downloaded as text', async () => {
  await openOptions();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await press('Extract');
  await page.getByRole('tab', { name: 'Side by side' }).click();
  await page.frameLocator('iframe').locator('[data-mark~="main"]').first().waitFor();
  await page.getByRole('group', { name: 'Markdown beside the page' }).getByText('Shopkeepers fear').waitFor();
  await page.getByRole('tab', { name: 'Markdown', exact: true }).click();
  const rendered = page.getByRole('group', { name: 'Rendered Markdown' });
  await rendered.getByRole('paragraph').filter({ hasText: 'Shopkeepers fear' }).waitFor();
  await page.getByRole('button', { name: 'Copy Markdown' }).click();
  await page.getByText('Copied').waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download' }).click(),
  ]);
  assert.match(download.suggestedFilename(), /^dom_\w+\.md$/);
  assert.equal(await readFile(await download.path(), 'utf8'), copied);
  await page.getByText('Text', { exact: true }).click();
  assert.equal(await page.getByRole('group', { name: 'Markdown', exact: true }).textContent(), copied);
});

test('a request of the log opens in the playground with its options', async () => {
  const url = `${running.site.origin}/news/2`;
  const { headers: _headers, cookies: _cookies, ...open } = EVERY_OPTION;
  const options = { ...open, screenshot: 'full_page', wait_for: 20 };
  const fields = [{ name: 'links', selector: 'a', attribute: 'href', type: 'url', all: true }];
  const chunks = { max_characters: 900 };
  const body = { extract: { url, favor: 'precision', markdown: { links: 'references' }, fields, chunks, options } };
  const answer = await callAdmin<{ request_id: string }>(page, 'POST', `/projects/${project}/extract`, body);
  await waitFor(page, `/projects/${project}/requests/${answer.request_id}`, ({ request }) => Boolean(request));
  await page.goto(`${running.url}p/${project}/requests/${answer.request_id}`);
  await page.getByRole('button', { name: 'Open in the playground' }).click();
  const sent = (await press('Extract')) as { extract: object };
  assert.deepEqual(sent.extract, body.extract);
});

test('a recorded request with secrets is not sent again without their values', async () => {
  const url = `${running.site.origin}/news/2`;
  const body = {
    url,
    options: { headers: { 'x-preview': 'secret' }, cookies: [{ name: 'session', value: 'secret' }] },
  };
  const answer = await callAdmin<{ request_id: string }>(page, 'POST', `/projects/${project}/dump`, body);
  await waitFor(page, `/projects/${project}/requests/${answer.request_id}`, ({ request }) => Boolean(request));
  await page.goto(`${running.url}p/${project}/requests/${answer.request_id}`);
  await page.getByText('The values of headers and cookies are not recorded').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Send again' }).count(), 0);
  await page.getByRole('button', { name: 'Open in the playground' }).click();
  await page.getByText('Options (2 set)').click();
  assert.equal(await page.getByLabel('Headers').inputValue(), 'x-preview: ');
  await page.getByLabel('Headers').fill('x-preview: 2');
  await page.getByLabel('Cookies').fill('session=f00d');
  assert.deepEqual(await press('Capture only'), {
    url,
    options: { headers: { 'x-preview': '2' }, cookies: [{ name: 'session', value: 'f00d' }] },
  });
});

test('the buttons are in sight without scrolling, on a desktop and on a phone, and options begin closed', async () => {
  for (const viewport of [
    { width: 1280, height: 800 },
    { width: 390, height: 780 },
  ]) {
    await page.setViewportSize(viewport);
    await page.goto(`${running.url}p/${project}/playground`);
    const button = await page.getByRole('button', { name: 'Extract', exact: true }).boundingBox();
    assert.ok(button !== null && button.y + button.height <= viewport.height, JSON.stringify(button));
    assert.equal(await page.getByLabel('Engine').isVisible(), false);
  }
});

test('the next steps after a failure know the trace of the form, and are about the page that was asked last', async () => {
  await page.goto('about:blank');
  await page.goto(`${running.url}p/${project}/playground?url=${encodeURIComponent(`${running.site.origin}/gone`)}`);
  await page.getByRole('button', { name: 'Extract', exact: true }).click();
  await page.getByText('Repeat it with the trace – failed').waitFor();
  assert.match((await page.getByRole('button', { name: 'Capture the page' }).getAttribute('class')) ?? '', /primary/);
  await page.getByLabel('Page URL').fill(` ${running.site.origin.replace('http://', '')}/news/1`);
  await page.getByRole('button', { name: 'Capture only' }).click();
  await page.getByText('Kept as').waitFor();
  assert.equal(await page.getByText('What to do next').count(), 0);
});

test('a trace shows lists and objects in words, and a refused request offers no steps', async () => {
  await page.goto('about:blank');
  await page.goto(`${running.url}p/${project}/playground?url=${encodeURIComponent(`${running.site.origin}/gone`)}`);
  await page.getByRole('button', { name: 'Extract', exact: true }).click();
  await page.getByText('What to do next').waitFor();
  const details = await page.getByRole('list', { name: 'Stages' }).innerText();
  assert.match(details, /engine: http · outcome: failed · reason: the target answered with status 404/);
  assert.doesNotMatch(details, /[{}[\]"]/);
  await page.getByLabel('Page URL').fill('ftp://example.com/');
  await page.getByRole('button', { name: 'Extract', exact: true }).click();
  await page.getByText('only http and https are allowed').first().waitFor();
  assert.equal(await page.getByText('What to do next').count(), 0);
});
