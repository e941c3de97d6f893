import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { startRunning } from '../support/running-service.ts';
import type { Answer } from '../support/running-service.ts';
import { startSlowSite } from './slow-site.ts';

const LARGE = `<!doctype html><title>Large</title><body>${'<p>A paragraph of the page.</p>'.repeat(300_000)}`;
const SMALL = '<!doctype html><title>Small</title><body><p>A paragraph of the page.</p>';

void test(
  'large pages of a key wait for its share while another key is active; small ones do not',
  { timeout: 300_000 },
  async () => {
    const running = await startRunning();
    const hanging = await startSlowSite();
    const site = createServer((request, response) => {
      response.setHeader('Content-Type', 'text/html');
      response.end(request.url === '/large' ? LARGE : SMALL);
    }).listen(0, '127.0.0.1');
    await once(site, 'listening');
    const { port } = site.address() as AddressInfo;
    try {
      const [noisy, modest] = await Promise.all(
        ['noisy', 'modest'].map(() => running.addKey({ projectId: running.projectId, kind: 'key_only' })),
      );
      const dump = (url: string, key = ''): Promise<Answer> => {
        const body = { url, options: { engine_preference: 'http', timeout_ms: 100_000 } };
        return running.call('/v1/dom/dump', body, { as: 'none', headers: { 'X-API-Key': key } });
      };
      const dumpMany = async (path: string): Promise<number[]> => {
        const answers = await Promise.all([1, 2, 3].map(() => dump(`http://127.0.0.1:${port}/${path}`, noisy)));
        assert.deepEqual(
          answers.map(({ status }) => status),
          [200, 200, 200],
        );
        return answers.flatMap(({ body }) => body.debug.timings['share_wait'] ?? []);
      };
      assert.deepEqual(await dumpMany('large'), [], 'a key that is alone does not wait');
      const other = dump(`${hanging.origin}/1`, modest);
      // On a very slow machine a page may arrive after the key has paid for the previous one.
      let waits: number[] = [];
      while (waits.length === 0) waits = await dumpMany('large');
      assert.ok(waits.every((ms) => ms > 0));
      assert.deepEqual(await dumpMany('small'), []);
      hanging.open();
      assert.equal((await other).status, 200);
    } finally {
      hanging.open();
      site.closeAllConnections();
      site.close();
      await hanging.close();
      await running.close();
    }
  },
);
