import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError, readConfig } from '../config/config.ts';
import { openFetcher, openEgress } from './open-fetcher.ts';

async function openAndClose(environment: Record<string, string>): Promise<void> {
  const config = readConfig(environment);
  const egress = openEgress(config);
  try {
    await openFetcher(config, { egress }).close();
  } finally {
    await egress.close();
  }
}

async function faultsOf(environment: Record<string, string>): Promise<readonly string[]> {
  try {
    await openAndClose(environment);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.faults;
  }
  return assert.fail('the configuration was accepted');
}

const WINNOW_CDP_URLS = 'http://browsers.test:9222';

test('incomplete or invalid settings of remote browsers are rejected at the start', async () => {
  assert.deepEqual(await faultsOf({ WINNOW_CDP_URLS, WINNOW_CDP_LANE_HOST: 'node-1' }), [
    'WINNOW_CDP_LANE_HOST, WINNOW_CDP_LANE_LISTEN: both or neither must be set',
  ]);
  assert.match((await faultsOf({ WINNOW_CDP_FOR_ALL: 'true' })).join(), /^WINNOW_CDP_URLS: must be set/);
  assert.match(
    (await faultsOf({ WINNOW_CDP_URLS, WINNOW_CDP_LANE_HOST: 'http://node-1' })).join(),
    /a host name or an IP/,
  );
  assert.match((await faultsOf({ WINNOW_CDP_URLS, WINNOW_CDP_LANE_LISTEN: 'node-1' })).join(), /must be an IP address/);
  const remote = { WINNOW_CDP_LANE_HOST: '::1', WINNOW_CDP_LANE_LISTEN: '::1' };
  assert.equal(readConfig(remote).cdpLaneHost, '[::1]');
  await openAndClose({ WINNOW_CDP_URLS, WINNOW_CDP_FOR_ALL: 'true', ...remote });
});

test('an invalid egress rule of a project is a configuration fault', async () => {
  const WINNOW_PROJECT_EGRESS = JSON.stringify({ prj_a: { allow: ['300.1.2.3/99'] } });
  assert.match(
    (await faultsOf({ WINNOW_PROJECT_EGRESS })).join(),
    /^WINNOW_PROJECT_EGRESS: prj_a: egress rule "300\.1\.2\.3\/99"/,
  );
});

test('unknown and invalid upstream proxies are rejected at the start', async () => {
  const WINNOW_UPSTREAM_PROXIES = 'eu=http://user:pass@eu.test:3128, us=us.test:3128';
  const project = (proxy: string): Record<string, string> => ({
    WINNOW_UPSTREAM_PROXIES,
    WINNOW_PROJECT_EGRESS: JSON.stringify({ prj_a: { proxy: 'eu' }, prj_b: { proxy } }),
  });
  assert.deepEqual(await faultsOf(project('asia')), [
    'WINNOW_PROJECT_EGRESS: prj_b: there is no upstream proxy "asia"; there are: eu, us, direct',
  ]);
  assert.match(
    (await faultsOf(project('http://user:secret@eu.test:3128'))).join(),
    /no upstream proxy "http:\/\/…@eu\.test:3128"/,
  );
  for (const proxy of ['us', 'direct']) await openAndClose(project(proxy));
  for (const value of ['eu', 'eu=', 'direct=http://eu.test:1', 'eu=socks5://eu.test:1', 'eu=a:1,eu=b:1'])
    assert.match((await faultsOf({ WINNOW_UPSTREAM_PROXIES: value })).join(), /^WINNOW_UPSTREAM_PROXIES: /, value);
  assert.match((await faultsOf({ https_proxy: 'socks5://proxy.test:1080' })).join(), /^https_proxy: must be http:\/\//);
  const odd = { NO_PROXY: 'fine.test,not/a/target' };
  await openAndClose(odd);
  assert.match(
    (await faultsOf({ ...odd, HTTPS_PROXY: 'proxy.test:3128' })).join(),
    /NO_PROXY: egress rule "not\/a\/target"/,
  );
});

test('conventional proxy variables work, and WINNOW_UPSTREAM_PROXY wins', () => {
  assert.equal(readConfig({ HTTPS_PROXY: 'http://proxy.test:3128' }).upstreamProxy?.href, 'http://proxy.test:3128/');
  assert.equal(readConfig({ https_proxy: 'proxy.test:3128' }).upstreamProxy?.href, 'http://proxy.test:3128/');
  assert.equal(readConfig({ HTTPS_PROXY: 'a.test:1', WINNOW_UPSTREAM_PROXY: 'direct' }).upstreamProxy, null);
  assert.deepEqual(readConfig({ NO_PROXY: 'localhost,.corp.test 10.0.0.0/8' }).upstreamBypass, [
    'localhost',
    '.corp.test',
    '10.0.0.0/8',
  ]);
});
