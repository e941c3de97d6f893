/**
 * Captures pages while the machine's network changes, in a separate network (`unshare -n`), and prints an array of
 * {@link Outcome} as JSON.
 */
import { spawnSync } from 'node:child_process';
import http2 from 'node:http2';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestFetcher } from '../../../packages/server/src/composition/testing/test-fetcher.ts';
import { until } from '../../../packages/server/src/engines/testing/own-browsers.ts';
import { createCertificate } from '../../site/certificate.ts';

/** Engine, path, whether the page was whole or the error, and the number of requests. */
export type Outcome = readonly [engine: string, path: string, result: string, requests: number];

const MARK = 'the mark of the page';
const SLOW_MS = 700;

/** Served over HTTP/2: Chromium closes its connections even while they are in use. */
const PAGES: Readonly<Record<string, string>> = {
  '/quick': `<p>${MARK}</p>`,
  '/slow': `<p>${MARK}</p>`,
  '/slow-script': '<p id="out"></p><script src="/slow-script.js"></script>',
  '/slow-script.js': `document.getElementById('out').textContent = '${MARK}'`,
};

/** Engine, page, and the pending request when the network changes. */
const CASES = [
  ['chrome', '/slow', '/slow'],
  ['chrome_cdp', '/slow', '/slow'],
  ['chrome', '/slow-script', '/slow-script.js'],
] as const;

let addresses = 0;

function ip(command: string): void {
  const { status, stderr } = spawnSync('ip', command.split(' '));
  if (status !== 0) throw new Error(`ip ${command}: ${stderr.toString()}`);
}

/** Adds an address, as starting a container does. */
function changeNetwork(): void {
  addresses += 1;
  ip(`address add 198.51.100.${addresses}/24 dev wire`);
}

ip('link set lo up');
ip('link add wire type veth peer name other');
for (const end of ['wire', 'other']) {
  // Without automatic addresses the network changes only when we change it.
  ip(`link set ${end} addrgenmode none`);
  ip(`link set ${end} up`);
}
changeNetwork();

const requests: string[] = [];
const { key, cert, spki } = await createCertificate(['127.0.0.1']);
const server = http2.createSecureServer({ key, cert });
server.on('stream', (stream, { ':path': path = '' }) => {
  requests.push(path);
  void answer(stream, path);
});

async function answer(stream: http2.ServerHttp2Stream, path: string): Promise<void> {
  stream.on('error', () => {});
  if (path !== '/quick' && path !== '/slow-script') await sleep(SLOW_MS);
  if (stream.destroyed) return;
  stream.respond({ ':status': 200, 'content-type': path.endsWith('.js') ? 'text/javascript' : 'text/html' });
  stream.end(PAGES[path]);
}

await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
const fetcher = createTestFetcher({
  egress: { allow: [host], deny: [] },
  browserArgs: [`--ignore-certificate-errors-spki-list=${spki}`],
});
const outcomes: Outcome[] = [];
for (const [engine, path, pending] of CASES) {
  const capture = (target: string): Promise<string> =>
    fetcher
      .capture(engine, {
        url: new URL(`https://${host}${target}`),
        timeoutMs: 60_000,
        signal: AbortSignal.timeout(90_000),
      })
      .then(
        ({ html }) => (html.includes(`>${MARK}<`) ? 'whole' : 'not whole'),
        (error: unknown) => String(error),
      );
  await capture('/quick');
  const countRequests = (): number => requests.filter((request) => request === pending).length;
  const work = capture(path);
  await until(() => countRequests() > 0, `the request for ${pending}`);
  changeNetwork();
  outcomes.push([engine, path, await work, countRequests()]);
  requests.length = 0;
}
await fetcher.close();
server.close();
process.stdout.write(`${JSON.stringify(outcomes)}\n`);
process.exit();
