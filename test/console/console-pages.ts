import type { Page } from 'playwright-core';
import type { Filled } from './fill-console.ts';
import type { RunningConsole } from './start-console.ts';

export interface ConsolePage {
  readonly name: string;
  /** Opens the page and waits for its content. */
  readonly open: (page: Page, running: RunningConsole, filled: Filled) => Promise<void>;
}

/** Every page behind the sign-in, with content. */
export const CONSOLE_PAGES: readonly ConsolePage[] = [
  {
    name: 'overview',
    open: async (page, { url }, { projectId }) => {
      await page.goto(`${url}p/${projectId}/overview`);
      await page.getByText('Browser pool').waitFor();
    },
  },
  {
    name: 'playground',
    open: async (page, { url, site }, { projectId }) => {
      await page.goto(`${url}p/${projectId}/playground?url=${encodeURIComponent(`${site.origin}/news/1`)}`);
      await page.getByRole('button', { name: 'Extract', exact: true }).click();
      await page.getByRole('tab', { name: 'Trace' }).waitFor();
      await page.evaluate(() => window.scrollTo(0, 0));
    },
  },
  {
    name: 'playground-options',
    open: async (page) => {
      await page.getByText('Options', { exact: true }).click();
      await page.getByLabel('Engine').waitFor();
      await page.getByLabel('Engine').scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'playground-trace',
    open: async (page) => {
      await page.getByRole('tab', { name: 'Trace' }).click();
      await page.getByRole('list', { name: 'Stages' }).waitFor();
    },
  },
  {
    name: 'playground-markdown',
    open: async (page) => {
      await page.getByRole('tab', { name: 'Markdown', exact: true }).click();
      await page.getByRole('group', { name: 'Rendered Markdown' }).waitFor();
    },
  },
  {
    name: 'playground-beside',
    open: async (page) => {
      await page.getByRole('tab', { name: 'Side by side' }).click();
      await page.frameLocator('iframe').locator('[data-mark]').first().waitFor();
      const tabs = page.getByRole('tablist', { name: 'Answer' });
      await tabs.evaluate((element) => window.scrollBy(0, element.getBoundingClientRect().top - 80));
    },
  },
  {
    name: 'playground-error',
    open: async (page, { url, site }, { projectId }) => {
      await page.goto(`${url}p/${projectId}/playground?url=${encodeURIComponent(`${site.origin}/gone`)}`);
      await page.getByRole('button', { name: 'Extract', exact: true }).click();
      await page.getByText('What to do next').waitFor();
    },
  },
  {
    name: 'requests',
    open: async (page, { url }, { projectId }) => {
      await page.goto(`${url}p/${projectId}/requests`);
      await page.getByRole('table').waitFor();
    },
  },
  {
    name: 'requests-failed',
    open: async (page) => {
      await page.getByLabel('Outcome').selectOption('failed');
      await page.getByRole('button', { name: 'Search' }).click();
      await page.getByText('200 OK').first().waitFor({ state: 'detached' });
    },
  },
  {
    name: 'request',
    open: async (page, { url }, { projectId, requestId }) => {
      await page.goto(`${url}p/${projectId}/requests/${requestId}`);
      await page.getByRole('list', { name: 'Stages' }).waitFor();
    },
  },
  {
    name: 'request-error',
    open: async (page, { url }, { projectId, failedRequestId }) => {
      await page.goto(`${url}p/${projectId}/requests/${failedRequestId}`);
      await page.getByRole('heading', { name: 'Error' }).waitFor();
    },
  },
  {
    name: 'batches',
    open: async (page, { url }, { projectId }) => {
      await page.goto(`${url}p/${projectId}/batches`);
      await page.getByRole('table').waitFor();
    },
  },
  {
    name: 'batch',
    open: async (page, { url }, { projectId, batchId }) => {
      await page.goto(`${url}p/${projectId}/batches/${batchId}`);
      await page.getByRole('group', { name: 'Results' }).waitFor();
    },
  },
  {
    name: 'batch-item',
    open: async (page, { url }, { projectId, batchId }) => {
      await page.goto(`${url}p/${projectId}/batches/${batchId}/items/0`);
      await page.getByRole('article', { name: 'Extracted page' }).waitFor();
    },
  },
  {
    name: 'batch-new',
    open: async (page, { url }, { projectId }) => {
      await page.goto(`${url}p/${projectId}/batches`);
      await page.getByRole('button', { name: 'New batch' }).click();
      await page.getByLabel('Addresses').waitFor();
    },
  },
  {
    name: 'search',
    open: async (page, { url, site }, { projectId }) => {
      await page.goto(`${url}p/${projectId}/overview`);
      await page.getByRole('button', { name: 'Find anything' }).click();
      await page.getByRole('combobox', { name: 'Find anything' }).fill(new URL(site.origin).host);
      await page.getByRole('option', { name: /its requests/ }).waitFor();
    },
  },
  {
    name: 'snapshots',
    open: async (page, { url }, { projectId }) => {
      await page.goto(`${url}p/${projectId}/snapshots`);
      await page.getByRole('table').waitFor();
    },
  },
  {
    name: 'snapshot',
    open: async (page, { url }, { projectId, domIds }) => {
      await page.goto(`${url}p/${projectId}/snapshots/${domIds[0] ?? ''}`);
      await page.getByLabel('Outline the main content').check();
      await page.frameLocator('iframe').locator('[data-mark]').first().waitFor();
    },
  },
  {
    name: 'snapshot-source',
    open: async (page) => {
      await page.getByRole('tab', { name: 'Source' }).click();
      await page.getByRole('group', { name: 'Source' }).waitFor();
    },
  },
  {
    name: 'compare',
    open: async (page, { url }, { projectId, domIds }) => {
      await page.goto(`${url}p/${projectId}/compare/${domIds[0] ?? ''}/${domIds[1] ?? ''}`);
      await page.getByRole('group', { name: 'Differences' }).waitFor();
    },
  },
  {
    name: 'teach',
    open: async (page, { url, site }, { projectId }) => {
      await page.goto(`${url}p/${projectId}/sites/${encodeURIComponent(new URL(site.origin).host)}`);
      await page.frameLocator('iframe').locator('[data-mark~="main"]').first().waitFor();
    },
  },
  {
    name: 'templates',
    open: async (page, { url }, { projectId }) => {
      await page.goto(`${url}p/${projectId}/templates`);
      for (const name of ['Templates', 'Sites with evidence']) await page.getByRole('group', { name }).waitFor();
    },
  },
  {
    name: 'template-fields',
    open: async (page, { url }, { projectId, template, domIds }) => {
      await page.goto(`${url}p/${projectId}/templates/${template}`);
      await page.getByLabel('Shown on').selectOption(domIds[0] ?? '');
      await page.getByRole('radio', { name: /^author/ }).check();
      await page.frameLocator('iframe').locator('[data-mark~="author"]').waitFor();
    },
  },
  {
    name: 'template-correction',
    open: async (page) => {
      await page.getByRole('button', { name: 'Correct author' }).click();
      const target = page.frameLocator('iframe').locator('span.author');
      await target.waitFor();
      await target.scrollIntoViewIfNeeded();
      await page.locator('.picker').scrollIntoViewIfNeeded();
      const box = await target.boundingBox();
      if (box) await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
      await page.getByLabel('Selector').waitFor();
    },
  },
  {
    name: 'template-results',
    open: async (page) => {
      await page.getByRole('tab', { name: 'Fill rates' }).click();
      await page.getByRole('group', { name: 'Page by page' }).waitFor();
    },
  },
  {
    name: 'template-history',
    open: async (page) => {
      await page.getByRole('tab', { name: 'Versions' }).click();
      await page.getByRole('group', { name: 'Versions' }).waitFor();
    },
  },
  ...['keys', 'examples', 'projects', 'alerts', 'members', 'audit', 'health', 'account'].map((section) => ({
    name: `settings-${section}`,
    open: async (page: Page, { url }: RunningConsole) => {
      await page.goto(`${url}settings/${section}`);
      await page.getByRole('tab', { selected: true }).first().waitFor();
      await page.getByRole('status').waitFor({ state: 'detached' });
    },
  })),
];
