import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { addTemplate } from './fill-console.ts';
import { openSecondArticle, setUp, startConsole } from './start-console.ts';
import type { RunningConsole } from './start-console.ts';

const run = promisify(execFile);

let running: RunningConsole;
before(async () => {
  running = await startConsole();
});
after(() => running.close());

test('from the first start to a snapshot, a template and out again', async () => {
  const { page, context } = await running.open({ permissions: ['clipboard-read', 'clipboard-write'] });
  const faults = watchFaults(page);
  let curl = '';

  await step('the sign-in of a service without accounts names the printed link', async () => {
    await page.goto(running.url);
    await page.getByText(/Open the one-time link that the service printed when it started/).waitFor();
  });

  await step('the link of the first start creates the administrator, once', async () => {
    await setUp(page, running.setupUrl);
    const other = await running.open();
    await other.page.goto(running.setupUrl);
    await other.page.getByText('this link is not valid').waitFor();
    await other.page.goto(running.url);
    await other.page.getByText('Forgot your password?').waitFor();
    await other.context.close();
  });

  await step('a project', async () => {
    await goTo(page, 'Settings');
    await page.getByRole('tab', { name: 'Projects' }).click();
    await page.getByRole('button', { name: 'Create a project' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Valley news');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('cell', { name: 'Valley news', exact: true }).waitFor();
    await page.getByLabel('Project', { exact: true }).selectOption({ label: 'Valley news' });
    await goTo(page, 'Overview');
    await page.getByText('No requests in this period').waitFor();
  });

  await step('a key is shown once, and its copied curl call works', async () => {
    await goTo(page, 'Settings');
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Nightly import');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('button', { name: 'Copy call with this key' }).click();
    await page.getByText('Copied').waitFor();
    curl = await page.evaluate(() => navigator.clipboard.readText());
    assert.match(curl, /^curl /);
    await page.getByRole('button', { name: 'Done' }).click();
    const answer = await runCurl(curl.replace('https://example.com/', `${running.site.origin}/news/1`));
    assert.equal(answer.result.title, 'Harbour opens its new tide gate');
    const secret = /wk_\w{32}/.exec(curl)?.[0] ?? 'none';
    await page.reload();
    await page.getByRole('cell', { name: 'Nightly import', exact: true }).waitFor();
    assert.equal((await page.content()).includes(secret), false);
  });

  await step('the playground extracts, shows the page, the JSON and the trace', async () => {
    await goTo(page, 'Playground');
    await page.getByLabel('Page URL').fill(`${running.site.origin}/news/2`);
    await page.getByRole('button', { name: 'Extract', exact: true }).click();
    const article = page.getByRole('article', { name: 'Extracted page' });
    await article.getByRole('heading', { name: 'Library trades late fees for reading hours' }).waitFor();
    await page.getByRole('tab', { name: 'Trace' }).click();
    const stages = page.getByRole('list', { name: 'Stages' });
    for (const stage of ['fetch', 'snapshot', 'match', 'extract', 'validate']) {
      await stages.getByText(stage, { exact: true }).first().waitFor();
    }
    await page.getByRole('tab', { name: 'JSON' }).click();
    const json = await page.getByRole('group', { name: 'answer' }).textContent();
    assert.equal((JSON.parse(json ?? '') as { result: { author: string } }).result.author, 'Tomas Reyes');
  });

  await step('another engine is an option, and options start collapsed', async () => {
    assert.equal(await page.getByLabel('Engine').isVisible(), false);
    await page.getByText('Options', { exact: true }).click();
    await page.getByLabel('Engine').selectOption('http');
    await page.getByText('Options (1 set)').waitFor();
    await page.getByRole('button', { name: 'Extract', exact: true }).click();
    await page.getByRole('tab', { name: 'JSON' }).click();
    await page.getByRole('group', { name: 'answer' }).getByText('"engine": "http"').first().waitFor();
    await page.getByLabel('Engine').selectOption('auto');
    await page.getByText('Options', { exact: true }).click();
  });

  await step('a failure suggests the next steps, one click each', async () => {
    await page.getByLabel('Page URL').fill(`${running.site.origin}/gone`);
    await page.getByRole('button', { name: 'Extract', exact: true }).click();
    await page.getByText('http_status_not_ok').first().waitFor();
    await page.getByText('the site answered 404').waitFor();
    await page.getByRole('button', { name: 'Extract with trace' }).click();
    await page.getByText('Repeat it with the trace – failed').waitFor();
    await page.getByRole('button', { name: 'Capture the page' }).click();
    await page.getByText('The page cannot be captured at all').waitFor();
    await page.getByRole('button', { name: 'Extract from it' }).click();
    await page
      .getByText(/the fault lies in/)
      .last()
      .waitFor();
  });

  await step('a snapshot is found, drawn, outlined, shown as source, extracted and deleted', async () => {
    await goTo(page, 'Snapshots');
    await openSecondArticle(page, '/NEWS/2');
    const frame = page.frameLocator('iframe');
    await frame.getByRole('heading', { name: 'Library trades late fees' }).waitFor();
    await page.getByLabel('Outline the main content').check();
    await frame.locator('[data-mark~="main"]').filter({ hasText: 'decision had been expected' }).first().waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'HTML', exact: true }).click(),
    ]);
    assert.match(download.suggestedFilename(), /^dom_\w+\.html$/);
    assert.match(await readFile(await download.path(), 'utf8'), /<h1 class="headline">Library trades/);
    const link = page.getByRole('link', { name: /\/news\/2/ });
    assert.equal(await link.getAttribute('href'), `${running.site.origin}/news/2`);
    assert.match((await link.getAttribute('rel')) ?? '', /noreferrer/);
    await page.getByRole('tab', { name: 'Source' }).click();
    await page.getByRole('group', { name: 'Source' }).getByText('headline').first().waitFor();
    await page.getByRole('tab', { name: 'Extraction' }).click();
    await page.getByRole('article', { name: 'Extracted page' }).waitFor();
    const url = page.url();
    await page.getByRole('link', { name: 'Its requests' }).click();
    await page.getByRole('heading', { name: 'Requests', exact: true }).waitFor();
    assert.equal(await page.getByLabel('Snapshot id').inputValue(), url.split('/').at(-1));
    const requests = page.getByRole('group', { name: 'Requests' });
    await requests
      .getByRole('link', { name: /\/news\/2$/ })
      .first()
      .waitFor();
    assert.equal(await requests.getByRole('link', { name: /\/news\/1$/ }).count(), 0);
    await page.goBack();
    await page.getByRole('navigation', { name: 'Breadcrumbs' }).getByRole('link', { name: 'Snapshots' }).waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'Snapshots', exact: true }).waitFor();
    await page.getByText('The snapshot is deleted').waitFor();
    await page.goto(url);
    await page.getByText('no such snapshot').waitFor();
  });

  await step('two snapshots side by side', async () => {
    await goTo(page, 'Snapshots');
    await page
      .getByLabel(/^Compare dom_/)
      .first()
      .check();
    await page
      .getByLabel(/^Compare dom_/)
      .nth(1)
      .check();
    await page.getByRole('link', { name: 'Compare the two' }).click();
    await page.getByText('Source', { exact: true }).click();
    await page.getByRole('group', { name: 'Differences' }).or(page.getByText('No differences')).waitFor();
  });

  await step(
    'a template shows its matches, is corrected with the picker, previewed, saved and rolled back',
    async () => {
      const name = await addTemplate(page);
      await goTo(page, 'Templates');
      await page.getByRole('link', { name: '127.0.0.1' }).click();
      await page.getByText(name).waitFor();
      const frame = page.frameLocator('iframe');
      await frame.locator('[data-mark~="title"]').waitFor();
      await page.getByRole('radio', { name: /^author/ }).check();
      await frame.locator('p.byline[data-mark~="author"]').waitFor();

      await page.getByRole('button', { name: 'Correct author' }).click();
      const target = frame.locator('span.author');
      await target.waitFor();
      await page.locator('.picker').scrollIntoViewIfNeeded();
      const box = (await target.boundingBox()) ?? assert.fail('the author is not drawn');
      await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
      assert.equal(await page.getByLabel('Selector').inputValue(), 'span.author');
      const author = (await target.textContent()) ?? '';
      await page.getByText(`Here it reads: ${author}`).waitFor();
      await page.getByRole('button', { name: 'Use it' }).click();
      await page.getByRole('button', { name: 'Preview on all stored snapshots' }).click();
      const results = page.getByRole('group', { name: 'Page by page' });
      await results.getByText('filled').first().click();
      await results.getByText(author, { exact: true }).first().waitFor();

      await goTo(page, 'Overview');
      const question = page.getByRole('dialog', { name: 'Leave without saving?' });
      await question.getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('button', { name: 'Save as a new version' }).click();
      await page.getByText(name.replace(':v1', ':v2')).waitFor();
      await page.getByRole('button', { name: 'Activate' }).click();
      await page.getByRole('button', { name: 'Roll back' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click();
      await page.getByRole('tab', { name: 'Versions' }).click();
      await page.getByText('rolled back to version 1').first().waitFor();
    },
  );

  await step('a failed request is found on the Requests page, with its trace, and sent again', async () => {
    await goTo(page, 'Requests');
    await page.getByLabel('Outcome').selectOption('failed');
    await page.getByLabel('Error code').selectOption('http_status_not_ok');
    await page.getByLabel('Endpoint').selectOption('/v1/extract');
    const failed = page.getByRole('link', { name: /\/gone$/ }).first();
    // Entries are written about a second after the answer.
    for (;;) {
      await page.getByRole('button', { name: 'Search' }).click();
      await page.getByRole('button', { name: 'Refresh' }).click();
      if (await failed.isVisible()) break;
      await page.waitForTimeout(200);
    }
    await failed.click();
    await page.getByRole('heading', { name: 'POST /v1/extract' }).waitFor();
    await page.getByText('site status 404').waitFor();
    await page.getByRole('list', { name: 'Stages' }).getByText('fetch', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Send again' }).click();
    const repeated = page.getByRole('region', { name: 'Answer to the repeated request' });
    await repeated.getByText('stage fetch').waitFor();
    await page.getByRole('button', { name: 'Open in the playground' }).click();
    await page.getByRole('heading', { name: 'Playground' }).waitFor();
    assert.match(await page.getByLabel('Page URL').inputValue(), /\/gone$/);
  });

  await step('the overview has counted these requests', async () => {
    // Figures are written every few seconds.
    await goTo(page, 'Overview');
    await page.getByText('Errors by code and stage').waitFor();
    await page.waitForFunction(
      async () => {
        const answer = (await (await fetch('/admin/v1/metrics?range=1h')).json()) as { totals: { requests: number } };
        return answer.totals.requests >= 6;
      },
      undefined,
      { timeout: 60_000, polling: 500 },
    );
    await page.reload();
    await page.getByText('http_status_not_ok · fetch').waitFor();
  });

  await step('errors, engines and confidence lead to the requests that they count', async () => {
    const requests = page.getByRole('group', { name: 'Requests' });
    const rows = async (): Promise<string[]> => (await requests.getByRole('row').allInnerTexts()).slice(1);
    await page.getByRole('link', { name: 'http_status_not_ok · fetch' }).click();
    await requests
      .getByRole('link', { name: /\/gone$/ })
      .first()
      .waitFor();
    assert.ok((await rows()).every((row) => row.includes('http_status_not_ok')));
    assert.notEqual(await page.getByLabel('From').inputValue(), '');
    await goTo(page, 'Overview');
    await page.getByRole('link', { name: 'http', exact: true }).click();
    await requests
      .getByRole('link', { name: /\/news\/2$/ })
      .first()
      .waitFor();
    assert.equal(await page.getByLabel('Engine').inputValue(), 'http');
    for (const row of await rows()) assert.match(row, /\nhttp\s/);
    await page.getByLabel('Confidence').selectOption('0.3');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByText('No request matches these filters.').waitFor();
    await page.getByLabel('Confidence').selectOption('');
  });

  await step('a revoked key is refused', async () => {
    await goTo(page, 'Settings');
    await page.getByRole('button', { name: 'Revoke Nightly import' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('revoked', { exact: true }).waitFor();
    const answer = await runCurl(curl);
    assert.equal(answer.error.code, 'unauthorized');
  });

  await step('sign-out ends the session on the server', async () => {
    const [cookie] = await context.cookies();
    assert(cookie?.httpOnly && cookie.sameSite === 'Strict');
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    const { status } = await fetch(`${running.service.url}/admin/v1/projects`, {
      headers: { cookie: `${cookie.name}=${cookie.value}` },
    });
    assert.equal(status, 401);
  });

  assert.deepEqual(faults, []);
});

async function goTo(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name }).click();
}

/** Runs one step of the walk; each depends on those before it. */
async function step(name: string, walk: () => Promise<void>): Promise<void> {
  try {
    await walk();
  } catch (error) {
    throw new Error(`at: ${name}`, { cause: error });
  }
}

/** Collects script errors and violations of the Content-Security-Policy. */
function watchFaults(page: Page): string[] {
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (/Content Security Policy|Refused to/.test(message.text())) faults.push(message.text());
  });
  return faults;
}

interface CurlAnswer {
  readonly result: { readonly title: string };
  readonly error: { readonly code: string };
}

async function runCurl(command: string): Promise<CurlAnswer> {
  const { stdout } = await run('sh', ['-c', command]);
  return JSON.parse(stdout) as CurlAnswer;
}
