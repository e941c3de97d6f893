/** Browsers of a fleet that die, hang or reject every capture. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import { after, before, test } from 'node:test';
import type { EnginePreference } from '@winnow/contract';
import { MARK } from '../../../../../test/site/route.ts';
import { startTestSite } from '../../../../../test/site/start-test-site.ts';
import type { TestSite } from '../../../../../test/site/start-test-site.ts';
import { AppError } from '../../domain/shared/errors.ts';
import type { Capture } from '../../domain/capture/capture-ports.ts';
import { BROWSER_CANDIDATES } from '../chromium/browsers/browser-flags.ts';
import { launchBrowser } from '../chromium/browsers/launch-browser.ts';
import type { LaunchedBrowser } from '../chromium/browsers/launch-browser.ts';
import { createTestFetcher } from '../../composition/testing/test-fetcher.ts';
import type { EngineFetcher } from '../create-fetcher.ts';

let site: TestSite;
let browsers: LaunchedBrowser[];

const launch = (extraArgs: readonly string[] = []): Promise<LaunchedBrowser> =>
  launchBrowser({
    executables: BROWSER_CANDIDATES,
    userAgent: 'test',
    acceptLanguage: 'en',
    extraArgs,
    withPort: true,
  });

before(async () => {
  site = await startTestSite();
  browsers = await Promise.all([launch(), launch()]);
});

after(async () => {
  await Promise.all(browsers.map((browser) => browser.close()));
  await site.close();
});

const open = (cdpUrls: readonly string[]): EngineFetcher =>
  createTestFetcher({ egress: { allow: site.allow, deny: [] }, cdpUrls, browserConcurrency: 4 });

const get = (fetcher: EngineFetcher, path: string, engine: EnginePreference = 'chrome_cdp'): Promise<Capture> =>
  fetcher.capture(engine, {
    url: new URL(site.origin + path),
    // Generous for busy machines; no test waits for it.
    timeoutMs: 60_000,
    signal: new AbortController().signal,
  });

const socketUrl = (index: number): string => browsers[index]?.socketUrl ?? '';

interface Endpoint {
  readonly url: string;
  close(): void;
}

/** Starts an endpoint that forwards a browser's socket through `relay`. */
async function startEndpoint(
  target: URL,
  relay: (socket: net.Socket, upstream: net.Socket) => void,
): Promise<Endpoint> {
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

/** Starts an endpoint that closes right after the handshake of a capture. */
const startDyingEndpoint = (target: URL): Promise<Endpoint> => {
  const maxBytes = 1000;
  return startEndpoint(target, (socket, upstream) => {
    let bytes = 0;
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxBytes) socket.destroy();
      else upstream.write(chunk);
    });
    upstream.pipe(socket);
  });
};

/** Captures use the first endpoint first; they must fail over to the second. */
async function assertSecondTakesOver(first: string): Promise<void> {
  const fetcher = open([first, socketUrl(0)]);
  try {
    for (let round = 0; round < 3; round += 1) {
      const pages = await Promise.all(Array.from({ length: 4 }, () => get(fetcher, '/static')));
      for (const page of pages) assert.ok(page.html.includes(MARK));
    }
    assert.equal(fetcher.stats().cdp.active, 0);
  } finally {
    await fetcher.close();
  }
}

void test('captures fail over from an endpoint that dies at every capture', async () => {
  const dying = await startDyingEndpoint(new URL(socketUrl(1)));
  try {
    await assertSecondTakesOver(dying.url);
  } finally {
    dying.close();
  }
});

void test('captures fail over from an endpoint that rejects every capture', async () => {
  // Node's inspector speaks the protocol without targets.
  const node = spawn(process.execPath, ['--inspect=127.0.0.1:0', '--eval', 'setInterval(() => {}, 60_000)'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  try {
    const [line] = (await once(node.stderr.setEncoding('utf8'), 'data')) as [string];
    const url = /ws:\S+/.exec(line)?.[0] ?? '';
    assert.notEqual(url, '', line);
    await assertSecondTakesOver(url);
  } finally {
    node.kill();
  }
});

void test('captures fail over from a browser that dies', async () => {
  const third = await launch();
  const fetcher = open([third.socketUrl ?? '', socketUrl(0)]);
  try {
    const work = Promise.all(Array.from({ length: 4 }, () => get(fetcher, '/many')));
    while (fetcher.stats().cdp.browsers < 2) await new Promise((resolve) => setTimeout(resolve, 10));
    await third.close();
    for (const page of await work) assert.ok(page.html.includes(MARK));
  } finally {
    await fetcher.close();
    await third.close();
  }
});

void test('a page with too much memory is ended, and its external browser continues', async () => {
  const fetcher = createTestFetcher({
    egress: { allow: site.allow, deny: [] },
    cdpUrls: [socketUrl(0)],
    maxRendererBytes: 200 * 1_048_576,
  });
  try {
    await assert.rejects(
      get(fetcher, '/memory-hog?load=never'),
      (error) => error instanceof AppError && error.code === 'render_failed' && /too much memory/.test(error.message),
    );
    assert.ok((await get(fetcher, '/static')).html.includes(MARK));
    assert.equal(fetcher.stats().cdp.started, 1);
  } finally {
    await fetcher.close();
  }
});
