import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError, readConfig } from './config.ts';
import { openFetcher } from './open-fetcher.ts';

function faultsOf(environment: Record<string, string>): readonly string[] {
  try {
    openFetcher(readConfig(environment), {});
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.faults;
  }
  return assert.fail('the configuration was accepted');
}

const WINNOW_CDP_URLS = 'http://browsers.test:9222';

test('the settings of remote browsers are checked together', async () => {
  assert.deepEqual(faultsOf({ WINNOW_CDP_URLS, WINNOW_CDP_LANE_HOST: 'node-1' }), [
    'WINNOW_CDP_LANE_HOST, WINNOW_CDP_LANE_LISTEN: both or neither must be set',
  ]);
  assert.match(faultsOf({ WINNOW_CDP_FOR_ALL: 'true' }).join(), /^WINNOW_CDP_URLS: must be set/);
  assert.match(faultsOf({ WINNOW_CDP_URLS, WINNOW_CDP_LANE_HOST: 'http://node-1' }).join(), /a host name or an IP/);
  assert.match(faultsOf({ WINNOW_CDP_URLS, WINNOW_CDP_LANE_LISTEN: 'node-1' }).join(), /must be an IP address/);
  const lanes = { WINNOW_CDP_LANE_HOST: '::1', WINNOW_CDP_LANE_LISTEN: '::1' };
  assert.equal(readConfig(lanes).cdpLaneHost, '[::1]');
  await openFetcher(readConfig({ WINNOW_CDP_URLS, WINNOW_CDP_FOR_ALL: 'true', ...lanes }), {}).close();
});

test('an egress rule that cannot be read is a fault of the configuration', () => {
  assert.match(faultsOf({ WINNOW_EGRESS_ALLOW: '300.1.2.3/99' }).join(), /WINNOW_EGRESS_ALLOW, WINNOW_EGRESS_DENY/);
});
