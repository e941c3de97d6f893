/** Public addresses of the test site. Real ones, because the policy refuses documentation addresses. */
export const PUBLIC_IPV4 = '93.184.216.34';
export const PUBLIC_IPV6 = '2606:2800:220:1::34';

/** One address of every kind that is refused, IPv6 in brackets, as hosts of URLs. */
export const REFUSED_HOSTS: readonly string[] = [
  '10.1.2.3',
  '172.16.5.4',
  '172.31.255.254',
  '192.168.1.1',
  '100.64.0.1',
  '100.127.255.254',
  '169.254.169.254',
  '169.254.170.2',
  '168.63.129.16',
  '127.0.0.1',
  '127.0.0.53',
  '0.0.0.0',
  '0.1.2.3',
  '192.0.0.192',
  '192.0.2.7',
  '198.18.0.9',
  '198.51.100.7',
  '203.0.113.7',
  '224.0.0.1',
  '239.255.255.250',
  '240.0.0.1',
  '255.255.255.255',
  '[::]',
  '[::1]',
  '[fd00::1]',
  '[fd00:ec2::254]',
  '[fc00::1]',
  '[fe80::1]',
  '[fec0::1]',
  '[ff02::1]',
  '[100::1]',
  '[::ffff:10.1.2.3]',
  '[::ffff:a9fe:a9fe]',
  '[::10.1.2.3]',
  '[64:ff9b::10.1.2.3]',
  '[64:ff9b::a9fe:a9fe]',
  '[64:ff9b:1::a01:203]',
  '[2002:a01:203::1]',
  '[2001:0:a01:203::1]',
  '[2001:db8::1]',
  '[2606:2800:220:1:0:5efe:a01:203]',
  '[4000::1]',
  // The same targets in spellings that a check of the text would miss.
  '167838211',
  '0xa010203',
  '012.1.2.3',
  '10.66051',
  '①⓪.①.②.③',
  '10.1.2.3.',
  '2852039166',
  '[::ffff:169.254.169.254]',
  'localhost',
  'localhost.',
  'some.localhost',
  'metadata.google.internal',
];

/** Answers of the lying name server, by name and number of the query. */
export const LIES: Readonly<Record<string, (question: number) => readonly string[]>> = {
  'private.test': () => ['10.1.2.3'],
  'metadata.test': () => ['169.254.169.254'],
  'cgnat.test': () => ['100.64.0.1'],
  'loopback.test': () => ['127.0.0.1', '::1'],
  'multicast.test': () => ['224.0.0.1'],
  'unique-local.test': () => ['fd00::1'],
  'mapped.test': () => ['::ffff:10.1.2.3'],
  'nat64.test': () => ['64:ff9b::a01:203'],
  'mixed.test': () => [PUBLIC_IPV4, '10.1.2.3'],
  'mixed-families.test': () => [PUBLIC_IPV4, 'fd00::1'],
  'chain.test': () => ['chain-2.test'],
  'chain-2.test': () => ['chain-3.test'],
  'chain-3.test': () => ['10.1.2.3'],
  'chain-mixed.test': () => ['mixed.test'],
};

/** Names whose answers change from query to query, with a TTL of 0. */
export const REBINDING: Readonly<Record<string, (question: number) => readonly string[]>> = {
  'rebind.test': (question) => [question % 2 === 0 ? PUBLIC_IPV4 : '10.1.2.3'],
  'rebind-once.test': (question) => [question === 0 ? PUBLIC_IPV4 : '169.254.169.254'],
  'rebind-alias.test': (question) => [question % 2 === 0 ? 'site.test' : 'private.test'],
};

export const HONEST: Readonly<Record<string, () => readonly string[]>> = {
  'site.test': () => [PUBLIC_IPV4],
  'site6.test': () => [PUBLIC_IPV6],
  'alias.test': () => ['site.test'],
};
