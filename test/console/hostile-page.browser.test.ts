import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { FrameLocator, Locator, Page } from 'playwright-core';
import { callAdmin } from './fill-console.ts';
import { hostilePage } from './news-site.ts';
import { setUp, startConsole } from './start-console.ts';
import type { RunningConsole } from './start-console.ts';

let running: RunningConsole;
let page: Page;
let address: string;
let pagePath: string;

before(async () => {
  running = await startConsole();
  ({ page } = await running.open());
  await setUp(page, running.setupUrl);
  const { items } = await callAdmin<{ items: { id: string }[] }>(page, 'GET', '/projects');
  const project = items[0]?.id ?? '';
  const { secret } = await callAdmin<{ secret: string }>(page, 'POST', `/projects/${project}/keys`, {
    name: 'Upload',
    kind: 'key_only',
  });
  // Uploaded: an engine would follow the page's redirect.
  const answer = await fetch(new URL('/v1/snapshots', running.url), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-API-Key': secret },
    body: JSON.stringify({ url: `${running.site.origin}/hostile`, html: hostilePage(running.site.origin) }),
  });
  const { dom_id: domId } = (await answer.json()) as { dom_id: string };
  address = `${running.url}p/${project}/snapshots/${domId}`;
  pagePath = `/admin/v1/projects/${project}/snapshots/${domId}/page`;
});
after(() => running.close());

async function openFrame(): Promise<FrameLocator> {
  await page.goto(address);
  const frame = page.frameLocator('iframe');
  await frame.getByRole('heading', { name: 'Hostile page' }).waitFor();
  return frame;
}

/** Waits for pending requests and navigations, then asserts that there were none. */
async function assertNothingHappened(): Promise<void> {
  await page.waitForTimeout(400);
  assert.equal(page.url(), address);
  assert.deepEqual(
    running.site.requests.filter((path) => path.startsWith('/reached')),
    [],
  );
  const frames = page.frames().filter((frame) => frame !== page.mainFrame());
  assert.deepEqual(
    frames.map((frame) => new URL(frame.url()).pathname),
    [pagePath],
  );
  assert.equal(page.context().pages().length, 1);
}

// Checks: threat-preview
test('the page is drawn, and its scripts, refresh, frames, pictures and styles from elsewhere do nothing', async () => {
  const frame = await openFrame();
  await assertNothingHappened();
  assert.equal(await frame.locator('script, iframe, object, embed, base, link, meta, template, video').count(), 0);
  await page.getByLabel('Outline the main content').check();
  await frame.locator('[data-mark]').first().waitFor();
  await assertNothingHappened();
});

for (const id of ['link', 'script-link', 'top-link', 'data-link'] as const) {
  test(`a click on the ${id} leads nowhere`, async () => {
    const frame = await openFrame();
    await frame.locator(`#${id}`).click();
    await frame.locator(`#${id}`).click({ button: 'middle' });
    await assertNothingHappened();
  });
}

test('a form cannot be sent, by its button or by the keyboard', async () => {
  const frame = await openFrame();
  await frame.locator('#submit').click();
  await frame.locator('#form input').press('Enter');
  await assertNothingHappened();
});

test('the frame is isolated from the console: no scripts, no cookie, no navigation', async () => {
  await openFrame();
  const frame = await page.locator('iframe').evaluate((element) => ({
    sandbox: element.getAttribute('sandbox'),
    // A document of the same origin would be readable from here.
    readable: (element as HTMLIFrameElement).contentDocument !== null,
  }));
  assert.deepEqual(frame, { sandbox: '', readable: false });
  const response = await page.request.get(`${running.service.url}${pagePath}`);
  const policy = response.headers()['content-security-policy'] ?? '';
  assert.match(policy, /^sandbox; default-src 'none';/);
  assert.match(policy, /form-action 'none'/);
  assert.doesNotMatch(policy, /script-src|allow-scripts/);
  const [cookie] = await page.context().cookies();
  assert.equal(cookie?.httpOnly, true);
});

// Checks: threat-preview
test('even the unsanitised page does nothing under the policy of the frame', async () => {
  // Simulates content that the sanitiser missed: only the sandbox and the policy are left.
  const raw = await callAdmin<{ html: string }>(
    page,
    'GET',
    `${pagePath.replace('/admin/v1', '').replace(/\/page$/, '')}/html`,
  );
  assert.match(raw.html, /frame-busting/);
  await page.route(`**${pagePath}*`, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: raw.html });
  });
  await page.goto(address);
  await page.frameLocator('iframe').getByRole('heading', { name: 'Hostile page' }).waitFor();
  await page.waitForTimeout(400);
  assert.equal(page.url(), address);
  const reached = running.site.requests.filter((path) => path.startsWith('/reached'));
  assert.deepEqual(reached, []);
  await page.frameLocator('iframe').locator('#script-link').click();
  await page.frameLocator('iframe').locator('#submit').click();
  await page.waitForTimeout(300);
  assert.equal(page.url(), address);
  assert.deepEqual(
    running.site.requests.filter((path) => path.startsWith('/reached')),
    [],
  );
  await page.unroute(`**${pagePath}*`);
});

test('the page is harmless in a separate window too', async () => {
  const { page: alone, context } = await running.open({ storageState: await page.context().storageState() });
  await alone.goto(`${running.service.url}${pagePath}`);
  await alone.getByRole('heading', { name: 'Hostile page' }).waitFor();
  await alone.locator('#link').click();
  await alone.waitForTimeout(300);
  assert.equal(new URL(alone.url()).pathname, pagePath);
  assert.deepEqual(
    running.site.requests.filter((path) => path.startsWith('/reached')),
    [],
  );
  await context.close();
});

test('even the unsanitised page runs and loads nothing in the node picker', async () => {
  const raw = await callAdmin<{ html: string }>(
    page,
    'GET',
    `${pagePath.replace('/admin/v1', '').replace(/\/page$/, '')}/html`,
  );
  await page.route(`**${pagePath}*`, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: raw.html });
  });
  await page.goto(running.url);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  const title = await page.title();
  await page.evaluate((source) => {
    const frame = document.createElement('iframe');
    frame.setAttribute('sandbox', 'allow-same-origin');
    frame.src = source;
    document.body.append(frame);
  }, `${pagePath}?mode=pick`);
  const frame = page.frameLocator('iframe');
  await frame.getByRole('heading', { name: 'Hostile page' }).waitFor();
  await frame.locator('#script-link').click();
  await page.waitForTimeout(400);
  assert.deepEqual(
    running.site.requests.filter((path) => path.startsWith('/reached')),
    [],
  );
  assert.equal(await page.title(), title);
  assert.equal(new URL(page.url()).pathname.startsWith('/console/'), true);
  assert.notEqual(await frame.locator('html').evaluate((element) => element.ownerDocument.title), 'ran');
  await page.unroute(`**${pagePath}*`);
});

// Checks: threat-active-content
test('the extracted content is shown as text', async () => {
  await page.goto(address);
  await page.getByRole('tab', { name: 'Extraction' }).click();
  await page.getByRole('article', { name: 'Extracted page' }).waitFor();
  await page.getByRole('tab', { name: /^Links/ }).click();
  assert.equal(await page.locator('main a[href^="javascript:"], main a[href*="/reached"]').count(), 0);
});

/** Shows a Markdown as if it were that of the page. */
async function render(markdown: string): Promise<Locator> {
  await page.route('**/extract', async (route) => {
    const response = await route.fetch();
    const answer = (await response.json()) as { result: object };
    await route.fulfill({ response, json: { ...answer, result: { ...answer.result, markdown } } });
  });
  await page.goto(address);
  await page.getByRole('tab', { name: 'Extraction' }).click();
  await page.getByRole('tab', { name: 'Side by side' }).click();
  return page.getByRole('group', { name: 'Rendered Markdown' });
}

// Checks: threat-active-content
test('Markdown is rendered without HTML, links that lead somewhere and pictures of the site', async () => {
  const hostile = [
    '# A heading',
    '<img src="/reached/html.png" onerror="top.location=\'/reached/onerror\'"> <script>top.location="/reached/script"</script>',
    `![A picture](${running.site.origin}/reached/image.png)`,
    `[A link](${running.site.origin}/reached/link) and [a script](javascript:top.location='/reached/javascript')`,
    '<iframe src="/reached/frame"></iframe>',
    '| a | b |\n| - | - |\n| 1 | <b onclick="1">2</b> |',
  ].join('\n\n');
  const rendered = await render(hostile);
  await rendered.getByRole('heading', { name: 'A heading' }).waitFor();
  await rendered.getByRole('table').waitFor();
  await rendered.getByText('Image: A picture').waitFor();
  assert.equal(await rendered.locator('a, img, script, iframe, b, [onclick], [style]').count(), 0);
  await rendered.getByText('A link').click();
  await assertNothingHappened();
  await page.unroute('**/extract');
});

test('of Markdown with a table of very many cells the beginning is rendered', async () => {
  const row = '|'.repeat(300);
  const rendered = await render(`${'|a'.repeat(299)}|\n${'|-'.repeat(299)}|\n${`${row}\n`.repeat(500)}`);
  await rendered.getByText('Only the beginning is rendered').waitFor();
  const count = await rendered.getByRole('cell').count();
  assert.ok(count > 5000 && count < 15_000, String(count));
  await page.unroute('**/extract');
});
