/**
 * The egress policy on a real network: the service runs in a separate network, where every address but the test
 * site's is a canary and packets to them are counted. Skipped without root.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { createCertificate } from '../../site/certificate.ts';
import { ARRIVING_PATHS } from '../../site/routes/attack-routes.ts';
import { REFUSED_HOSTS } from './addresses.ts';
import type { AttackReport, Group } from './attack-service.ts';
import { findObstacle, openTwoNetworks } from './two-networks.ts';
import type { Sightings } from './world.ts';

const obstacle = findObstacle();
const skip = obstacle ?? false;

/** Endings of canary sightings that each prove one attack of the control group arrived. */
const PROOFS = [
  ...ARRIVING_PATHS,
  '/download',
  '/service-worker',
  '/csp-report',
  'HTTP/2.0 /early-hint',
  'TURN-allocate',
  'ICE-binding',
  // A preconnect: a connection without a request.
  'TLS-handshake',
];

/** On a busy machine a capture can be over before its page has tried everything. */
const MAX_ROUNDS = 8;

let report: AttackReport;
let seen: Sightings;
before(async () => {
  if (obstacle !== undefined) return;
  const folder = await mkdtemp(path.join(tmpdir(), 'winnow-networks-'));
  const certificate = await createCertificate(['site.test', '*.test', '10.1.2.3']);
  const ca = path.join(folder, 'ca.pem');
  await writeFile(ca, certificate.ca);
  const networks = await openTwoNetworks(
    path.join(import.meta.dirname, 'attack-service.ts'),
    { NODE_EXTRA_CA_CERTS: ca, WINNOW_TEST_SPKI: certificate.spki },
    { key: certificate.key, cert: certificate.cert },
  );
  after(async () => {
    await networks.close();
    await rm(folder, { recursive: true });
  });
  await networks.ask('attack');
  for (let round = 1; round <= MAX_ROUNDS; round += 1) {
    report = (await networks.ask('prove')) as AttackReport;
    seen = await networks.sightings();
    if (findMissingProofs().length === 0) break;
  }
});

function findMissingProofs(): string[] {
  return PROOFS.filter((proof) => !seen.canary.some((sighting) => sighting.endsWith(` ${proof}`)));
}

function codesOf(group: Group): Record<string, readonly string[]> {
  const codes: Record<string, string[]> = {};
  for (const { what, code } of report.outcomes[group]) (codes[code] ??= []).push(what);
  return codes;
}

/** Asserts that every outcome has one of these codes, and that packets went only to the site. */
function assertRefused(group: Group, ...allowed: readonly string[]): void {
  for (const [code, whats] of Object.entries(codesOf(group)))
    assert.ok(allowed.includes(code), `${code}: ${whats.slice(0, 5).join(', ')}`);
  assert.equal(report.packets[group], 0);
}

test('every engine reaches the site in the separate network, over IPv4, IPv6 and HTTPS', { skip }, () => {
  assertRefused('honest', 'ok');
});

// Checks: threat-address-spelling
test('no packet leaves for an internal address in a URL, in any spelling or scheme', { skip }, () => {
  assert.ok(report.outcomes.written.length > REFUSED_HOSTS.length);
  assertRefused('written', 'url_not_allowed', 'invalid_request');
});

// Checks: threat-redirect
test('no packet leaves for an internal address in a redirect', { skip }, () => {
  assertRefused('redirects', 'egress_denied');
});

// Checks: threat-dns-answer
test(
  'no packet leaves for an internal address from a lying name server, in chains and mixed answers too',
  { skip },
  () => {
    assertRefused('names', 'egress_denied');
  },
);

// Checks: threat-dns-rebinding
test('under DNS rebinding with a TTL of 0 only the public address is reached', { skip }, () => {
  assertRefused('rebinding', 'ok', 'egress_denied');
});

// Checks: threat-sub-resources
test('no packet leaves for an internal address from pages that try everything a browser can do', { skip }, () => {
  assertRefused('pages', 'ok');
  assert.ok(report.refusals > 100, `${report.refusals} sub-requests refused`);
  assert.ok(
    seen.site.some((line) => line.includes('HTTP/2') && line.includes('/early-hints')),
    'pages over HTTP/2',
  );
  assert.ok(
    seen.site.some((line) => line.includes('/service-worker.js')),
    'a service worker',
  );
});

// Checks: threat-rule-scope
test(
  'deny lists by range, name and port hold for deployment and project, and an allow rule opens only what it names',
  { skip },
  () => {
    assertRefused('lists', 'egress_denied', 'url_not_allowed');
  },
);

// Checks: threat-upstream-proxy
test('an upstream proxy gets only checked public addresses', { skip }, () => {
  assert.deepEqual(
    report.outcomes.proxy.map(({ code }) => code),
    ['ok', 'ok', 'url_not_allowed', 'egress_denied', 'egress_denied', 'egress_denied', 'egress_denied'],
  );
  assert.equal(report.packets.proxy, 0);
  assert.ok(seen.proxy.length >= 2);
  assert.deepEqual([...new Set(seen.proxy)], ['93.184.216.34:80']);
});

// Checks: threat-sub-resources
test('the canaries, including those on loopback, see only the requests of the control group', { skip }, () => {
  assert.deepEqual(report.loopbackVisits, []);
  assert.ok(report.packets.control > 0, 'the counter works');
  for (const sighting of seen.canary) assert.match(sighting, /^10\.1\.2\.3:(?:80|443|3478|6443) /);
  assert.deepEqual(findMissingProofs(), [], 'did not arrive');
});
