import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { rootCertificates } from 'node:tls';
import { ConfigError, readConfig } from './config.ts';

function faultsOf(environment: Record<string, string>): readonly string[] {
  try {
    readConfig(environment);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.faults;
  }
  return assert.fail('the configuration was accepted');
}

test('an empty environment gives the defaults, frozen', () => {
  const config = readConfig({});
  assert.equal(config.host, '127.0.0.1');
  assert.equal(config.port, 8080);
  assert.equal(config.maxPageBytes, 10 * 1024 * 1024);
  assert.deepEqual(config.egressAllow, []);
  assert.ok(Object.isFrozen(config));
});

test('defaults are parsed like values that users set', () => {
  const { userAgent, facades, browserConcurrency, projectEgress, s3Prefix, upstreamProxy } = readConfig({});
  assert.match(userAgent, /^Mozilla\/5\.0 .*Winnow/);
  assert.deepEqual(
    { facades, browserConcurrency, projectEgress, s3Prefix, upstreamProxy },
    {
      facades: ['firecrawl', 'jina', 'open-webui'],
      browserConcurrency: null,
      projectEgress: new Map(),
      s3Prefix: '',
      upstreamProxy: null,
    },
  );
});

test("aliases work, and the field's own name wins", () => {
  assert.equal(readConfig({ PORT: '9000' }).port, 9000);
  assert.equal(readConfig({ PORT: '9000', WINNOW_PORT: '9001' }).port, 9001);
  assert.equal(readConfig({ HOST: '0.0.0.0', LOG_LEVEL: 'WARN' }).logLevel, 'warn');
});

test('headers and attributes for OpenTelemetry are pairs', () => {
  const { otlpHeaders, otelResourceAttributes } = readConfig({
    OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Basic%20dXNlcjp3b3Jk=, x-tenant = 7,',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test%2Cb',
  });
  assert.deepEqual(otlpHeaders, { Authorization: 'Basic dXNlcjp3b3Jk=', 'x-tenant': '7' });
  assert.deepEqual(otelResourceAttributes, { 'deployment.environment.name': 'test,b' });
  for (const wrong of ['word', '=word', 'a=%zz', 'a=b%0Ac', 'a b=c'])
    assert.match(faultsOf({ OTEL_EXPORTER_OTLP_HEADERS: wrong }).join(), /^OTEL_EXPORTER_OTLP_HEADERS: must be pairs/);
  assert.match(faultsOf({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }).join(), /must be one of http\/protobuf/);
});

test('an empty value counts as unset', () => {
  assert.equal(readConfig({ WINNOW_PORT: '', WINNOW_EGRESS_ALLOW: ' ' }).port, 8080);
});

test('reverse proxies are addresses and ranges, and the user agent is a valid header', () => {
  const ranges = '10.0.0.1, 10.1.0.0/16 ::1 fd00::/8 loopback';
  assert.equal(readConfig({ WINNOW_TRUSTED_PROXIES: ranges }).trustedProxies.length, 5);
  for (const wrong of ['proxy.example', '10.0.0.1/33', '0.0.0.0/0', '10.0.0.1:8080', '10/8', '010.0.0.0/8', '10.1']) {
    assert.deepEqual(faultsOf({ WINNOW_TRUSTED_PROXIES: `10.0.0.1,${wrong}` }), [
      `WINNOW_TRUSTED_PROXIES: must be addresses and CIDR ranges (${wrong} is neither), not "10.0.0.1,${wrong}"`,
    ]);
  }
  assert.equal(readConfig({ WINNOW_USER_AGENT: 'Winnow/1 (+https://example.com)' }).userAgent?.length, 31);
  for (const wrong of ['two\nlines', 'Winnow – the reader']) {
    assert.match(faultsOf({ WINNOW_USER_AGENT: wrong }).join(), /^WINNOW_USER_AGENT: must be a header value/);
  }
});

test('an unknown name is rejected, and the most similar one suggested', () => {
  const faults = faultsOf({ WINNOW_PROT: '1', WINNOW_FOO: '1', WINNOW_COMPLETELY_DIFFERENT: 'x' });
  assert.deepEqual(faults, [
    'WINNOW_PROT: unknown name; did you mean WINNOW_PORT?',
    'WINNOW_FOO: unknown name',
    'WINNOW_COMPLETELY_DIFFERENT: unknown name',
  ]);
});

test('every invalid value is named with its reason', () => {
  const faults = faultsOf({
    PORT: '70000',
    WINNOW_DUMP_TIMEOUT: '30',
    WINNOW_MAX_PAGE_BYTES: 'big',
    WINNOW_LOG_LEVEL: 'loud',
    WINNOW_MIN_CONFIDENCE: '2',
    WINNOW_CDP_URLS: 'http://ok:9222, nonsense',
  });
  assert.deepEqual(faults.map((fault) => fault.split(':')[0] ?? '').toSorted(), [
    'PORT',
    'WINNOW_CDP_URLS',
    'WINNOW_DUMP_TIMEOUT',
    'WINNOW_LOG_LEVEL',
    'WINNOW_MAX_PAGE_BYTES',
    'WINNOW_MIN_CONFIDENCE',
  ]);
  assert.ok(faults.some((fault) => /WINNOW_DUMP_TIMEOUT: must be a time with its unit, .*not "30"/.test(fault)));
});

test('authorities are read from a PEM file, which is checked', async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'winnow-config-'));
  t.after(() => rm(folder, { recursive: true }));
  const file = path.join(folder, 'authorities.pem');
  assert.deepEqual(readConfig({}).authorities, []);
  const [one = '', two = ''] = rootCertificates;
  await writeFile(file, `# One\n${one}\n# Two\n${two}\n`);
  assert.deepEqual(readConfig({ WINNOW_CA_FILE: file }).authorities, [one, two]);
  await writeFile(file, `${one}\n-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n`);
  assert.match(String(faultsOf({ WINNOW_CA_FILE: file })), /^WINNOW_CA_FILE: certificate 2 of the file cannot be read/);
  await writeFile(file, 'nothing');
  assert.match(String(faultsOf({ WINNOW_CA_FILE: file })), /must be a file with certificates in PEM/);
  assert.match(String(faultsOf({ WINNOW_CA_FILE: `${file}.no` })), /^WINNOW_CA_FILE: no such file/);
});

test('sizes and times are parsed with their units', () => {
  const config = readConfig({
    WINNOW_MAX_PAGE_BYTES: '2MiB',
    WINNOW_RETENTION_AGE: '1.5d',
    WINNOW_RETENTION_SIZE: '2GB',
  });
  assert.equal(config.maxPageBytes, 2 * 1024 * 1024);
  assert.equal(config.retentionAgeMs, 36 * 3_600_000);
  assert.equal(config.retentionBytes, 2_000_000_000);
});

test('a secret may come from a file and is never quoted', async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'winnow-config-'));
  t.after(() => rm(folder, { recursive: true }));
  const file = path.join(folder, 'url');
  await writeFile(file, 'postgres://user:secret@db/winnow\n');
  assert.equal(readConfig({ WINNOW_DATABASE_URL_FILE: file }).databaseUrl, 'postgres://user:secret@db/winnow');
  assert.equal(readConfig({ DATABASE_URL_FILE: file }).databaseUrl, 'postgres://user:secret@db/winnow');
  await writeFile(path.join(folder, 'wrong'), 'mysql://user:secret@db/winnow');
  assert.deepEqual(faultsOf({ WINNOW_DATABASE_URL_FILE: path.join(folder, 'wrong') }), [
    'WINNOW_DATABASE_URL_FILE: must be a URL that begins with postgres:// or postgresql://',
  ]);
  assert.match(faultsOf({ WINNOW_DATABASE_URL_FILE: path.join(folder, 'none') }).join(), /_FILE: no such file: /);
  assert.match(
    faultsOf({ WINNOW_DATABASE_URL_FILE: file, WINNOW_DATABASE_URL: 'postgres://x/y' }).join(),
    /only one of the two/,
  );
  assert.doesNotMatch(faultsOf({ WINNOW_DATABASE_URL: 'mysql://user:secret@db/x' }).join(), /secret/);
  assert.doesNotMatch(faultsOf({ WINNOW_CDP_URLS: 'wsx://browsers.example?token=secret' }).join(), /secret/);
  assert.match(
    faultsOf({ WINNOW_BASE_URL: 'ftp://user:secret@files.example/' }).join(),
    /"ftp:\/\/…@files\.example\/"$/,
  );
});

test('a database URL may name a socket folder, and an unescaped password gets its own error', () => {
  for (const whole of [
    'postgres://user:secret@/winnow?host=/var/run/postgresql',
    'postgresql:///winnow?host=/var/run/postgresql&user=u',
    'postgres://user:s%2Fcret@[::1]:5432/winnow?sslmode=verify-full&options=-csearch_path%3Dw',
  ])
    assert.equal(readConfig({ WINNOW_DATABASE_URL: whole }).databaseUrl, whole);
  for (const password of ['se#cret', 'se/cret', 'se?cret'])
    assert.deepEqual(faultsOf({ WINNOW_DATABASE_URL: `postgres://user:${password}@db:5432/winnow` }), [
      'WINNOW_DATABASE_URL: is not a complete URL; write characters such as / ? # of a name or password as %2F %3F %23',
    ]);
});

test('an invalid egress rule is rejected by every command, with its setting and the reason', () => {
  const reasons = {
    '300.1.1.1': /^WINNOW_EGRESS_ALLOW: egress rule "300\.1\.1\.1" is not an IPv4 address or CIDR range/,
    '10.0.0.0/33': /is not an IPv4 address or CIDR range/,
    '1.2.3': /is not an IPv4 address/,
    'a..b': /is neither an address, a CIDR range nor a host name/,
    'example.com:70000': /is neither an address/,
  };
  for (const [rule, reason] of Object.entries(reasons)) {
    assert.throws(
      () => readConfig({ WINNOW_EGRESS_ALLOW: `10.0.0.1, ${rule}` }),
      (error) => error instanceof ConfigError && reason.test(error.faults.join('\n')),
      rule,
    );
    assert.throws(() => readConfig({ WINNOW_EGRESS_DENY: rule }), ConfigError);
  }
  assert.deepEqual(readConfig({ WINNOW_EGRESS_ALLOW: '10.0.0.0/8:8080, *.example.com' }).egressAllow.length, 2);
});
