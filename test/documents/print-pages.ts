import { chromium } from 'playwright-core';
import type { PrintedPage } from './printed-pages.ts';

const CHROMIUM = process.env['WINNOW_CHROMIUM'] ?? '/usr/bin/chromium-headless-shell';

const MARGIN = { top: '2cm', bottom: '2cm', left: '2cm', right: '2cm' };

/** Prints pages to PDF as Chromium does. */
export async function printPages(pages: readonly PrintedPage[]): Promise<Uint8Array[]> {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] });
  try {
    const page = await browser.newPage();
    const printed: Uint8Array[] = [];
    for (const { html, landscape = false, hasHeads = false } of pages) {
      await page.setContent(html);
      printed.push(await page.pdf({ landscape, displayHeaderFooter: hasHeads, margin: MARGIN }));
    }
    return printed;
  } finally {
    await browser.close();
  }
}
