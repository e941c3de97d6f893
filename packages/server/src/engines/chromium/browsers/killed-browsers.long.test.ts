/** Captures survive killed, stopped and oversized browsers. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { MARK } from '../../../../../../test/site/route.ts';
import { AppError } from '../../../domain/shared/errors.ts';
import type { Capture } from '../../../domain/capture/capture-ports.ts';
import type { EngineFetcher } from '../../create-fetcher.ts';
import { isBrowser, ownHelpers, until, untilNoneIsLeft } from '../../testing/own-browsers.ts';
import { startSeparateEngines } from '../../../composition/testing/test-site-engines.ts';

const { site, open, get } = await startSeparateEngines();
after(() => site.close());

const MIB = 1_048_576;
/** One engine per connection type and readiness. */
const CAPTURING = ['chrome', 'chrome_cdp', 'vendor_dom'] as const;

/** Process types of a browser except its main process, by command line. */
const HELPERS: Readonly<Record<string, (command: string) => boolean>> = {
  'the zygote of renderers': (command) => command.includes('--type=zygote') && !command.includes('--no-zygote-sandbox'),
  'the zygote of other processes': (command) => command.includes('--no-zygote-sandbox'),
  'the GPU process': (command) => command.includes('--type=gpu-process'),
  'the network process': (command) => command.includes('network.mojom.NetworkService'),
  'every renderer': (command) => command.includes('--type=renderer'),
};

/** Stops a helper process, which then answers nothing. */
const stop = (name: string, browser: number | undefined): void => {
  for (const pid of ownHelpers(HELPERS[name]!, browser)) process.kill(pid, 'SIGSTOP');
};

/** A page with a late DOMContentLoaded, at which its mark is present. */
const SLOW_PAGE = '/slow-script';

for (const [name, isWanted] of Object.entries(HELPERS)) {
  // Checks: threat-browser-fault
  void test(`no capture fails when ${name} of its browser is killed`, async () => {
    const fetcher = open({ browserConcurrency: CAPTURING.length });
    const active = (): number => fetcher.stats().local.active + fetcher.stats().cdp.active;
    const requestCount = (): number => site.requests.filter((path) => path === `${SLOW_PAGE}.js`).length;
    try {
      // Both browsers run first, so that all captures are concurrent.
      await Promise.all([get(fetcher, 'chrome', '/static'), get(fetcher, 'chrome_cdp', '/static')]);
      const requestsBefore = requestCount();
      const work = Promise.all(CAPTURING.map((engine) => get(fetcher, engine, SLOW_PAGE)));
      const isUnderWay = (): boolean => active() === CAPTURING.length && requestCount() > requestsBefore;
      await until(() => isUnderWay() && ownHelpers(isWanted).length > 0, 'captures under way');
      for (const pid of ownHelpers(isWanted)) process.kill(pid, 'SIGKILL');
      for (const [index, page] of (await work).entries())
        assert.deepEqual([page.statusCode, page.html.includes(MARK)], [200, true], CAPTURING[index]);
      for (const engine of ['vendor_dom', 'chrome_cdp'] as const)
        assert.ok((await get(fetcher, engine, SLOW_PAGE)).html.includes(MARK), engine);
    } finally {
      await fetcher.close();
    }
    await untilNoneIsLeft();
  });
}

// Checks: threat-browser-fault
void test('a capture survives three killed browsers and fails with the fourth', async () => {
  const fetcher = open();
  const requestCount = (): number => site.requests.filter((path) => path === `${SLOW_PAGE}.js`).length;
  const captureUnderKills = async (kills: number): Promise<string> => {
    const startedBefore = fetcher.stats().local.started;
    const work = get(fetcher, 'vendor_dom', SLOW_PAGE).then(
      ({ html }) => (html.includes(MARK) ? 'whole' : 'without its mark'),
      (error: unknown) => (error instanceof AppError ? error.code : String(error)),
    );
    for (let kill = 1; kill <= kills; kill += 1) {
      const requestsBefore = requestCount();
      await until(() => requestCount() > requestsBefore && ownHelpers(isBrowser).length === 1, `try ${kill}`);
      for (const pid of ownHelpers(isBrowser)) process.kill(pid, 'SIGKILL');
    }
    return `${await work} in ${fetcher.stats().local.started - startedBefore} browsers`;
  };
  try {
    assert.equal(await captureUnderKills(3), 'whole in 4 browsers');
    // The first browser is already running.
    assert.equal(await captureUnderKills(4), 'render_failed in 3 browsers');
    assert.ok((await get(fetcher, 'vendor_dom', SLOW_PAGE)).html.includes(MARK));
  } finally {
    await fetcher.close();
  }
  await untilNoneIsLeft();
});

// Checks: threat-browser-fault
void test('a browser that cannot open pages is replaced, and its captures are restarted', async () => {
  const stopped = ['the zygote of renderers', 'the network process'];
  const fetchers = stopped.map(() => open());
  const browsers: number[] = [];
  try {
    for (const fetcher of fetchers) {
      await get(fetcher, 'vendor_dcl', '/static');
      browsers.push(...ownHelpers(isBrowser).filter((pid) => !browsers.includes(pid)));
    }
    for (const [index, name] of stopped.entries()) stop(name, browsers[index]);
    const captureAll = (fetcher: EngineFetcher): Promise<Capture[]> =>
      Promise.all(Array.from({ length: 3 }, () => get(fetcher, 'vendor_dcl', '/static')));
    for (const pages of await Promise.all(fetchers.map(captureAll)))
      for (const page of pages) assert.ok(page.html.includes(MARK));
    for (const fetcher of fetchers) assert.equal(fetcher.stats().local.started, 2);
  } finally {
    await Promise.all(fetchers.map((fetcher) => fetcher.close()));
  }
  await untilNoneIsLeft();
});

// Checks: threat-browser-fault
void test('a browser whose own processes use too much memory is replaced without harming its captures', async () => {
  const reasons: string[] = [];
  const note = ({ reason }: { reason?: unknown }): void => {
    if (typeof reason === 'string') reasons.push(reason);
  };
  const logger = { debug() {}, info: note, warn() {}, error() {} };
  const fetcher = open({ recycleAboveBytes: 300 * MIB, logger });
  try {
    // Control: the usual cost of pages is below the limit.
    for (let count = 0; count < 3; count += 1) await get(fetcher, 'chrome', '/many');
    assert.equal(fetcher.stats().local.started, 1);
    const hog = get(fetcher, 'chrome', '/blob-hog?load=never', 20_000);
    await until(() => fetcher.stats().local.started === 2, 'the replacement');
    assert.ok((await get(fetcher, 'vendor_dcl', '/static')).html.includes(MARK));
    const { partial, html } = await hog;
    assert.deepEqual([partial, html.includes(MARK)], [true, true]);
    await until(() => fetcher.stats().local.browsers === 1, 'the large browser to end');
    assert.match(reasons[0] ?? '', /^too much memory \(\d+ MiB\)$/);
    assert.equal(fetcher.stats().local.started, 2);
  } finally {
    await fetcher.close();
  }
  await untilNoneIsLeft();
});
