import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openStore } from '../../store/open-store.ts';
import type { Store } from '../../store/open-store.ts';
import { TEST_DATABASES } from '../../store/testing/test-databases.ts';
import type { TestServer } from '../../store/testing/test-databases.ts';
import { MetricRecorder } from '../metrics/metric-recorder.ts';
import { createSecretBox } from '../shared/secrets.ts';
import type { WebhookCall } from '../batches/batch-ports.ts';
import { makeStoredTemplate } from '../templates/testing/stored-template.ts';
import { AlertWatcher } from './alert-watcher.ts';
import { saveAlert } from './alerts.ts';
import type { AlertDeps } from './alerts.ts';

const NOW = new Date('2026-03-01T12:34:56Z');
const SECRET = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3';
const ACTOR = { email: 'ada@example.com' };

interface Body {
  readonly type: string;
  readonly alert: { readonly kind: string; readonly count?: number; readonly failed?: number };
}

for (const kind of TEST_DATABASES) {
  describe(`alerts on ${kind.name}`, { skip: kind.skip ?? false }, () => {
    let server: TestServer;
    let store: Store;
    const calls: WebhookCall[] = [];
    let refusal: Error | undefined;
    let slownessMs = 0;
    let until: Promise<void> | undefined;
    let now = NOW;
    let watcher: AlertWatcher;
    let deps: AlertDeps;
    before(async () => {
      server = await kind.start();
      store = await openStore({ location: await server.create(), onError: (error) => assert.fail(String(error)) });
      const secrets = createSecretBox(() => 'key');
      watcher = new AlertWatcher({
        ...store,
        templates: store.siteTemplates,
        sender: {
          send: async (call) => {
            calls.push(call);
            now = new Date(now.getTime() + slownessMs);
            await until;
            if (refusal) throw refusal;
          },
        },
        secrets,
        logger: { info: () => undefined, warn: () => undefined, error: () => undefined, debug: () => undefined },
        now: () => now,
      });
      const urlPolicy = { checkUrl: () => undefined };
      deps = { alerts: store.alerts, watcher, urlPolicy, projectEgress: new Map(), secrets, audit: store.accounts };
    });
    after(async () => {
      await watcher.close();
      await store.close();
      await server.stop();
    });

    async function addProject(id: string): Promise<void> {
      await store.projects.insert({ id, name: id, createdAt: NOW, archivedAt: null });
    }

    async function count(projectId: string, requests: number, failedItems: number): Promise<void> {
      const recorder = new MetricRecorder({
        metrics: store.metrics,
        onError: (error) => assert.fail(String(error)),
        now: () => now,
      });
      for (let index = 0; index < requests; index += 1)
        recorder.record({ at: now, projectId, code: 'ok', stage: null, engine: null, elapsedMs: 1, judged: null });
      for (let index = 0; index < failedItems; index += 1)
        recorder.recordItem({ at: now, projectId, failed: true, judged: null });
      await recorder.stop();
    }

    const told = (): Body[] => calls.splice(0).map(({ body }) => JSON.parse(body) as Body);
    const summary = (): string[] => told().map(({ type, alert }) => `${type} ${alert.kind}`);

    test('the receiver is told once when too many requests and items fail, and once when that is over', async () => {
      await addProject('prj_a');
      await addProject('prj_b');
      const wanted = { url: 'https://example.org/hook', errorRate: 0.5, fillRates: true };
      await assert.rejects(saveAlert(deps, ACTOR, 'prj_a', { ...wanted, secret: undefined }), /secret/);
      await saveAlert(deps, ACTOR, 'prj_a', { ...wanted, secret: SECRET });
      await saveAlert(deps, ACTOR, 'prj_b', { ...wanted, secret: SECRET });
      assert.doesNotMatch(JSON.stringify(await store.alerts.list()), /whsec_/, 'the secret is sealed');
      await count('prj_a', 4, 14);
      await watcher.watch();
      assert.deepEqual(summary(), [], 'eighteen say nothing');
      // In place of the four: they are of one process and minute.
      await count('prj_a', 10, 0);
      await watcher.watch();
      const [call] = calls;
      assert.deepEqual([call?.projectId, call?.webhook], ['prj_a', { url: wanted.url, secret: SECRET }]);
      const [{ type, alert } = assert.fail()] = told();
      assert.deepEqual([type, alert.kind, alert.count, alert.failed], ['alert.started', 'error_rate', 24, 14]);
      await watcher.watch();
      assert.deepEqual(summary(), []);
      assert.deepEqual((await store.alerts.find('prj_a'))?.active, ['error_rate']);

      now = new Date(NOW.getTime() + 3_600_000);
      await watcher.watch();
      assert.deepEqual(summary(), ['alert.ended error_rate']);
      assert.deepEqual((await store.alerts.find('prj_a'))?.active, []);
    });

    test('a call that is not accepted is made again, and says why', async () => {
      await count('prj_b', 0, 20);
      refusal = new Error('the webhook answered with status 500');
      await watcher.watch();
      assert.deepEqual(summary(), ['alert.started error_rate']);
      const refused = await store.alerts.find('prj_b');
      assert.deepEqual([refused?.active, refused?.lastError], [[], 'the webhook answered with status 500']);
      refusal = undefined;
      await watcher.watch();
      assert.deepEqual(summary(), ['alert.started error_rate']);
      const accepted = await store.alerts.find('prj_b');
      assert.deepEqual([accepted?.active, accepted?.lastError], [['error_rate'], null]);
    });

    test('one test of a project is sent at a time', async () => {
      const alert = (await store.alerts.find('prj_b')) ?? assert.fail();
      const gate = Promise.withResolvers<void>();
      until = gate.promise;
      const first = watcher.test(alert);
      await assert.rejects(watcher.test(alert), /another test of this alert has not ended yet/);
      gate.resolve();
      assert.equal(await first, null);
      assert.equal(await watcher.test(alert), null);
      assert.deepEqual(summary(), ['alert.test test', 'alert.test test']);
    });

    test('a template that no longer fits its site is told of, and an archived project tells nothing', async () => {
      await store.siteTemplates.insert(makeStoredTemplate({ id: 'tpl_a', projectId: 'prj_a', state: 'active' }));
      await watcher.watch();
      assert.deepEqual(summary(), []);
      const filled = { pages: 0, fields: {}, usual: [] };
      await store.siteTemplates.addHealth(
        { id: 'tpl_a', version: 1 },
        { served: 1, failed: 9, drift: 100, filled },
        now,
      );
      await store.projects.update('prj_a', { archivedAt: now });
      await watcher.watch();
      assert.deepEqual(summary(), []);
      await store.projects.update('prj_a', { archivedAt: null });
      await watcher.watch();
      assert.deepEqual(summary(), ['alert.started fill_rates']);
      assert.deepEqual((await store.alerts.find('prj_a'))?.active, ['tpl_a:v1']);
      for (const id of ['tpl_b', 'tpl_c', 'tpl_d']) {
        await store.siteTemplates.insert(makeStoredTemplate({ id, projectId: 'prj_a', state: 'active' }));
        await store.siteTemplates.addHealth({ id, version: 1 }, { served: 1, failed: 9, drift: 100, filled }, now);
      }
      slownessMs = 30_000;
      await watcher.watch();
      assert.equal(summary().length, 2, 'a slow receiver does not delay the others for longer');
      slownessMs = 0;
      await watcher.watch();
      assert.equal(summary().length, 1);
      assert.equal((await store.alerts.find('prj_a'))?.active.length, 4);
      assert.equal(await store.alerts.delete('prj_a'), true);
      assert.equal(await store.alerts.delete('prj_a'), false);
    });
  });
}
