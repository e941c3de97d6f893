import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { MARK } from '../../../../../test/site/route.ts';
import { readConfig } from '../../config/config.ts';
import { AppError } from '../../domain/shared/errors.ts';
import { readFetcherOptions } from '../../composition/open-fetcher.ts';
import { DevtoolsConnection } from '../chromium/devtools/devtools-connection.ts';
import { openSocketTransport } from '../chromium/devtools/devtools-socket.ts';
import type { LaunchedBrowser } from '../chromium/browsers/launch-browser.ts';
import { createTestFetcher } from '../../composition/testing/test-fetcher.ts';
import type { EngineFetcher } from '../create-fetcher.ts';
import {
  launchExternalBrowser,
  startExternalBrowsers,
  startRelayEndpoint,
} from '../../composition/testing/external-browsers.ts';
import type { RelayEndpoint } from '../../composition/testing/external-browsers.ts';

const { site, browsers, open, get, socketUrl, close } = await startExternalBrowsers();
after(close);

/** Creates the engines from environment variables. */
const configured = (environment: Record<string, string>): EngineFetcher =>
  createTestFetcher({ egress: { allow: site.allow, deny: [] }, ...readFetcherOptions(readConfig(environment)) });

const httpUrl = (index: number): string => `http://${new URL(socketUrl(index)).host}`;

void test('captures are distributed over browsers given as ws:// or http:// addresses', async () => {
  const fetcher = open([socketUrl(0), httpUrl(1)]);
  try {
    const pages = await Promise.all(Array.from({ length: 4 }, () => get(fetcher, '/many')));
    for (const page of pages) assert.ok(page.html.includes(MARK));
    assert.deepEqual(fetcher.stats().cdp, { browsers: 2, active: 0, started: 2, killedRenderers: 0 });
    const check = (await fetcher.check()).find(({ engine }) => engine === 'chrome_cdp');
    assert.deepEqual(check, { engine: 'chrome_cdp', ok: true, detail: '2 of 2 CDP browsers answer' });
  } finally {
    await fetcher.close();
  }
});

void test('an unreachable browser is ejected and the others take its captures', async () => {
  const fetcher = open(['http://127.0.0.1:9', socketUrl(0)]);
  try {
    assert.ok((await get(fetcher, '/static')).html.includes(MARK));
    const check = (await fetcher.check()).find(({ engine }) => engine === 'chrome_cdp');
    assert.equal(check?.detail, '1 of 2 CDP browsers answer');
  } finally {
    await fetcher.close();
  }
});

/** Starts an endpoint that drops the data of documents, as after a crash of the network process. */
const startLosingEndpoint = (target: URL): Promise<RelayEndpoint> =>
  startRelayEndpoint(target, (socket, upstream) => {
    const alter = (name: string, other: string) => (chunk: Buffer) =>
      Buffer.from(chunk.toString('latin1').replaceAll(name, other), 'latin1');
    // Compressed frames could not be altered.
    const offerNothing = alter('permessage-deflate', 'permessage-nothing');
    const lose = alter('Network.dataReceived', 'Network.dataWasLost_');
    socket.on('data', (chunk: Buffer) => upstream.write(offerNothing(chunk)));
    upstream.on('data', (chunk: Buffer) => socket.write(lose(chunk)));
  });

void test('captures fail over when their document is lost inside the browser', async () => {
  const losing = await startLosingEndpoint(new URL(socketUrl(1)));
  const alone = open([losing.url]);
  const fetcher = open([losing.url, socketUrl(0)]);
  try {
    await assert.rejects(
      get(alone, '/with-length'),
      (error) => error instanceof AppError && error.code === 'render_failed' && /document was lost/.test(error.message),
    );
    const page = await get(fetcher, '/with-length');
    assert.ok(page.html.includes(MARK) && (page.bodyBytes ?? 0) > 0);
  } finally {
    await alone.close();
    await fetcher.close();
    losing.close();
  }
});

void test('a capture whose page is closed by another client is restarted', async () => {
  const fetcher = open([socketUrl(0)]);
  const other = new DevtoolsConnection(await openSocketTransport(socketUrl(0), 5000));
  try {
    let closed = 0;
    other.on('Target.targetInfoChanged', ({ targetInfo }: { targetInfo: { targetId: string; url: string } }) => {
      if (closed > 0 || !targetInfo.url.endsWith('/many')) return;
      closed += 1;
      other.send('Target.closeTarget', { targetId: targetInfo.targetId }).catch(() => {});
    });
    await other.send('Target.setDiscoverTargets', { discover: true });
    const page = await get(fetcher, '/many');
    assert.ok(page.html.includes(MARK));
    assert.equal(closed, 1);
    // Otherwise the first attempt would have waited until the deadline after 60 s.
    assert.ok(!page.partial && (page.attempts[0]?.elapsedMs ?? Infinity) < 40_000);
  } finally {
    other.close();
    await fetcher.close();
  }
});

void test('a browser too slow for a health check gets no new captures and keeps running ones', async () => {
  const fetcher = open([socketUrl(0)]);
  const pid = browsers[0]?.pid ?? 0;
  try {
    const work = get(fetcher, '/many?stopped');
    while (!site.requests.includes('/many?stopped')) await new Promise((resolve) => setTimeout(resolve, 10));
    process.kill(pid, 'SIGSTOP');
    const check = (await fetcher.check()).find(({ engine }) => engine === 'chrome_cdp');
    assert.equal(check?.detail, '0 of 1 CDP browsers answer');
    process.kill(pid, 'SIGCONT');
    assert.equal((await work).statusCode, 200);
    assert.equal(fetcher.stats().cdp.started, 1);
  } finally {
    process.kill(pid, 'SIGCONT');
    await fetcher.close();
  }
});

// Checks: threat-revealing-message
void test('without any browser captures fail with engine_unavailable, and each fault is named', async () => {
  const fetcher = open(['http://127.0.0.1:9', 'ws://127.0.0.1:9/devtools/browser/x?token=secret']);
  try {
    // Numbers instead of addresses, which callers must not learn.
    const message = 'no CDP browser answers (1: ECONNREFUSED; 2: no WebSocket connection)';
    await assert.rejects(get(fetcher, '/static'), { code: 'engine_unavailable', message });
  } finally {
    await fetcher.close();
  }
});

void test('browser proxies listen on the configured address, and browsers use the configured name', async () => {
  // Our own browsers resolve only the address of our proxies.
  const browser = await launchExternalBrowser(['--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.2']);
  const remote = { WINNOW_CDP_URLS: browser.socketUrl ?? '', WINNOW_CDP_LANE_HOST: '127.0.0.2' };
  const reachable = configured({ ...remote, WINNOW_CDP_LANE_LISTEN: '127.0.0.2' });
  const elsewhere = configured({ ...remote, WINNOW_CDP_LANE_LISTEN: '127.0.0.3' });
  try {
    assert.ok((await get(reachable, '/static')).html.includes(MARK));
    await assert.rejects(get(elsewhere, '/static'), AppError, 'nothing listens at 127.0.0.2');
  } finally {
    await Promise.all([reachable.close(), elsewhere.close()]);
    await browser.close();
  }
});

void test('with cdpForAll every Chromium engine uses the fleet, and no browser is started', async () => {
  const fetcher = configured({
    WINNOW_CDP_URLS: socketUrl(0),
    WINNOW_CDP_FOR_ALL: 'true',
    WINNOW_CHROMIUM: '/nowhere/chromium',
  });
  try {
    for (const engine of ['chrome', 'vendor_lite', 'vendor_dcl', 'vendor_dom', 'stable'] as const)
      assert.ok((await get(fetcher, '/static', engine)).html.includes(MARK), engine);
    const { local, cdp } = fetcher.stats();
    assert.deepEqual([local.started, cdp.started], [0, 1]);
    for (const { engine, ok } of await fetcher.check()) assert.ok(ok, engine);
  } finally {
    await fetcher.close();
  }
});

/** Clicks on the page with this URL, as another client could. */
async function clickOn(browser: LaunchedBrowser, url: string): Promise<void> {
  const { connection } = browser;
  const { targetInfos } = await connection.send('Target.getTargets');
  const target = targetInfos.find((one) => one.url === url);
  if (target === undefined) return;
  const { targetId } = target;
  const attached = await connection.send('Target.attachToTarget', { targetId, flatten: true });
  const page = connection.session(attached.sessionId);
  for (const type of ['mousePressed', 'mouseReleased'] as const)
    await page.send('Input.dispatchMouseEvent', { type, x: 100, y: 100, button: 'left', clickCount: 1 });
  page.end();
  await connection.send('Target.detachFromTarget', attached);
}

void test('a page with a beforeunload dialog can navigate', async () => {
  const browser = await launchExternalBrowser();
  const fetcher = open([browser.socketUrl ?? '']);
  try {
    // Browsers show the dialog only after a user gesture.
    const countNavigations = (): number => site.requests.filter((path) => path === '/static').length;
    const before = countNavigations();
    const work = get(fetcher, '/asks-to-stay');
    const isCaptured = work.then(() => true);
    // Chromium drops clicks before the first frame; a later one may meet the page as it closes.
    while (countNavigations() === before) {
      await clickOn(browser, `${site.origin}/asks-to-stay`).catch(() => {});
      if (await Promise.race([isCaptured, new Promise((resolve) => setTimeout(resolve, 100, false))])) break;
    }
    const { finalUrl, html, partial } = await work;
    assert.deepEqual([finalUrl, html.includes(MARK), partial], [`${site.origin}/static`, true, false]);
  } finally {
    await fetcher.close();
    await browser.close();
  }
});
