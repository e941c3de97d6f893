import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AbortBroadcaster } from './abort-broadcaster.ts';

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
