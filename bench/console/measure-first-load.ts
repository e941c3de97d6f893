import type { RunningConsole } from '../../test/console/start-console.ts';

export interface FirstLoad {
  /** Transferred bytes of all responses, headers included. */
  readonly bytes: number;
  readonly requests: number;
  /** Milliseconds from the start of the navigation until the form is painted and accepts input. */
  readonly interactiveMs: number;
}

/** Visits the console in a new browser context. */
export async function measureFirstLoad(running: RunningConsole): Promise<FirstLoad> {
  const { page, context } = await running.open();
  const debug = await context.newCDPSession(page);
  await debug.send('Network.enable');
  let bytes = 0;
  let requests = 0;
  debug.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
    requests += 1;
  });
  const started = performance.now();
  await page.goto(running.url, { waitUntil: 'commit' });
  const email = page.getByLabel('E-mail');
  await email.waitFor();
  // The page is interactive when it accepts typed text.
  await email.fill('a@example.com');
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0))));
  const interactiveMs = performance.now() - started;
  await page.waitForLoadState('networkidle');
  await context.close();
  return { bytes, requests, interactiveMs };
}
