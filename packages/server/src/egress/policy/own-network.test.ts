import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { request } from 'undici';
import { startDnsServer, TYPE_AAAA } from '../../../../../test/site/dns-server.ts';
import type { DnsServer } from '../../../../../test/site/dns-server.ts';
import { createEgress } from '../egress.ts';
import type { Egress } from '../egress.ts';
import { compilePolicyIn } from './egress-policy.ts';
import { WatchedNetwork } from './own-network.ts';

const OWN = '93.184.216.34';
const LATER = '2606:2800:220:1::34';

// Checks: threat-own-address
test("the machine's own public addresses are refused, also through names, and follow its interfaces", () => {
  const addresses = [OWN, 'fe80::1%eth0'];
  let now = 0;
  const network = new WatchedNetwork({
    resolve: async () => [],
    listInterfaces: () => ({ eth0: addresses.map((address) => ({ address })) }),
    now: () => now,
  });
  const policy = compilePolicyIn(network, { allow: [], deny: [] });
  const reasonOf = (host: string, address?: string): string | undefined => {
    const verdict = policy.check({ host, port: 8080, ...(address === undefined ? {} : { address }) });
    return verdict.allowed ? undefined : verdict.reason;
  };
  assert.match(reasonOf(OWN) ?? '', /it is an address of this machine; to allow it set WINNOW_EGRESS_ALLOW=93/);
  assert.match(reasonOf('self.test', OWN) ?? '', /it resolves to an address of this machine/);
  assert.match(reasonOf('self.test', `::ffff:${OWN}`) ?? '', /an address of this machine/);
  assert.equal(reasonOf('93.184.216.35'), undefined);
  assert.equal(reasonOf(`[${LATER}]`), undefined);
  addresses.splice(0, 1, LATER);
  now += 10_000;
  assert.equal(reasonOf(OWN), undefined);
  assert.match(reasonOf('[2606:2800:0220:1:0:0:0:34]') ?? '', /an address of this machine/);
});

// Checks: threat-own-address
test('allow rules open the own addresses by name, address or range', () => {
  const listInterfaces = (): Record<string, { address: string }[]> => ({ eth0: [{ address: OWN }] });
  const network = new WatchedNetwork({ resolve: async () => [], listInterfaces });
  for (const rule of ['self.test', OWN, '93.184.216.0/24', `${OWN}:8080`]) {
    const policy = compilePolicyIn(network, { allow: [rule], deny: [] });
    assert.ok(policy.check({ host: 'self.test', port: 8080, address: OWN }).allowed, rule);
  }
});

let dns: DnsServer;
let egress: Egress;

/** The prefixes of four translators, and the address of a host behind each: embedded 10.1.2.3. */
const TRANSLATORS: readonly (readonly [probe: string, hidden: string])[] = [
  ['2001:67c:2960:6464::c000:aa', '2001:67c:2960:6464::a01:203'],
  ['2a00:1:0:c000:0:aa00::', '2a00:1:0:a01:2:300::'],
  ['2a01:1:2:3:c0:0:aa00:0', '2a01:1:2:3:a:102:300:0'],
  ['2a02:0:c000:aa::', '2a02:0:a01:203::'],
];

before(async () => {
  dns = await startDnsServer({
    'ipv4only.arpa': (_, type) => (type === TYPE_AAAA ? TRANSLATORS.map(([probe]) => probe) : ['192.0.0.170']),
    ...Object.fromEntries(TRANSLATORS.map(([, hidden], index) => [`hidden${index}.test`, () => [hidden]])),
  });
  egress = createEgress({ rules: { allow: ['2001:67c::/32'], deny: ['9.9.9.0/24'] }, dnsServers: [dns.address] });
});

after(async () => {
  await egress.close();
  await dns.close();
});

// Checks: threat-own-address
test('IPv6 addresses that a translator of the network turns into refused ones are refused', async () => {
  const { dispatcher, policy } = egress.guard();
  for (const [index, [, hidden]] of TRANSLATORS.entries())
    for (const host of [`hidden${index}.test`, `[${hidden}]`])
      await assert.rejects(request(`http://${host}/`, { dispatcher }), { code: 'egress_denied' }, host);
  const check = (address: string): boolean => policy.check({ host: 'some.test', port: 80, address }).allowed;
  assert.ok(check('2001:67c:2960:6464::808:808') && check('2001:67c::1'));
  assert.ok(!check('2001:67c:2960:6464::909:909') && !check('2001:67c:2960:6464::7f00:1'));
});
