import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Batch, BatchWebhooks } from './batch-ports.ts';
import { createSecretBox } from '../shared/secrets.ts';
import type { SecretBox } from '../shared/secrets.ts';
import { sealWebhookSecret, WebhookCaller } from './webhook-caller.ts';

test('a silent receiver gets two calls at a time and delays no other receiver', { timeout: 30_000 }, async () => {
  const due = [1, 2, 3, 4].map((number) => toBatch(`bat_${number}`, `https://silent.example/${number}`, 'completed'));
  due.push(toBatch('bat_5', GOOD, 'cancelled'));
  const { silent, payload } = await callUntilGood(due);
  assert.equal(payload.type, 'batch.cancelled');
  assert.equal(payload.batch.state, 'cancelled');
  assert.deepEqual(silent, ['bat_1', 'bat_2']);
  assert.equal(due.length, 2, 'no call starts after closing');
});

// Checks: threat-slot-hoarding
test('a project with many silent receivers delays no other project', { timeout: 30_000 }, async () => {
  const due = Array.from({ length: 40 }, (_, at) => toBatch(`bat_${at}`, `https://${at}.silent.example/`, 'completed'));
  due.push({ ...toBatch('bat_other', GOOD, 'completed'), projectId: 'prj_other' });
  const { silent, payload } = await callUntilGood(due);
  assert.equal(payload.batch.id, 'bat_other');
  assert.equal(silent.length, 8);
});

const GOOD = 'https://good.example/';

/** Calls what is due until the good receiver has its call; the others are silent. */
async function callUntilGood(due: Batch[]) {
  const webhooks: BatchWebhooks = {
    claimDue: async (_now, _until, mayCall) => {
      const index = due.findIndex(({ webhook, projectId }) => mayCall(webhook?.url ?? '', projectId));
      return index === -1 ? undefined : due.splice(index, 1)[0];
    },
    noteCall: async () => undefined,
  };
  const silent = new Set<string>();
  const good = Promise.withResolvers<string>();
  const caller = new WebhookCaller({
    batches: { count: async () => ({ queued: 0, running: 0, done: 1, failed: 0, cancelled: 0 }) },
    webhooks,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    secrets: undefined,
    intervalMs: 10,
    sender: {
      send: async ({ webhook, id, body }, signal) => {
        if (webhook.url === GOOD) return good.resolve(body);
        silent.add(id);
        await sleep(2 ** 30, undefined, { signal });
      },
    },
  });
  caller.start();
  const payload = JSON.parse(await good.promise) as { type: string; batch: { id: string; state: string } };
  await caller.close();
  return { silent: [...silent], payload };
}

// Checks: threat-recorded-secrets
test('a stored secret is sealed for its project, and secrets of earlier versions still sign', async () => {
  const box = createSecretBox(() => 'a key of the operator');
  const sealed = sealWebhookSecret('whsec_new', 'prj_a', box);
  assert.doesNotMatch(sealed, /whsec_|new/);
  const call = async (secret: string, secrets: SecretBox | undefined): Promise<string> => {
    const batch = toBatch('bat_1', 'https://good.example/', 'completed');
    const due = [
      { ...batch, webhook: { url: 'https://good.example/', secret, state: 'waiting' as const, attempts: 1 } },
    ];
    const outcome = Promise.withResolvers<string>();
    const caller = new WebhookCaller({
      batches: { count: async () => ({ queued: 0, running: 0, done: 1, failed: 0, cancelled: 0 }) },
      webhooks: {
        claimDue: async () => due.pop(),
        noteCall: async (_id, delivered) => outcome.resolve(delivered ? '' : 'not delivered'),
      },
      logger: { debug() {}, info() {}, warn() {}, error() {} },
      secrets,
      sender: { send: async ({ webhook }) => outcome.resolve(webhook.secret) },
    });
    caller.start();
    const called = await outcome.promise;
    await caller.close();
    return called;
  };
  assert.equal(await call(sealed, box), 'whsec_new');
  assert.equal(await call('whsec_old', box), 'whsec_old');
  assert.equal(
    await call(
      sealed,
      createSecretBox(() => 'another key'),
    ),
    'not delivered',
  );
  assert.equal(await call(sealed, undefined), 'not delivered');
});

function toBatch(id: string, url: string, state: Batch['state']): Batch {
  return {
    id,
    projectId: 'prj_a',
    fingerprint: id,
    state,
    total: 1,
    options: { formats: [], respectRobots: true },
    createdAt: new Date(0),
    finishedAt: new Date(0),
    skipped: null,
    changes: null,
    webhook: { url, secret: 'whsec_x', state: 'waiting', attempts: 1 },
  };
}
