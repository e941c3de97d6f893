import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ERRORS } from '@winnow/contract';
import type { ErrorCode } from '@winnow/contract';
import { readReadiness } from '../support/read-readiness.ts';
import { startRunning } from '../support/running-service.ts';
import type { Running } from '../support/running-service.ts';
import { startTestSite } from '../site/start-test-site.ts';
import type { TestSite } from '../site/start-test-site.ts';
import { startHostilePages } from './hostile-pages.ts';
import type { HostilePages } from './hostile-pages.ts';

let running: Running;
let site: TestSite;
let pages: HostilePages;
before(async () => {
  running = await startRunning({ WINNOW_FETCH_TIMEOUT: '15s' });
  [site, pages] = await Promise.all([startTestSite(), startHostilePages()]);
});
after(async () => {
  await Promise.all([running.close(), site.close(), pages.close()]);
});

const WAYS: readonly (readonly [path: string, code: ErrorCode, timeoutMs?: number])[] = [
  ['/bomb-gzip', 'response_too_large'],
  ['/bomb-br', 'response_too_large'],
  ['/large', 'response_too_large'],
  ['/redirect-loop', 'too_many_redirects'],
  ['/no-answer', 'fetch_timeout', 2500],
  ['/drip', 'fetch_timeout', 2500],
  ['/drip-headers', 'fetch_timeout', 2500],
  ['/too-short', 'connect_failed'],
  ['/lengths-differ', 'connect_failed'],
  ['/negative-length', 'connect_failed'],
  ['/huge-length', 'connect_failed'],
  ['/bad-chunk-size', 'connect_failed'],
  ['/overflowing-chunk', 'connect_failed'],
  ['/reset', 'connect_failed'],
  ['/not-http', 'connect_failed'],
  ['/not-gzip', 'unsupported_content'],
];

async function assertHealthy(): Promise<void> {
  assert.equal((await readReadiness(running.url)).code, 200);
  const { status, body } = await running.call('/v1/extract', { extract: { url: `${site.origin}/static` } });
  assert.equal(status, 200, JSON.stringify(body));
}

for (const [path, code, timeoutMs] of WAYS) {
  // Checks: threat-bomb, threat-slow-answer, threat-broken-http
  test(`a site that answers like ${path} is reported as ${code}, and the service stays healthy`, async () => {
    const options = { engine_preference: 'http', ...(timeoutMs === undefined ? {} : { timeout_ms: timeoutMs }) };
    const { status, body } = await running.call('/v1/dom/dump', { url: site.origin + path, options });
    assert.equal(status, ERRORS[code].status, JSON.stringify(body).slice(0, 300));
    assert.equal(body.error.code, code);
    await assertHealthy();
  });
}

// Checks: threat-certificate
test('an untrusted certificate is reported as tls_failed', async () => {
  const { body } = await running.call('/v1/dom/dump', {
    url: `${site.httpsOrigin}/static`,
    options: { engine_preference: 'http' },
  });
  assert.equal(body.error.code, 'tls_failed');
});
