import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { chromium } from 'playwright-core';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { readConfig } from '../../packages/server/src/config/config.ts';
import { createLogger } from '../../packages/server/src/composition/process/logger.ts';
import { startService } from '../../packages/server/src/composition/main.ts';
import type { Service } from '../../packages/server/src/composition/main.ts';
import { startNewsSite } from './news-site.ts';
import type { NewsSite } from './news-site.ts';

export const ADMIN = { email: 'admin@example.com', password: 'a horse that staples' } as const;

const CONSOLE = fileURLToPath(new URL('../../packages/console', import.meta.url));
const CHROMIUM = process.env['WINNOW_CHROMIUM'] ?? '/usr/bin/chromium-headless-shell';

export interface RunningConsole {
  readonly service: Service;
  readonly site: NewsSite;
  readonly browser: Browser;
  readonly url: string;
  readonly setupUrl: string;
  /** The service's data folder. */
  readonly folder: string;
  /** Opens a window without the cookies of the others. */
  open(options?: BrowserContextOptions): Promise<{ page: Page; context: BrowserContext }>;
  close(): Promise<void>;
}

/** Starts a service with its console, a site and a browser; calls share nothing. */
export async function startConsole(environment: Readonly<Record<string, string>> = {}): Promise<RunningConsole> {
  buildConsole();
  const site = await startNewsSite();
  const folder = await mkdtemp(join(tmpdir(), 'winnow-console-'));
  const config = readConfig({
    WINNOW_PORT: '0',
    WINNOW_DATA_DIR: folder,
    WINNOW_EGRESS_ALLOW: `127.0.0.1:${site.port}`,
    WINNOW_WORKER_THREADS: '1',
    WINNOW_SELF_TEST: 'false',
    WINNOW_KEEP_WARM: '0s',
    // The start of a browser takes long on a busy machine.
    WINNOW_FETCH_TIMEOUT: '60s',
    WINNOW_DUMP_TIMEOUT: '60s',
    WINNOW_STAGE_TIMEOUT: '60s',
    ...environment,
  });
  const service = await startService(config, createLogger(process.env['WINNOW_TEST_LOG'] ?? 'silent'));
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] });
  return {
    service,
    site,
    browser,
    url: `${service.url}/console/`,
    setupUrl: service.setupUrl ?? '',
    folder,
    open: async (options) => {
      const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
      const page = await context.newPage();
      page.setDefaultTimeout(30_000);
      return { page, context };
    },
    close: async () => {
      await browser.close();
      await service.close();
      await site.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** `npm test` has built the console before; a test that runs alone builds it when it is missing. */
function buildConsole(): void {
  if (existsSync(join(CONSOLE, 'dist', 'index.html'))) return;
  const vite = join(CONSOLE, '..', '..', 'node_modules', '.bin', 'vite');
  const { status } = spawnSync(vite, ['build', '--logLevel', 'warn'], { cwd: CONSOLE, stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error('the console could not be built');
}

/** Creates the first administrator through the one-time link. */
export async function setUp(page: Page, setupUrl: string): Promise<void> {
  await page.goto(setupUrl);
  await page.getByLabel('E-mail').fill(ADMIN.email);
  await page.getByLabel('Password').fill(ADMIN.password);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
}

export async function signIn(page: Page, url: string, email: string, password: string): Promise<void> {
  await page.goto(url);
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Searches the open list of snapshots for the site's second article, and opens its newest snapshot. */
export async function openSecondArticle(page: Page, search: string): Promise<void> {
  await page.getByLabel('URL contains').fill(search);
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByRole('link', { name: /Harbour opens/ }).waitFor({ state: 'detached' });
  await page
    .getByRole('link', { name: /Library trades/ })
    .first()
    .click();
}
