/**
 * `node test/console/screenshots.ts` draws the pictures that the documentation shows into `docs/console/`; with a folder
 * it draws every page there, on a desktop and on a phone, light and dark.
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

const OWN_FOLDER = process.argv[2];
const FOLDER = OWN_FOLDER ?? fileURLToPath(new URL('../../docs/console', import.meta.url));

/** The pictures that the documentation shows. */
const SHOWN: ReadonlySet<string> = new Set([
  'overview-desktop-light',
  'requests-desktop-light',
  'batch-desktop-light',
  'snapshots-desktop-light',
  'template-fields-desktop-light',
  'template-history-desktop-light',
  'settings-keys-desktop-light',
  'settings-health-desktop-light',
  'playground-beside-desktop-light',
  'playground-desktop-dark',
  'search-desktop-dark',
  'request-desktop-dark',
  'compare-desktop-dark',
  'requests-phone-dark',
  'batch-phone-dark',
]);

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
  await fillFigures(running.folder, filled);
  await context.close();
  for (const { name, viewport } of SCREENS) {
    for (const colorScheme of ['light', 'dark'] as const) {
      if (!isWantedIn(`${name}-${colorScheme}`)) continue;
      const window = await running.open({ viewport, colorScheme, locale: 'en-GB', timezoneId: 'UTC' });
      // The machine may be busy.
      window.page.setDefaultTimeout(60_000);
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

function isWantedIn(look: string): boolean {
  return OWN_FOLDER !== undefined || [...SHOWN].some((picture) => picture.endsWith(look));
}

async function draw(page: Page, pageName: string, url: string, suffix: string): Promise<void> {
  await page.goto(url);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await save(page, pageName, suffix);
}

async function save(page: Page, pageName: string, suffix: string): Promise<void> {
  const picture = `${pageName}-${suffix}`;
  if (OWN_FOLDER === undefined && !SHOWN.has(picture)) return;
  await writeFile(join(FOLDER, `${picture}.png`), shrinkPng(await page.screenshot()));
  process.stdout.write(`${picture}.png\n`);
}
