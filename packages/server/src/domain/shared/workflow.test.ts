import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from './errors.ts';
import { Workflow, failStep, findStep } from './workflow.ts';

const forever = () => new Promise<never>(() => undefined);
const start = (signal = new AbortController().signal) => new Workflow({ signal });

test('steps are in stage order, with notes and times', async () => {
  let now = 100;
  const flow = new Workflow({ signal: new AbortController().signal, now: () => now });
  await flow.run('auth', {}, () => void (now += 5));
  await flow.run('request', {}, ({ note }) => {
    now += 7;
    note({ body_bytes: 1 });
    note({ variant: 'B' });
  });
  assert.deepEqual(flow.steps, [
    { stage: 'request', status: 'ok', startedMs: 5, elapsedMs: 7, detail: { body_bytes: 1, variant: 'B' } },
    { stage: 'auth', status: 'ok', startedMs: 0, elapsedMs: 5, detail: {} },
  ]);
  assert.equal(flow.elapsedMs(), 12);
});

test('a budget ends a stage whose work ignores its signal', async () => {
  const flow = start();
  const running = flow.run('match', { timeoutMs: 20, timeoutCode: 'match_timeout' }, forever);
  await assert.rejects(running, { code: 'match_timeout', stage: 'match' });
  const [step] = flow.steps;
  assert.equal(step?.status, 'failed');
  assert.equal(step?.detail.error, 'match_timeout');
});

test('the work sees the abort, and the reason of the abort is the error', async () => {
  const flow = start();
  const running = flow.run('fetch', { timeoutMs: 20, timeoutCode: 'fetch_timeout' }, async ({ signal }) => {
    await new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(new Error('socket closed')), { once: true });
    });
  });
  await assert.rejects(running, { code: 'fetch_timeout' });
});

test('an abort of the request ends the stage with its reason', async () => {
  const controller = new AbortController();
  const flow = start(controller.signal);
  const running = flow.run('fetch', { timeoutMs: 60_000 }, forever);
  controller.abort(new AppError('overloaded', 'the service is shutting down'));
  await assert.rejects(running, { code: 'overloaded' });
  await assert.rejects(flow.run('snapshot', {}, forever), { code: 'overloaded' });
});

test('an unknown error becomes internal of its stage, with its cause', async () => {
  const flow = start();
  const cause = new TypeError('x is not a function');
  const running = flow.run('extract', {}, () => {
    throw cause;
  });
  await assert.rejects(running, (error) => {
    assert.ok(error instanceof AppError);
    assert.deepEqual([error.code, error.stage, error.cause], ['internal', 'extract', cause]);
    assert.doesNotMatch(error.message, /function/);
    return true;
  });
});

test('a skipped stage has a reason, and an earlier step can fail later', async () => {
  const flow = start();
  await flow.run('match', {}, ({ note }) => note({ template_id: 'generic:v1' }));
  flow.skip('generate', 'not needed');
  failStep(flow, 'match', new AppError('no_template_matched', 'nothing to extract'));
  const [match, generate] = [findStep(flow.steps, 'match'), findStep(flow.steps, 'generate')];
  assert.deepEqual(
    [match?.status, match?.detail.template_id, match?.detail.error],
    ['failed', 'generic:v1', 'no_template_matched'],
  );
  assert.deepEqual([generate?.status, generate?.detail.reason], ['skipped', 'not needed']);
});
