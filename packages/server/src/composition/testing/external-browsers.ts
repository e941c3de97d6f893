import { once } from 'node:events';
import net from 'node:net';
import type { EnginePreference } from '@winnow/contract';
import { startTestSite } from '../../../../../test/site/start-test-site.ts';
import type { TestSite } from '../../../../../test/site/start-test-site.ts';
import { createTestFetcher } from './test-fetcher.ts';
import type { Capture } from '../../domain/capture/capture-ports.ts';
import { BROWSER_CANDIDATES } from '../../engines/chromium/browsers/browser-flags.ts';
import { launchBrowser } from '../../engines/chromium/browsers/launch-browser.ts';
import type { LaunchedBrowser } from '../../engines/chromium/browsers/launch-browser.ts';
import type { EngineFetcher } from '../../engines/create-fetcher.ts';

export interface ExternalBrowsers {
  readonly site: TestSite;
  readonly browsers: readonly LaunchedBrowser[];
  /** Creates engines that use the browsers at these addresses. */
  readonly open: (cdpUrls: readonly string[]) => EngineFetcher;
  /** Captures a page of the test site. */
  readonly get: (fetcher: EngineFetcher, path: string, engine?: EnginePreference) => Promise<Capture>;
  readonly socketUrl: (index: number) => string;
  readonly close: () => Promise<void>;
}

/** Launches a browser that accepts connections on a port. */
export function launchExternalBrowser(extraArgs: readonly string[] = []): Promise<LaunchedBrowser> {
  return launchBrowser({
    executables: BROWSER_CANDIDATES,
    userAgent: 'test',
    acceptLanguage: 'en',
    extraArgs,
    withPort: true,
  });
}

/** Starts the test site and two browsers that accept connections on a port. */
export async function startExternalBrowsers(): Promise<ExternalBrowsers> {
  const site = await startTestSite();
  const browsers = await Promise.all([launchExternalBrowser(), launchExternalBrowser()]);
  return {
    site,
    browsers,
    open: (cdpUrls) => createTestFetcher({ egress: { allow: site.allow, deny: [] }, cdpUrls, browserConcurrency: 4 }),
    get: (fetcher, path, engine = 'chrome_cdp') =>
      fetcher.capture(engine, {
        url: new URL(site.origin + path),
        // Generous for busy machines; no test waits for it.
        timeoutMs: 60_000,
        signal: new AbortController().signal,
      }),
    socketUrl: (index) => browsers[index]?.socketUrl ?? '',
    close: async () => {
      await Promise.all(browsers.map((browser) => browser.close()));
      await site.close();
    },
  };
}

export interface RelayEndpoint {
  readonly url: string;
  close(): void;
}

/** Starts an endpoint that forwards a browser's socket through `relay`. */
export async function startRelayEndpoint(
  target: URL,
  relay: (socket: net.Socket, upstream: net.Socket) => void,
): Promise<RelayEndpoint> {
  const server = net.createServer((socket) => {
    const upstream = net.connect(Number(target.port), target.hostname);
    relay(socket, upstream);
    for (const one of [socket, upstream]) {
      one.on('error', () => {});
      one.on('close', () => [socket, upstream].forEach((each) => each.destroy()));
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as net.AddressInfo;
  return { url: `ws://127.0.0.1:${port}${target.pathname}`, close: () => void server.close() };
}
