/**
 * The service under attack, in a separate network. On `attack` it requests everything that must be unreachable; on
 * `prove`, which may be repeated, it requests an allowed target in the same ways. After each command it reports all
 * outcomes and packets so far. Started by `two-networks.ts`.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createTestFetcher } from '../../../packages/server/src/composition/testing/test-fetcher.ts';
import type { TestFetcherOptions } from '../../../packages/server/src/composition/testing/test-fetcher.ts';
import { BROWSER_CANDIDATES } from '../../../packages/server/src/engines/chromium/browsers/browser-flags.ts';
import { findBrowser } from '../../../packages/server/src/engines/chromium/browsers/launch-browser.ts';
import { startRunning } from '../../support/running-service.ts';
import type { Running } from '../../support/running-service.ts';
import { startCanary } from '../../site/canary.ts';
import type { Canary } from '../../site/canary.ts';
import { startDnsServer } from '../../site/dns-server.ts';
import { HONEST, LIES, PUBLIC_IPV4, REBINDING, REFUSED_HOSTS } from './addresses.ts';
import { TRAP } from './two-networks.ts';
import type { EnginePreference } from '@winnow/contract';

/** A request to the service and its outcome: `ok` or an error code. */
export interface Outcome {
  readonly what: string;
  readonly code: string;
}

export interface AttackReport {
  /** By group of attacks; the control group has those of its last run. */
  readonly outcomes: Readonly<Record<Group, readonly Outcome[]>>;
  /** Packets sent to addresses other than the site's, by group of attacks. */
  readonly packets: Readonly<Record<Group, number>>;
  /** Sub-requests of the attack pages that the service counted as refused. */
  readonly refusals: number;
  /** Visits at the canaries of the service's own loopback. */
  readonly loopbackVisits: readonly string[];
}

type AttackCommand = 'attack' | 'prove';

export type Group =
  | 'honest'
  | 'written'
  | 'redirects'
  | 'names'
  | 'rebinding'
  | 'pages'
  | 'lists'
  | 'proxy'
  | 'control';

const BROWSER_ENGINES = ['chrome', 'chrome_cdp', 'vendor_lite', 'vendor_dcl', 'vendor_dom', 'stable'] as const;

/** Targets of the attack pages: each kind of network and each kind of lie. */
const PAGE_TARGETS = [
  '10.1.2.3:80',
  '169.254.169.254:80',
  '100.64.0.1:443',
  '[fd00::1]:80',
  '[64:ff9b::a01:203]:443',
  'chain.test:443',
  'mixed.test:80',
  'rebind.test:443',
];

/** The control group's target: if allowed, it receives everything but UDP. */
const ALLOWED_TARGET = '10.1.2.3';

const outcomes = {} as Record<Group, Outcome[]>;
const packets = {} as Record<Group, number>;

/** Parts that live from the first command to the end. */
interface Surroundings {
  /** Records visits on the service's own loopback. */
  readonly canary: Canary;
  /** Chromium that accepts the test site's certificate. */
  readonly browser: string;
}

const folder = mkdtempSync(path.join(tmpdir(), 'winnow-attack-'));
let surroundings: Promise<Surroundings> | undefined;
let refusals = 0;

async function prepare(): Promise<Surroundings> {
  const canary = await startCanary();
  await startDnsServer({ ...HONEST, ...LIES, ...REBINDING }, 53);
  useNameServer();
  return { canary, browser: writeBrowser() };
}

async function attack({ canary, browser }: Surroundings): Promise<void> {
  const running = await startRunning({
    WINNOW_EGRESS_ALLOW: '',
    WINNOW_CHROMIUM: browser,
    WINNOW_HOST_CONCURRENCY: '64',
    WINNOW_BROWSER_CONCURRENCY: '2',
  });
  try {
    await group('honest', () => visitSite(running));
    await group('written', () => askForRefused(running));
    await group('redirects', () => redirectToRefused(running));
    await group('names', () => askForLies(running));
    await group('rebinding', () => askWhileRebinding(running));
    const before = await countRefusals(running);
    await group('pages', () => showAttackPages(running, canary.port));
    refusals = (await countRefusals(running)) - before;
    await group('lists', () => useLists(browser));
    await group('proxy', () => useProxy());
  } finally {
    await running.close();
  }
}

async function group(name: Group, run: () => Promise<Outcome[]>): Promise<void> {
  const before = countPackets();
  outcomes[name] = await run();
  packets[name] = countPackets() - before;
}

/** Packets sent to addresses other than the site's. */
function countPackets(): number {
  const line = readFileSync('/proc/net/dev', 'utf8')
    .split('\n')
    .find((one) => one.trim().startsWith(`${TRAP}:`));
  return Number(line?.split(':')[1]?.trim().split(/\s+/)[9]);
}

async function countRefusals(running: Running): Promise<number> {
  const metrics = await (await fetch(`${running.url}/metrics`)).text();
  return Number(/^winnow_egress_refusals_total (\d+)/m.exec(metrics)?.[1] ?? 0);
}

/** Points the system's resolver to our name server, in this mount namespace only. */
function useNameServer(): void {
  const file = path.join(folder, 'resolv.conf');
  writeFileSync(file, 'nameserver 127.0.0.1\noptions timeout:2 attempts:1\n');
  const { status, stderr } = spawnSync('mount', ['--bind', file, '/etc/resolv.conf']);
  if (status !== 0) throw new Error(`the resolver cannot be replaced: ${stderr.toString()}`);
}

function writeBrowser(): string {
  const file = path.join(folder, 'chromium');
  const flags = `--ignore-certificate-errors-spki-list=${process.env['WINNOW_TEST_SPKI']}`;
  writeFileSync(file, `#!/bin/sh\nexec '${findBrowser(BROWSER_CANDIDATES)}' '${flags}' "$@"\n`);
  chmodSync(file, 0o755);
  return file;
}

async function dump(running: Running, url: string, engine: EnginePreference): Promise<Outcome> {
  const options = { engine_preference: engine, timeout_ms: 60_000 };
  const { status, body } = await running.call('/v1/dom/dump', { url, options });
  const what = `${engine} ${url}`;
  return status === 200 ? { what, code: 'ok' } : { what: `${what} (${body.error.message})`, code: body.error.code };
}

/** Runs two requests at a time, as many as the browser concurrency. */
async function dumpAll(running: Running, orders: readonly (readonly [EnginePreference, string])[]): Promise<Outcome[]> {
  const found: Outcome[] = [];
  const left = orders.values();
  const work = async (): Promise<void> => {
    for (const [engine, url] of left) found.push(await dump(running, url, engine));
  };
  await Promise.all([work(), work()]);
  return found;
}

const redirectTo = (origin: string, target: string): string => `${origin}/redirect-to?to=${encodeURIComponent(target)}`;

function visitSite(running: Running): Promise<Outcome[]> {
  const urls = [
    'http://site.test/static',
    'https://site.test/static',
    'http://site6.test/static',
    'http://alias.test/',
  ];
  return dumpAll(running, [
    ...urls.slice(0, 3).map((url) => ['http', url] as const),
    ...BROWSER_ENGINES.map((engine) => [engine, 'https://site.test/client'] as const),
  ]);
}

function askForRefused(running: Running): Promise<Outcome[]> {
  const schemes = [
    'file:///etc/passwd',
    'view-source:http://site.test/',
    'chrome://version',
    'ftp://site.test/',
    'data:text/html,x',
    'javascript:1',
    'blob:http://site.test/x',
    'ws://site.test/',
    'http://user:password@site.test/',
    'http://site.test:25/',
  ];
  return dumpAll(running, [
    ...REFUSED_HOSTS.map((host) => ['http', `http://${host}/`] as const),
    ...REFUSED_HOSTS.slice(0, 8).map((host) => ['auto', `https://${host}:8443/`] as const),
    ...schemes.flatMap((url) => [['http', url] as const, ['chrome', url] as const]),
  ]);
}

function redirectToRefused(running: Running): Promise<Outcome[]> {
  const hosts = ['10.1.2.3', '169.254.169.254', '[fd00::1]'];
  return dumpAll(running, [
    ...REFUSED_HOSTS.map((host) => ['http', redirectTo('http://site.test', `http://${host}/`)] as const),
    ...REFUSED_HOSTS.map((host) => ['http', redirectTo('https://site.test', `https://${host}/`)] as const),
    ...BROWSER_ENGINES.map(
      (engine, index) => [engine, redirectTo('https://site.test', `http://${hosts[index % 3]}/`)] as const,
    ),
    ['chrome', redirectTo('http://site.test', 'https://10.1.2.3/')],
  ]);
}

function askForLies(running: Running): Promise<Outcome[]> {
  const names = Object.keys(LIES);
  return dumpAll(running, [
    ...names.flatMap((name) => [['http', `http://${name}/`] as const, ['http', `https://${name}/`] as const]),
    ...names.map(
      (name, index) => [BROWSER_ENGINES[index % BROWSER_ENGINES.length] ?? 'chrome', `https://${name}/`] as const,
    ),
  ]);
}

/** Each request either reaches the site or is refused, depending on the number of the query. */
function askWhileRebinding(running: Running): Promise<Outcome[]> {
  const names = Object.keys(REBINDING);
  return dumpAll(running, [
    ...names.flatMap((name) => [1, 2, 3].map(() => ['http', `http://${name}/static`] as const)),
    ...names.map((name) => ['vendor_dcl', `http://${name}/static`] as const),
  ]);
}

function showAttackPages(running: Running, loopbackPort: number): Promise<Outcome[]> {
  const targets = [...PAGE_TARGETS, `127.0.0.1:${loopbackPort}`, `[::1]:${loopbackPort}`, `localhost:${loopbackPort}`];
  const query = targets.map((target) => `target=${encodeURIComponent(target)}`).join('&');
  const one = encodeURIComponent('10.1.2.3:443');
  return dumpAll(running, [
    ...BROWSER_ENGINES.map(
      (engine, index) => [engine, `${index % 2 === 0 ? 'http' : 'https'}://site.test/attack?${query}`] as const,
    ),
    ['stable', `http://site.test/attack?${query}`],
    ['chrome', `https://site.test/early-hints?target=${one}`],
    ['stable', `https://site.test/service-worker?target=${one}`],
  ]);
}

type Want = readonly [engine: EnginePreference, url: string];

/** Captures with separate engines, under other egress rules. */
async function captureWith(options: TestFetcherOptions, wants: readonly Want[], project?: string): Promise<Outcome[]> {
  const fetcher = createTestFetcher(options);
  const found: Outcome[] = [];
  try {
    for (const [engine, url] of wants) {
      const request = {
        url: new URL(url),
        timeoutMs: 30_000,
        signal: new AbortController().signal,
        ...(project === undefined ? {} : { egress: { allow: [], deny: [project] } }),
      };
      const code = await fetcher.capture(engine, request).then(
        () => 'ok',
        (error: { code: string }) => error.code,
      );
      found.push({ what: `${engine} ${url}`, code });
    }
    return found;
  } finally {
    await fetcher.close();
  }
}

/** Deny rules by range, name and port, of the deployment and of a project; and allow rules with a port. */
async function useLists(browser: string): Promise<Outcome[]> {
  const site = [['http', 'http://site.test/static']] as const;
  const denied = ['93.184.216.0/24', '*.test', 'site.test:80', `${PUBLIC_IPV4}:80`, '0.0.0.0/0'];
  const found: Outcome[] = [];
  for (const rule of denied) {
    found.push(...(await captureWith({ egress: { allow: [], deny: [rule] } }, site)));
    found.push(...(await captureWith({}, site, rule)));
  }
  const behind = redirectTo('http://site6.test', 'http://site.test/static');
  const browserExecutables = [browser];
  const wants = BROWSER_ENGINES.flatMap((engine) => [[engine, site[0][1]] as const, [engine, behind] as const]);
  found.push(
    ...(await captureWith({ egress: { allow: [], deny: ['93.184.216.0/24'] }, browserExecutables }, wants)),
    ...(await captureWith({ browserExecutables }, wants, 'site.test:80')),
  );
  const narrow = { allow: ['172.16.5.4:8081', 'private.test:8081'], deny: [] };
  found.push(
    ...(await captureWith({ egress: narrow, browserExecutables }, [
      ['http', 'http://172.16.5.4:8080/'],
      ['http', 'http://172.16.5.5:8081/'],
      ['http', 'http://private.test:8080/'],
      ['chrome', redirectTo('http://site.test', 'http://172.16.5.4:8080/')],
    ])),
  );
  return found;
}

function useProxy(): Promise<Outcome[]> {
  return captureWith({ upstream: { proxy: new URL(`http://${PUBLIC_IPV4}:3128`) } }, [
    ['http', 'http://site.test/static'],
    ['vendor_dcl', 'http://site.test/static'],
    ['http', 'http://10.1.2.3/'],
    ['http', 'http://private.test/'],
    ['http', 'http://mixed.test/'],
    ['vendor_dcl', 'http://chain.test/'],
    ['http', redirectTo('http://site.test', 'http://169.254.169.254/')],
  ]);
}

/**
 * Opens the attack pages with an allowed target: now the canaries and the counter must see them. On a busy
 * machine a capture may end before its page has tried everything; then the caller repeats this.
 */
function proveVectors(browser: string): Promise<Outcome[]> {
  const options = {
    egress: { allow: [ALLOWED_TARGET], deny: [] },
    browserExecutables: [browser],
  };
  return captureWith(options, [
    ['stable', `http://site.test/attack?target=${ALLOWED_TARGET}:80`],
    ['stable', `https://site.test/attack?target=${ALLOWED_TARGET}:443`],
    ['chrome', `https://site.test/early-hints?target=${ALLOWED_TARGET}:443`],
    ['chrome', `https://site.test/early-hints?only=preconnect&target=${ALLOWED_TARGET}:6443`],
    ['stable', `https://site.test/service-worker?target=${ALLOWED_TARGET}:443`],
    ['stable', `http://site.test/attack?vector=webrtc&vector=webrtc-candidate&target=${ALLOWED_TARGET}:3478`],
  ]);
}

async function obey(order: AttackCommand): Promise<AttackReport> {
  const { canary, browser } = await (surroundings ??= prepare());
  if (order === 'attack') await attack({ canary, browser });
  else await group('control', () => proveVectors(browser));
  return { outcomes, packets, refusals, loopbackVisits: canary.visits };
}

process.on('message', (order: AttackCommand) => {
  obey(order).then(
    (report) => process.send?.(report),
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`);
      process.exit(1);
    },
  );
});
process.on('disconnect', () => {
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
});
process.send?.('spawned');
