import type { EnginePreference } from '@winnow/contract';
import { startTestSite } from '../../../../../test/site/start-test-site.ts';
import type { TestSite } from '../../../../../test/site/start-test-site.ts';
import { createTestFetcher } from './test-fetcher.ts';
import type { TestFetcherOptions } from './test-fetcher.ts';
import type { Capture } from '../../domain/capture/capture-ports.ts';
import type { CaptureOptions } from '../../domain/request-options/page-options.ts';
import type { ChromiumEngineName } from '../../engines/chromium/pages/readiness.ts';
import type { EngineFetcher } from '../../engines/create-fetcher.ts';
import { ownBrowsers } from '../../engines/testing/own-browsers.ts';

export interface SharedEngines {
  readonly site: TestSite;
  readonly capture: (engine: ChromiumEngineName, url: string, timeoutMs?: number) => Promise<Capture>;
  /** Captures a page of the test site. */
  readonly get: (engine: ChromiumEngineName, path: string, timeoutMs?: number) => Promise<Capture>;
  /** Captures a page of the test site with options, by any engine. */
  readonly take: (
    engine: EnginePreference,
    path: string,
    options?: CaptureOptions,
    timeoutMs?: number,
  ) => Promise<Capture>;
  readonly close: () => Promise<void>;
}

/** Starts the test site and engines for all tests of a file, with a page size of at most 4 MB. */
export async function startSharedEngines(browserConcurrency = 2): Promise<SharedEngines> {
  const site = await startTestSite();
  const fetcher = createTestFetcher({
    egress: { allow: site.allow, deny: [] },
    dnsServers: [site.dns.address],
    browserArgs: site.chromiumArgs,
    browserConcurrency,
    maxPageBytes: 4_000_000,
  });
  const capture: SharedEngines['capture'] = (engine, url, timeoutMs = 120_000) =>
    fetcher.capture(engine, { url: new URL(url), timeoutMs, signal: new AbortController().signal });
  return {
    site,
    capture,
    get: (engine, path, timeoutMs) => capture(engine, site.origin + path, timeoutMs),
    take: (engine, path, options = {}, timeoutMs = 60_000) =>
      fetcher.capture(engine, {
        url: new URL(site.origin + path),
        timeoutMs,
        signal: new AbortController().signal,
        options,
      }),
    close: async () => {
      await fetcher.close();
      await site.close();
    },
  };
}

export interface SeparateEngines {
  readonly site: TestSite;
  /** Creates engines that the test closes. */
  readonly open: (options?: TestFetcherOptions) => EngineFetcher;
  /** Captures a page of the test site and records the browser processes at the end of the capture. */
  readonly get: (
    fetcher: EngineFetcher,
    engine: ChromiumEngineName,
    path: string,
    timeoutMs?: number,
    signal?: AbortSignal,
  ) => Promise<Capture>;
}

/** Starts the test site for tests that each open engines of their own. */
export async function startSeparateEngines(): Promise<SeparateEngines> {
  const site = await startTestSite();
  return {
    site,
    open: (options = {}) =>
      createTestFetcher({ egress: { allow: site.allow, deny: [] }, browserConcurrency: 3, ...options }),
    get: (fetcher, engine, path, timeoutMs = 60_000, signal = new AbortController().signal) =>
      fetcher.capture(engine, { url: new URL(site.origin + path), timeoutMs, signal }).finally(() => ownBrowsers()),
  };
}
