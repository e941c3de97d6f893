/** Browsers of a fleet that die, hang or reject every capture. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { MARK } from '../../../../../test/site/route.ts';
import { AppError } from '../../domain/shared/errors.ts';
import { createTestFetcher } from '../../composition/testing/test-fetcher.ts';
import {
  launchExternalBrowser,
  startExternalBrowsers,
  startRelayEndpoint,
} from '../../composition/testing/external-browsers.ts';
import type { RelayEndpoint } from '../../composition/testing/external-browsers.ts';

const { site, open, get, socketUrl, close } = await startExternalBrowsers();
after(close);

/** Starts an endpoint that closes right after the handshake of a capture. */
const startDyingEndpoint = (target: URL): Promise<RelayEndpoint> => {
  const maxBytes = 1000;
  return startRelayEndpoint(target, (socket, upstream) => {
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
  const third = await launchExternalBrowser();
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

// Checks: threat-endless-script
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
