import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import type axe from 'axe-core';
import type { BrowserContext, Page } from 'playwright-core';
import { CONSOLE_PAGES } from './console-pages.ts';
import { callAdmin, fillConsole } from './fill-console.ts';
import type { Filled } from './fill-console.ts';
import { setUp, startConsole } from './start-console.ts';
import type { RunningConsole } from './start-console.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const NARROWEST = { width: 390, height: 780 };
const WIDTHS = [NARROWEST.width, 768, 1280, 1920] as const;

/** Every width in both themes, since colours and layout differ. */
const LOOKS = WIDTHS.flatMap((width) =>
  (['light', 'dark'] as const).map((colorScheme) => ({
    name: `${width} px, ${colorScheme}`,
    viewport: { width, height: NARROWEST.height },
    colorScheme,
  })),
);

let running: RunningConsole;
let filled: Filled;
let state: Awaited<ReturnType<BrowserContext['storageState']>>;

before(async () => {
  running = await startConsole();
  const { page, context } = await running.open();
  await page.goto(running.setupUrl);
  await page.getByLabel('Password').waitFor();
  await assertAccessible(page, 'welcome');
  await setUp(page, running.setupUrl);
  filled = await fillConsole(page, running);
  state = await context.storageState();
  await context.close();
});
after(() => running.close());

test('every page passes axe, fits its width and has its controls in sight, in every look', async () => {
  const outside = await running.open();
  await outside.page.setViewportSize(NARROWEST);
  await outside.page.goto(running.url);
  await outside.page.getByLabel('E-mail').waitFor();
  await assertAccessible(outside.page, 'sign-in');
  await outside.context.close();

  const { page, context } = await running.open({ storageState: state });
  const faults: string[] = [];
  for (const one of CONSOLE_PAGES) {
    // Pages are operated at the narrowest width, where elements are most likely out of reach.
    await page.setViewportSize(NARROWEST);
    await one.open(page, running, filled);
    faults.push(...(await findFaults(page, one.name)));
  }
  assert.equal(faults.join('\n'), '');
  await page.setViewportSize(NARROWEST);
  await page.goto(`${running.url}settings/keys`);
  await page.getByRole('button', { name: 'Create a key' }).click();
  await page.getByRole('dialog').waitFor();
  await assertAccessible(page, 'dialog');
  await context.close();
});

test('every step to an extraction works with the keyboard alone', async () => {
  const { page, context } = await running.open({ storageState: state });
  await page.goto(`${running.url}p/${filled.projectId}/playground`);
  await page.getByLabel('Page URL').waitFor();
  await page.keyboard.press('Tab');
  assert.equal(await focused(page), 'Skip to the content');
  await page.keyboard.press('Enter');
  for (let count = 0; (await focused(page)) !== 'Page URL' && count < 10; count += 1) await page.keyboard.press('Tab');
  await page.keyboard.type(`${running.site.origin}/news/3`);
  await page.keyboard.press('Enter');
  await page.getByRole('tab', { name: 'Page' }).waitFor();
  await page.getByRole('tab', { name: 'Page' }).focus();
  for (let count = 0; (await focused(page)) !== 'Trace' && count < 6; count += 1)
    await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await page.getByRole('list', { name: 'Stages' }).waitFor();

  await page.goto(`${running.url}settings/keys`);
  await page.getByRole('button', { name: 'Create a key' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  assert.equal(await focused(page), 'Create a key');
  await context.close();
});

test('right-to-left text is displayed from right to left, and the text around it is not', async () => {
  const { page, context } = await running.open({ storageState: state });
  const name = 'دليل الوادي';
  const { project } = await callAdmin<{ project: { id: string } }>(await signedIn(page), 'POST', '/projects', { name });
  await page.goto(`${running.url}p/${project.id}/playground?url=${encodeURIComponent(`${running.site.origin}/ar/1`)}`);
  await page.locator('bdi').getByText('دليل الوادي').waitFor();
  await page.getByRole('button', { name: 'Extract', exact: true }).click();
  const article = page.getByRole('article', { name: 'Extracted page' });
  for (const part of [article.getByRole('heading'), article.getByRole('paragraph').first()])
    assert.equal(await part.evaluate((element) => getComputedStyle(element).direction), 'rtl');
  await context.close();
});

test('a snapshot with a long address takes a few lines of the list, on a phone too', async () => {
  for (const { name, ...look } of LOOKS) {
    const { page, context } = await running.open({ ...look, storageState: state });
    const url = `${running.site.origin}/news/1?q=${'a'.repeat(4000)}`;
    await callAdmin(await signedIn(page), 'POST', `/projects/${filled.projectId}/extract`, { extract: { url } });
    await page.goto(`${running.url}p/${filled.projectId}/snapshots`);
    const box = await page.getByRole('row').filter({ hasText: 'aaaa' }).first().boundingBox();
    assert.ok(box !== null && box.height < 300, `${name}: ${box?.height}`);
    await context.close();
  }
});

/** Opens the console, from which calls can be made. */
async function signedIn(page: Page): Promise<Page> {
  await page.goto(running.url);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  return page;
}

/** Returns the text or label of the focused element. */
async function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const element = document.activeElement;
    const label = element instanceof HTMLInputElement ? element.labels?.[0]?.textContent : element?.textContent;
    return (label ?? '').trim();
  });
}

async function assertAccessible(page: Page, where: string): Promise<void> {
  assert.deepEqual(await findFaults(page, where), []);
}

/** Returns the findings of axe and any horizontal overflow, in every look. */
async function findFaults(page: Page, where: string): Promise<string[]> {
  // Through the debugger, which bypasses the page's policy.
  await page.evaluate(AXE);
  const faults: string[] = [];
  for (const { name, viewport, colorScheme } of LOOKS) {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    faults.push(...(await findFaultsOfLook(page, `${where} (${name})`)));
  }
  return faults;
}

async function findFaultsOfLook(page: Page, where: string): Promise<string[]> {
  await page.evaluate(async () => {
    // Scrolled content under the sticky header would count as too close to the controls in it.
    window.scrollTo(0, 0);
    // Charts are drawn again in the frame after the window changed.
    for (let frame = 0; frame < 2; frame += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
  });
  const width = page.viewportSize()?.width ?? 0;
  const found = describe(await runAxe(page));
  const needed = await page.evaluate(() => document.documentElement.scrollWidth);
  const hidden = await page.evaluate(findHiddenControls);
  return [
    ...found.map((fault) => `${where}: ${fault}`),
    ...(needed > width ? [`${where}: is ${needed} wide in a window of ${width}`] : []),
    ...hidden.map((control) => `${where}: out of sight: ${control}`),
  ];
}

async function runAxe(page: Page): Promise<axe.AxeResults> {
  return page.evaluate(() => {
    const loaded = window as unknown as { axe: typeof axe };
    return loaded.axe.run(document, {
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
      resultTypes: ['violations'],
    });
  });
}

/** Returns the controls that lie beside the window or beside what scrolls around them. */
function findHiddenControls(): string[] {
  const shown = [...document.querySelectorAll('a, button, input, select, textarea, summary')].filter((control) => {
    const { width, height } = control.getBoundingClientRect();
    return width > 1 && height > 1 && control.checkVisibility();
  });
  return shown.flatMap((control) => {
    const { left, right } = control.getBoundingClientRect();
    for (let around = control.parentElement; around; around = around.parentElement) {
      const style = getComputedStyle(around);
      const box = around === document.documentElement ? { left: 0, right: innerWidth } : around.getBoundingClientRect();
      const cuts = around === document.documentElement || style.overflowX !== 'visible';
      if (cuts && (left < box.left - 1 || right > box.right + 1))
        return [`${control.outerHTML.slice(0, 120)} in ${around.localName}.${around.className}`];
    }
    return [];
  });
}

function describe(results: axe.AxeResults): string[] {
  return results.violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.html.slice(0, 200)} ${node.failureSummary ?? ''}`),
  );
}
