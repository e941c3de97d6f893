import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { limitTime, AbortBroadcaster } from './time-limit.ts';

const late = (): Error => new Error('late');

test('the time limit aborts with its reason', async () => {
  const limit = limitTime([new AbortController().signal], 5, late);
  while (!limit.signal.aborted) await sleep(1);
  assert.equal((limit.signal.reason as Error).message, 'late');
  assert.equal(limit.isLate, true);
});

test('each signal aborts with its reason, also if aborted before', () => {
  const [one, two] = [new AbortController(), new AbortController()];
  const limit = limitTime([one.signal, two.signal], 60_000, late);
  two.abort(new Error('two'));
  one.abort(new Error('one'));
  assert.equal((limit.signal.reason as Error).message, 'two');
  assert.equal(limit.isLate, false);
  limit.release();
  assert.equal(limitTime([AbortSignal.abort(new Error('gone'))], Number.POSITIVE_INFINITY, late).signal.aborted, true);
});

test('after release nothing aborts or stays registered', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const late5 = limitTime([], 5, late);
  t.mock.timers.tick(5);
  assert.deepEqual([late5.signal.aborted, late5.isLate], [true, true], 'the mocked clock ends time limits');
  const outer = new AbortController();
  const limit = limitTime([outer.signal], 5, late);
  limit.release();
  outer.abort();
  t.mock.timers.tick(1000);
  assert.deepEqual([limit.signal.aborted, limit.isLate], [false, false]);
});

test('an abort reaches current listeners once', () => {
  const controller = new AbortController();
  const relay = new AbortBroadcaster(controller.signal);
  const heard: string[] = [];
  const listeners = ['first', 'left', 'second', 'gone', 'third'].map((name) => () => void heard.push(name));
  for (const listener of listeners) relay.addEventListener('abort', listener);
  for (const index of [1, 3]) relay.removeEventListener('abort', listeners[index] ?? assert.fail());
  const stranger = (): void => assert.fail('never listened');
  relay.removeEventListener('abort', stranger);
  assert.equal(relay.aborted, false);
  controller.abort('over');
  controller.abort('again');
  assert.deepEqual(heard.toSorted(), ['first', 'second', 'third']);
  assert.deepEqual([relay.aborted, relay.reason], [true, 'over']);
});

test('a listener that unsubscribes during an abort does not hide others', () => {
  const controller = new AbortController();
  const relay = new AbortBroadcaster(controller.signal);
  const heard: number[] = [];
  const listeners = [0, 1, 2].map((index) => () => {
    heard.push(index);
    relay.removeEventListener('abort', listeners[index] ?? assert.fail());
  });
  for (const listener of listeners) relay.addEventListener('abort', listener);
  controller.abort();
  assert.deepEqual(heard, [0, 1, 2]);
});
