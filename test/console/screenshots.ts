/**
 * Draws every page of the console, on a desk and on a phone, light and dark, into `docs/console/`:
 * `node test/console/screenshots.ts`, or with a folder of its own.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { fillConsole } from './fill-console.ts';
import { fillFigures } from './fill-figures.ts';
import { CONSOLE_PAGES } from './console-pages.ts';
import { shrinkPng } from './shrink-png.ts';
import { ADMIN, setUp, signIn, startConsole } from './start-console.ts';

const FOLDER = process.argv[2] ?? fileURLToPath(new URL('../../docs/console', import.meta.url));

const SCREENS = [
  { name: 'desktop', viewport: { width: 1280, height: 800 } },
  { name: 'phone', viewport: { width: 390, height: 780 } },
] as const;

const running = await startConsole({
  WINNOW_BASE_URL_OVERSEAS: 'https://overseas.example.com',
  WINNOW_CONSOLE_URL_OVERSEAS: 'https://overseas.example.com/console',
  WINNOW_REGION: 'europe',
});
try {
  await mkdir(FOLDER, { recursive: true });
  const { page, context } = await running.open();
  await setUp(page, running.setupUrl);
  const filled = await fillConsole(page, running);
  await fillFigures(running.folder, filled.projectId);
  await context.close();
  for (const { name, viewport } of SCREENS) {
    for (const colorScheme of ['light', 'dark'] as const) {
      const window = await running.open({ viewport, colorScheme, locale: 'en-GB', timezoneId: 'UTC' });
      await draw(window.page, 'sign-in', running.url, `${name}-${colorScheme}`);
      await signIn(window.page, running.url, ADMIN.email, ADMIN.password);
      await window.page.getByRole('heading', { name: 'Overview' }).waitFor();
      for (const one of CONSOLE_PAGES) {
        await one.open(window.page, running, filled);
        await save(window.page, one.name, `${name}-${colorScheme}`);
      }
      await window.context.close();
    }
  }
} finally {
  await running.close();
}

async function draw(page: Page, pageName: string, url: string, suffix: string): Promise<void> {
  await page.goto(url);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await save(page, pageName, suffix);
}

async function save(page: Page, pageName: string, suffix: string): Promise<void> {
  await writeFile(join(FOLDER, `${pageName}-${suffix}.png`), shrinkPng(await page.screenshot()));
  process.stdout.write(`${pageName}-${suffix}.png\n`);
}
