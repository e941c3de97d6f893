/** Pages that use much memory or CPU time, and killed browsers. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { MARK } from '../../../../../../test/site/route.ts';
import { CaptureError } from '../../../domain/capture/capture-error.ts';
import type { AppError } from '../../../domain/shared/errors.ts';
import { failureOf } from '../../testing/assert-fails.ts';
import { ownBrowsers, ownHelpers, readProc, until, untilNoneIsLeft } from '../../testing/own-browsers.ts';
import { startSeparateEngines } from '../../../composition/testing/test-site-engines.ts';

const { site, open, get } = await startSeparateEngines();
after(() => site.close());

const MIB = 1_048_576;

// Checks: threat-endless-script
void test('memory hogs, endless scripts and crashes do not harm concurrent captures', async () => {
  const fetcher = open({ maxRendererBytes: 400 * MIB });
  try {
    // The browser starts before the measured captures.
    await get(fetcher, 'vendor_dcl', '/static');
    const hostile = ['/memory-hog', '/endless-script', '/endless-script-later'].map((path) =>
      get(fetcher, 'vendor_dom', path, 12_000).then(
        ({ html, partial }) => `${path} ${partial ? 'partial' : 'whole'} ${html.includes(MARK)}`,
        (error: AppError) => `${path} ${error.code}`,
      ),
    );
    const bystanders = Array.from({ length: 12 }, () => get(fetcher, 'vendor_lite', '/client'));
    for (const page of await Promise.all(bystanders)) assert.ok(page.html.includes(MARK));
    const outcomes = await Promise.all(hostile);
    assert.equal(outcomes[1], '/endless-script partial true');
    assert.equal(outcomes[2], '/endless-script-later partial true');
    assert.match(outcomes[0] ?? '', /render_failed|whole|partial/);
  } finally {
    await fetcher.close();
  }
  await untilNoneIsLeft();
});

// Checks: threat-foreign-page
void test('a page that navigates while it is read is never stored under another address', async () => {
  const fetcher = open({ dnsServers: [site.dns.address] });
  const target = `${site.named('other.test')}/no-such-page`;
  try {
    for (const engine of ['vendor_dom', 'chrome'] as const) {
      for (const afterMs of [0, 25]) {
        const path = `/leaves-when-read?after=${afterMs}&for=${encodeURIComponent(target)}`;
        const page = await get(fetcher, engine, path).catch((error: unknown) => {
          assert.ok(error instanceof CaptureError && error.capture, String(error));
          return error.capture;
        });
        const { finalUrl, statusCode, html } = page;
        const expected = html.includes(MARK) ? [site.origin + path, 200] : [target, 404];
        assert.deepEqual([finalUrl, statusCode], expected, `${engine}, after ${afterMs} ms`);
      }
    }
  } finally {
    await fetcher.close();
  }
});

// Checks: threat-browser-fault
void test('a page whose renderer is killed is not blamed for an earlier memory hog', async () => {
  const fetcher = open({ maxRendererBytes: 300 * MIB });
  try {
    const failure = await failureOf(get(fetcher, 'chrome', '/memory-hog?load=never', 20_000), 'a memory hog');
    assert.match(failure.message, /^the page took too much memory \(\d+ MiB\)/);
    const work = get(fetcher, 'chrome', '/slow-script');
    await until(() => site.requests.includes('/slow-script.js'), 'the page to load');
    for (const pid of ownHelpers((command) => command.includes('--type=renderer'))) process.kill(pid, 'SIGKILL');
    assert.ok((await work).html.includes(MARK));
  } finally {
    await fetcher.close();
  }
});

// Checks: threat-endless-script
void test('a renderer whose workers use too much CPU time is ended, and its browser continues', async () => {
  const fetcher = open({ maxRendererCpuMs: 3000 });
  try {
    const failure = await failureOf(get(fetcher, 'chrome', '/busy-workers?load=never', 30_000), 'busy workers');
    assert.equal(failure.code, 'render_failed');
    assert.match(failure.message, /too much processor time \(\d+ s\)/);
    const { started, killedRenderers } = fetcher.stats().local;
    assert.deepEqual([started, killedRenderers], [1, 1]);
    // A page with the same load that is ready earlier is captured.
    assert.ok((await get(fetcher, 'vendor_dcl', '/busy-workers')).html.includes(MARK));
    assert.equal(fetcher.stats().local.started, 1);
  } finally {
    await fetcher.close();
  }
  await untilNoneIsLeft();
});

// Checks: threat-browser-fault
void test('captures of a killed browser are restarted once', async () => {
  for (const engine of ['vendor_dom', 'chrome_cdp'] as const) {
    const fetcher = open();
    try {
      const work = Promise.all(
        Array.from({ length: 3 }, () => get(fetcher, engine, engine === 'chrome_cdp' ? '/many' : '/client-slow')),
      );
      const side = engine === 'chrome_cdp' ? 'cdp' : 'local';
      await until(() => fetcher.stats()[side].active === 3, 'captures under way');
      const [browser] = ownBrowsers().filter((pid) => !readProc(pid, 'cmdline').includes('--type='));
      assert.ok(browser !== undefined);
      process.kill(browser, 'SIGKILL');
      for (const page of await work) assert.ok(page.html.includes(MARK));
      assert.equal(fetcher.stats()[side].started, 2);
    } finally {
      await fetcher.close();
    }
    await untilNoneIsLeft();
  }
});
