/** The service below a path of a host, `https://host/winnow`, behind nginx from Debian. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort, findNginx } from '../cluster/start-balancer.ts';
import { setUp, startConsole } from '../console/start-console.ts';
import type { RunningConsole } from '../console/start-console.ts';

const program = findNginx();
const BASE = '/winnow';

interface Proxy {
  readonly origin: string;
  stop(): Promise<void>;
}

/** Starts nginx: `/winnow/` goes to the service, with or without its prefix; the rest is another site. */
async function startProxy(folder: string, port: number, upstream: string, cutsOff: boolean): Promise<Proxy> {
  const target = cutsOff ? `${upstream}/` : upstream;
  await writeFile(
    path.join(folder, 'nginx.conf'),
    `daemon off; pid ${folder}/nginx.pid; error_log ${folder}/error.log;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi; uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
  server {
    listen 127.0.0.1:${port};
    location = ${BASE} { return 302 ${BASE}/; }
    location ${BASE}/ { proxy_pass ${target}; proxy_set_header Host $http_host; }
    location / { return 418; }
  }
}
`,
  );
  const server = spawn(program ?? '', ['-c', path.join(folder, 'nginx.conf'), '-p', folder], { stdio: 'inherit' });
  const ended = once(server, 'exit');
  const origin = `http://127.0.0.1:${port}`;
  while ((await fetch(`${origin}/`).catch(() => undefined)) === undefined) {
    if (server.exitCode !== null) throw new Error('nginx ended');
    await sleep(50);
  }
  return {
    origin,
    stop: async () => {
      server.kill('SIGTERM');
      await ended;
    },
  };
}

/** Tests the service behind an nginx that strips the base path or passes it on. */
export function describeBasePath({ cutsOff }: { readonly cutsOff: boolean }): void {
  const how = cutsOff ? 'strips' : 'passes on';
  describe(`nginx ${how} the base path`, { skip: program ? false : "needs Debian's nginx-light" }, () => {
    let running: RunningConsole;
    let proxy: Proxy;
    let folder: string;

    before(async () => {
      folder = await mkdtemp(path.join(tmpdir(), 'winnow-base-'));
      const port = await findFreePort();
      running = await startConsole({ WINNOW_BASE_URL: `http://127.0.0.1:${port}${BASE}`, WINNOW_SELF_TEST: 'false' });
      proxy = await startProxy(folder, port, running.service.url, cutsOff);
    });
    after(async () => {
      await proxy?.stop();
      await running?.close();
      await rm(folder, { recursive: true, force: true });
    });

    test('links and redirects stay below the base path', async () => {
      const base = `${proxy.origin}${BASE}`;
      assert.ok(running.setupUrl.startsWith(`${base}/console/welcome#`), running.setupUrl);
      const browser = await fetch(`${base}/`, { headers: { Accept: 'text/html' }, redirect: 'manual' });
      assert.deepEqual([browser.status, browser.headers.get('location')], [302, `${BASE}/console`]);
      const { links } = (await (await fetch(`${base}/`)).json()) as { links: Record<string, string> };
      for (const [name, link] of Object.entries(links)) {
        const { status } = await fetch(`${proxy.origin}${link}`);
        // The service may not be ready yet.
        const expected = { extract: [405], ready: [200, 503] }[name] ?? [200];
        assert.ok(expected.includes(status), `${status} ${link}`);
      }
      const { servers } = (await (await fetch(`${base}/openapi.json`)).json()) as { servers: { url: string }[] };
      assert.equal(servers[0]?.url, base);
      const answer = await fetch(`${base}/v1/extract`, { method: 'POST', body: '{}' });
      assert.equal(answer.status, 401);
    });

    test('the console, its API, stored pages and the API viewer work, and send no request to the rest of the host', async () => {
      const { page, context } = await running.open();
      page.setDefaultTimeout(60_000);
      const strays: string[] = [];
      page.on('request', (request) => {
        const { origin, pathname } = new URL(request.url());
        if (origin === proxy.origin && !pathname.startsWith(`${BASE}/`)) strays.push(request.url());
      });
      page.on('response', (response) => {
        if (response.status() >= 400) strays.push(`${response.status()} ${response.url()}`);
      });
      page.on('pageerror', (error) => strays.push(String(error)));
      try {
        await setUp(page, running.setupUrl);
        await page.getByRole('link', { name: 'Snapshots' }).click();
        await page.waitForURL(/snapshots/);
        // A deep link.
        await page.reload();
        await page.getByRole('link', { name: 'Snapshots' }).waitFor();
        await page.locator('a[href*="/snapshots/dom_"]').first().click();
        await page.waitForURL(/snapshots\/dom_/);
        const frame = page.frameLocator('iframe').first();
        await frame.getByText('The market by the harbour').first().waitFor();
        await page.goto(`${proxy.origin}${BASE}/docs`);
        await page.locator('#operations-pages-extract').waitFor();
        assert.deepEqual(
          strays.filter((line) => !/^401 .*session$/.test(line)),
          [],
        );
      } finally {
        await context.close();
      }
    });
  });
}
