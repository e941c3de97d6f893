import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import type { EnginePreference } from '@winnow/contract';
import { createEgress } from '../../egress/egress.ts';
import { createTestFetcher } from '../../composition/testing/test-fetcher.ts';
import { RobotsTxt } from '../../outbound/robots.ts';
import type { Capture } from '../capture/capture-ports.ts';
import { RobotsFetcher } from './robots-fetcher.ts';

const PAGE = '<!doctype html><title>A page</title><p>What stands on the page.</p>';
const script = (to: string): string => `<!doctype html><title>Moved</title><script>location.replace('${to}')</script>`;
const refresh = (to: string): string =>
  `<!doctype html><title>Moved</title><meta http-equiv="refresh" content="0;url=${to}">`;

const PAGES: Readonly<Record<string, string>> = {
  '/robots.txt': 'User-agent: *\nDisallow: /private\n',
  '/script': script('/private/page'),
  '/meta': refresh('/private/page'),
  '/script-open': script('/open#part'),
  '/open': PAGE,
  '/private/page': PAGE,
};

async function startWithRobots(t: TestContext) {
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    if (path === '/redirect-404') {
      response.writeHead(302, { location: '/private/gone' }).end();
      return;
    }
    const body = PAGES[path];
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'text/html' }).end(body ?? PAGE);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const rules = { allow: ['127.0.0.1'], deny: [] };
  const egress = createEgress({ rules });
  const fetcher = createTestFetcher({ egress: rules });
  t.after(async () => {
    await fetcher.close();
    await egress.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const robots = new RobotsFetcher(fetcher, new RobotsTxt({ egress, userAgent: 'Winnow/1', agent: 'Winnow' }));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const get = (preference: EnginePreference, path: string): Promise<Capture> =>
    robots.capture(preference, {
      url: new URL(path, origin),
      timeoutMs: 20_000,
      signal: new AbortController().signal,
    });
  return { origin, get };
}

test('a page that scripts or a refresh redirect to a disallowed URL is rejected', async (t) => {
  const { origin, get } = await startWithRobots(t);
  for (const path of ['/script', '/meta'])
    await assert.rejects(get('stable', path), { code: 'robots_disallowed' }, path);
  assert.equal((await get('stable', '/script-open')).finalUrl, `${origin}/open#part`);
});

test('an error page is dropped if its URL is disallowed', async (t) => {
  const { get } = await startWithRobots(t);
  await assert.rejects(get('http', '/redirect-404'), { code: 'robots_disallowed' });
  await assert.rejects(get('http', '/gone'), { code: 'http_status_not_ok' });
  assert.equal((await get('http', '/open#part')).statusCode, 200);
});
