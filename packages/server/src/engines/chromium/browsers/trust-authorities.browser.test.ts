import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { createCertificate, createIncompleteChain } from '../../../../../../test/site/certificate.ts';
import type { TestCertificate } from '../../../../../../test/site/certificate.ts';
import { ARTICLE } from '../../../../../../test/site/route.ts';
import { openEgress } from '../../../composition/open-fetcher.ts';
import { readFetcherOptions } from '../../../composition/open-fetcher.ts';
import { readConfig } from '../../../config/config.ts';
import { createFetcher } from '../../create-fetcher.ts';

const ENGINES = ['http', 'vendor_lite', 'stable', 'chrome_cdp', 'auto'] as const;

async function startSite({ key, cert }: Pick<TestCertificate, 'key' | 'cert'>): Promise<https.Server> {
  const server = https.createServer({ key, cert }, (_request, response) => {
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    response.end(`<!doctype html><title>Inside</title>${ARTICLE}`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** Starts engines that may reach some addresses and trust an authority. */
async function startEngines(t: TestContext, allow: string, ca: string) {
  const folder = await mkdtemp(path.join(tmpdir(), 'winnow-authorities-'));
  const file = path.join(folder, 'authorities.pem');
  await writeFile(file, ca);
  const config = readConfig({ WINNOW_EGRESS_ALLOW: allow, WINNOW_CA_FILE: file });
  const egress = openEgress(config);
  const fetcher = createFetcher({ ...readFetcherOptions(config), egress });
  t.after(async () => {
    await fetcher.close();
    await egress.close();
    await rm(folder, { recursive: true, force: true });
  });
  return fetcher;
}

test('a browser fetches missing certificates of a chain for auto, only from where the egress rules allow', async (t) => {
  const paths: (string | undefined)[] = [];
  const answers: Buffer[] = [];
  const authority = http.createServer(({ url }, response) => {
    paths.push(url);
    response.setHeader('Content-Type', 'application/pkix-cert');
    response.end(answers[0]);
  });
  authority.listen(0, '127.0.0.1');
  await once(authority, 'listening');
  const elsewhere = `127.0.0.1:${(authority.address() as AddressInfo).port}`;
  const chain = await createIncompleteChain(`http://${elsewhere}/middle.der`);
  answers.push(chain.missing);
  const site = await startSite(chain);
  t.after(() => [authority, site].map((server) => server.close()));
  const there = `127.0.0.1:${(site.address() as AddressInfo).port}`;
  const request = { url: new URL(`https://${there}/`), timeoutMs: 30_000, signal: new AbortController().signal };
  const strict = await startEngines(t, there, chain.ca);
  await assert.rejects(strict.capture('auto', request), { code: 'tls_failed' });
  assert.deepEqual(paths, []);
  const open = await startEngines(t, `${there},${elsewhere}`, chain.ca);
  assert.equal((await open.capture('auto', request)).engine, 'vendor_lite');
  assert.deepEqual(paths, ['/middle.der']);
});

test('WINNOW_CA_FILE makes every engine trust its authorities, and no others', async (t) => {
  const create = (name: string, notAfter?: Date) => createCertificate(['site.test'], notAfter, `Authority ${name}`);
  const yesterday = new Date(Date.now() - 86_400_000);
  const [one, two, stranger, expired] = [
    await create('one'),
    await create('Zwei'),
    await create('three'),
    await create('four', yesterday),
  ];
  const fetcher = await startEngines(t, '127.0.0.1', `Our own:\n${one.ca}\n${two.ca}${expired.ca}`);
  const servers = await Promise.all([one, two, stranger, expired].map(startSite));
  t.after(() => servers.map((server) => server.close()));
  const signal = new AbortController().signal;
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  for (const engine of ENGINES) {
    const capture = (index: number) =>
      fetcher.capture(engine, { url: new URL(`https://127.0.0.1:${ports[index]}/`), timeoutMs: 30_000, signal });
    for (const index of [0, 1]) assert.match((await capture(index)).html, /<title>Inside/, engine);
    for (const index of [2, 3]) await assert.rejects(capture(index), { code: 'tls_failed' }, `${engine} ${index}`);
  }
});
