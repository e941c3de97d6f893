import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { startDnsServer, TYPE_AAAA } from '../../../../../test/site/dns-server.ts';
import type { DnsServer } from '../../../../../test/site/dns-server.ts';
import { AppError } from '../../domain/shared/errors.ts';
import { createResolver } from './resolver.ts';
import type { ResolverOptions, SharedResolver } from './resolver.ts';

let dns: DnsServer;
let lame: DnsServer;
let folder: string;
let files: { readonly hostsFile: string; readonly resolvConf: string };

before(async () => {
  dns = await startDnsServer({
    '*.dead': () => 'silence',
    '*.good': () => ['192.0.2.1', '2001:db8::1'],
    'four.test': (_, type) => (type === TYPE_AAAA ? 'silence' : ['192.0.2.4']),
    wiki: () => ['192.0.2.5'],
  });
  lame = await startDnsServer({ '*.good': () => 'failure', '*.lame': () => 'failure' });
  folder = await mkdtemp(path.join(tmpdir(), 'winnow-resolver-'));
  files = { hostsFile: path.join(folder, 'hosts'), resolvConf: path.join(folder, 'resolv.conf') };
  await writeFile(files.hostsFile, '');
  await writeFile(files.resolvConf, `# ours\nnameserver ${toConf(dns)} ; local\noptions attempts:1\n`);
});

after(async () => {
  await dns.close();
  await lame.close();
  await rm(folder, { recursive: true });
});

/** Formats a server's address and port for resolv.conf. */
const toConf = ({ address }: DnsServer): string => address.replace(/^(.*):(\d+)$/, '[$1]:$2');
const ofSystem = (options: ResolverOptions = {}): SharedResolver => createResolver({ ...files, ...options });
const isUnresolved = (error: unknown): boolean => error instanceof AppError && error.code === 'dns_failed';
/** Counts the names with this suffix that were queried. */
const countQueried = (ending: string): number =>
  new Set([...dns.questions.keys()].map((key) => key.split('/')[0]).filter((name) => name?.endsWith(ending))).size;
const until = async (isMet: () => boolean): Promise<void> => {
  while (!isMet()) await new Promise((resolve) => setTimeout(resolve, 5));
};

// Checks: threat-unanswered-name
void test('names without an answer do not delay other names', { timeout: 30_000 }, async () => {
  const resolver = ofSystem({ timeoutMs: 60_000 });
  const session = resolver.openSession();
  const dead = [resolver, session].flatMap((client, group) =>
    Array.from({ length: 8 }, (_, index) => client.resolve(`${index}.${group}.dead`)),
  );
  const failures = Promise.allSettled(dead);
  await until(() => countQueried('.dead') === 16);
  assert.deepEqual(await resolver.resolve('www.good'), ['192.0.2.1', '2001:db8::1']);
  assert.deepEqual(await session.resolve('images.good'), ['192.0.2.1', '2001:db8::1']);
  session.close();
  resolver.close();
  assert.ok((await failures).every(({ status }) => status === 'rejected'));
});

// Checks: threat-unanswered-name
void test('a session runs few queries at a time, and none after it is closed', { timeout: 30_000 }, async () => {
  const session = ofSystem({ timeoutMs: 60_000 }).openSession();
  const pending = Array.from({ length: 100 }, (_, index) => session.resolve(`${index}.crowd.dead`));
  const failures = Promise.allSettled(pending);
  await until(() => countQueried('.crowd.dead') === 16);
  session.close();
  assert.ok((await failures).every(({ status }) => status === 'rejected'));
  await assert.rejects(session.resolve('late.good'), isUnresolved);
  assert.equal(countQueried('.crowd.dead'), 16);
  assert.equal(countQueried('late.good'), 0);
});

void test('a free slot goes to the next name', { timeout: 30_000 }, async () => {
  const session = ofSystem().openSession();
  const names = Array.from({ length: 50 }, (_, index) => `${index}.next.good`);
  assert.equal((await Promise.all(names.map((name) => session.resolve(name)))).length, 50);
  session.close();
});

// Checks: threat-unanswered-name
void test('a name that timed out is not queried again at once', async () => {
  const resolver = ofSystem({ timeoutMs: 100, cacheMs: 0 });
  await assert.rejects(resolver.resolve('again.dead'), isUnresolved);
  const queries = dns.questions.get('again.dead/1');
  await assert.rejects(resolver.openSession().resolve('again.dead'), isUnresolved);
  assert.equal(dns.questions.get('again.dead/1'), queries);
});

void test('the hosts file comes first, is reloaded on change, and supports names of one label', async () => {
  const resolver = ofSystem({ cacheMs: 0 });
  assert.deepEqual(await resolver.resolve('localhost'), ['127.0.0.1', '::1']);
  assert.deepEqual(await resolver.resolve('app.localhost'), ['127.0.0.1', '::1']);
  assert.deepEqual(await resolver.resolve('wiki'), ['192.0.2.5']);
  await writeFile(
    files.hostsFile,
    '192.0.2.7\tWiki wiki.example.  # ours\n#192.0.2.8 wiki\nfe80::1%lo0 wiki\n2001:db8::7 wiki\n127.0.0.5 localhost\nno-address wiki\n',
  );
  assert.deepEqual(await resolver.resolve('wiki'), ['192.0.2.7', '2001:db8::7']);
  assert.deepEqual(await resolver.resolve('wiki.example'), ['192.0.2.7']);
  assert.deepEqual(await resolver.resolve('localhost'), ['127.0.0.5']);
  await rm(files.hostsFile);
  assert.deepEqual(await resolver.resolve('wiki'), ['192.0.2.5']);
});

void test('name servers are reloaded on change, and the next is asked when one cannot answer', async () => {
  const resolvConf = path.join(folder, 'changing.conf');
  await writeFile(resolvConf, `nameserver ${toConf(lame)}\n`);
  const resolver = ofSystem({ resolvConf, cacheMs: 0 });
  await assert.rejects(resolver.resolve('www.good'), /ESERVFAIL/);
  await writeFile(resolvConf, `nameserver ${toConf(lame)}\nnameserver ${toConf(dns)}\nnameserver none\n`);
  assert.deepEqual(await resolver.resolve('www.good'), ['192.0.2.1', '2001:db8::1']);
  await assert.rejects(resolver.resolve('www.lame'), /ENOTFOUND/);
});

void test('addresses of one family do not wait long for a server that ignores the other', async () => {
  const resolver = ofSystem({ timeoutMs: 60_000 });
  assert.deepEqual(await resolver.resolve('four.test'), ['192.0.2.4']);
  resolver.close();
});

void test('without name servers in the file the system resolver is used', async () => {
  const resolvConf = path.join(folder, 'absent.conf');
  await assert.rejects(ofSystem({ resolvConf }).resolve('unknown.invalid'), isUnresolved);
});
