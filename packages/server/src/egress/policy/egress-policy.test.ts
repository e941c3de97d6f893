import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../../domain/shared/errors.ts';
import { checkUrl } from './check-url.ts';
import { compileEgressPolicy, NO_RULES } from './egress-policy.ts';

const strict = compileEgressPolicy(NO_RULES);

/** Spellings of refused targets in URLs. */
const REFUSED_SPELLINGS: readonly string[] = [
  '127.0.0.1',
  '127.1',
  '127.0.0.1.',
  '2130706433',
  '0x7f000001',
  '0x7f.0.0.1',
  '0177.0.0.1',
  '017700000001',
  '127.0.0.2',
  '127.255.255.254',
  '0.0.0.0',
  '0',
  '%31%32%37.0.0.1',
  '①②⑦.⓪.⓪.①',
  '127。0。0。1',
  '[::1]',
  '[::]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b:1::1]',
  '[2002:7f00:1::]',
  '[2001:0:7f00:1::]',
  '[2001:470::5efe:7f00:1]',
  '[fe80::1]',
  '[fec0::1]',
  '[fd00::1]',
  '[fd00:ec2::254]',
  '[ff02::1]',
  '[100::1]',
  '[2001:db8::1]',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.1.1',
  '100.64.0.1',
  '100.100.100.200',
  '169.254.169.254',
  '168.63.129.16',
  '192.0.0.192',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'ｌocalhost',
  'anything.localhost',
  'localhost.localdomain',
  'ip6-localhost',
  'metadata.google.internal',
];

// Checks: threat-address-spelling
void test('every spelling of a refused host is refused before it is resolved', () => {
  for (const host of REFUSED_SPELLINGS) {
    assert.throws(
      () => checkUrl(new URL(`http://${host}/`), strict),
      (error) => error instanceof AppError && error.code === 'url_not_allowed' && error.stage === 'request',
      host,
    );
  }
});

void test('public hosts pass', () => {
  for (const host of [
    'example.com',
    '93.184.216.34',
    '[2606:2800:220:1::1]',
    '[64:ff9b::5db8:d822]',
    '[::ffff:93.184.216.34]',
    'xn--bcher-kva.example',
    'local-host.example',
    '172.32.0.1',
    '11.0.0.1',
  ]) {
    checkUrl(new URL(`http://${host}/`), strict);
  }
});

// Checks: threat-address-spelling
void test('schemes, credentials and ports of other protocols are refused, each with its reason', () => {
  const reasons: [string, RegExp][] = [
    ['ftp://example.com/', /scheme ftp/],
    ['file:///etc/passwd', /scheme file/],
    ['view-source:http://example.com/', /scheme view-source/],
    ['chrome://version/', /scheme chrome/],
    ['javascript:alert(1)', /scheme javascript/],
    ['http://user:secret@example.com/', /credentials/],
    ['http://user@example.com/', /credentials/],
    ['http://example.com:25/', /port 25/],
    ['https://example.com:6667/', /port 6667/],
    ['http://example.com../', /empty label/],
    ['http://www..example.com/', /empty label/],
    ['http://./', /empty label/],
    [`http://${'a'.repeat(60)}.${'b.'.repeat(120)}com/`, /more than 254 characters/],
  ];
  for (const [url, reason] of reasons) {
    assert.throws(
      () => checkUrl(new URL(url), strict),
      (error) => error instanceof AppError && reason.test(error.message),
      url,
    );
  }
});

// Checks: threat-revealing-message
void test('a message reveals neither credentials nor resolved addresses', () => {
  assert.throws(
    () => checkUrl(new URL('http://user:secret@example.com/'), strict),
    (error) => !String(error).includes('secret'),
  );
  const verdict = strict.check({ host: 'inside.example', port: 80, address: '10.1.2.3' });
  assert.ok(!verdict.allowed && !verdict.reason.includes('10.1.2.3'), JSON.stringify(verdict));
});

// Checks: threat-rule-scope
void test('an allow rule permits only the targets it names', () => {
  const cases: { rule: string; allows: [string, number, string?][]; refuses: [string, number, string?][] }[] = [
    {
      rule: '127.0.0.1',
      allows: [
        ['127.0.0.1', 80],
        ['127.0.0.1', 9999],
        ['localhost', 80],
      ],
      refuses: [
        ['127.0.0.2', 80],
        ['10.0.0.1', 80],
      ],
    },
    {
      rule: '127.0.0.1:8080',
      allows: [
        ['127.0.0.1', 8080],
        ['localhost', 8080],
        ['[::ffff:127.0.0.1]', 8080],
      ],
      refuses: [
        ['127.0.0.1', 8081],
        ['localhost', 80],
      ],
    },
    {
      rule: '10.0.0.0/8',
      allows: [
        ['10.200.0.1', 80],
        ['inside.example', 80, '10.0.0.1'],
      ],
      refuses: [['inside.example', 80, '192.168.0.1']],
    },
    {
      rule: '[::1]:8080',
      allows: [['[::1]', 8080]],
      refuses: [
        ['[::1]', 80],
        ['127.0.0.1', 8080],
      ],
    },
    { rule: 'fd00::/8', allows: [['[fd12::1]', 80]], refuses: [['[fe80::1]', 80]] },
    {
      rule: 'intranet.example',
      allows: [
        ['intranet.example', 80, '10.0.0.1'],
        ['INTRANET.example.', 80, '10.0.0.1'],
      ],
      refuses: [
        ['www.intranet.example', 80, '10.0.0.1'],
        ['10.0.0.1', 80],
      ],
    },
    {
      rule: '*.corp.example:8443',
      allows: [['a.corp.example', 8443, '10.0.0.1']],
      refuses: [
        ['a.corp.example', 443, '10.0.0.1'],
        ['evilcorp.example', 8443, '10.0.0.1'],
      ],
    },
    {
      rule: 'bücher.example:25',
      allows: [['xn--bcher-kva.example', 25, '93.184.216.34']],
      refuses: [['example.com', 25, '93.184.216.34']],
    },
  ];
  for (const { rule, allows, refuses } of cases) {
    const policy = compileEgressPolicy({ allow: [rule], deny: [] });
    for (const [host, port, address] of allows) {
      assert.ok(
        policy.check({ host, port, ...(address === undefined ? {} : { address }) }).allowed,
        `${rule} allows ${host}:${port}`,
      );
    }
    for (const [host, port, address] of refuses) {
      assert.ok(
        !policy.check({ host, port, ...(address === undefined ? {} : { address }) }).allowed,
        `${rule} refuses ${host}:${port}`,
      );
    }
  }
});

// Checks: threat-rule-scope
void test('a deny rule of any rule set overrides every allow rule', () => {
  const deployment = { allow: ['10.0.0.0/8'], deny: ['10.6.6.6', 'bad.example'] };
  const project = { allow: ['10.6.6.6', 'bad.example'], deny: ['*.example.org'] };
  const policy = compileEgressPolicy(deployment, project);
  assert.ok(policy.check({ host: '10.0.0.1', port: 80 }).allowed);
  assert.ok(!policy.check({ host: '10.6.6.6', port: 80 }).allowed);
  assert.ok(!policy.check({ host: 'bad.example', port: 80 }).allowed);
  assert.ok(!policy.check({ host: 'www.example.org', port: 80 }).allowed);
  assert.notEqual(policy.key, compileEgressPolicy(deployment).key);
});

/** Rules that are misleading spellings of addresses, or impossible names. */
const MISLEADING_RULES = ['10/8', '192.168/16:80', '010.0.0.0/8', '010.0.0.1', '127.1', '2130706433', '*.10.0.0.1'];

void test('the error names an invalid rule', () => {
  const odd = ['10.0.0.0/99', 'http://example.com', 'a b', '', 'host:99999', '*', 'example.com/path', '[::1'];
  for (const rule of [...odd, ...MISLEADING_RULES]) {
    assert.throws(
      () => compileEgressPolicy({ allow: [rule], deny: [] }),
      (error) => error instanceof TypeError && error.message.includes(`"${rule}"`),
      rule,
    );
  }
});

void test('an address with a zone identifier is judged without it', () => {
  const verdict = compileEgressPolicy(NO_RULES).check({ host: 'x.test', port: 80, address: 'fe80::1%eth0' });
  assert.ok(
    !verdict.allowed &&
      verdict.reason.includes('it resolves to a link-local address; to allow it set WINNOW_EGRESS_ALLOW=x.test'),
  );
});

void test('deny rules match an address and the address embedded in it, allow rules only the embedded one', () => {
  for (const [range, address] of [
    ['64:ff9b::/96', '64:ff9b::808:808'],
    ['::ffff:0:0/96', '::ffff:8.8.8.8'],
    ['::ffff:8.8.8.0/120', '::ffff:8.8.8.8'],
    ['8.8.8.0/24', '64:ff9b::808:808'],
  ] as const) {
    const target = { host: 'x.test', port: 80, address };
    assert.equal(compileEgressPolicy({ allow: [], deny: [range] }).check(target).allowed, false, range);
    assert.equal(
      compileEgressPolicy({ allow: [], deny: [range] }).check({ host: 'x.test', port: 80, address: '9.9.9.9' }).allowed,
      true,
    );
  }
  const permissive = compileEgressPolicy({ allow: ['64:ff9b::/96'], deny: [] });
  assert.equal(permissive.check({ host: 'x.test', port: 80, address: '64:ff9b::7f00:1' }).allowed, false);
});
