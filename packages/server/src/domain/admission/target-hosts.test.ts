import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../errors.ts';
import type { Capture, CaptureRequest, Fetcher } from '../ports.ts';
import { ConsiderateFetcher } from './target-hosts.ts';

const CAPTURE = { html: '', timings: { body: 1 } } as unknown as Capture;

/** A fetcher that answers when it is told to, and remembers who asked and how many at a time. */
class HeldFetcher implements Fetcher {
  readonly started: { readonly url: string; readonly at: number; readonly timeoutMs: number }[] = [];
  readonly #answers: (() => void)[] = [];

  capture(_preference: unknown, { url, timeoutMs }: CaptureRequest): Promise<Capture> {
    this.started.push({ url: url.href, at: performance.now(), timeoutMs });
    return new Promise((resolve) => this.#answers.push(() => resolve(CAPTURE)));
  }

  answerOne(): void {
    this.#answers.shift()?.();
  }
}

function request(url: string, signal: AbortSignal = new AbortController().signal): CaptureRequest {
  return { url: new URL(url), timeoutMs: 10_000, signal };
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('one host gets so many captures at a time, and other hosts do not wait for it', async () => {
  const held = new HeldFetcher();
  const fetcher = new ConsiderateFetcher(held, { concurrency: 2, spacingMs: 0, maxWaiting: 10 });
  const captures = [1, 2, 3].map((n) => fetcher.capture('http', request(`http://a.test/${n}`)));
  captures.push(fetcher.capture('http', request('http://b.test/')));
  await nextTurn();
  assert.deepEqual(
    held.started.map(({ url }) => url),
    ['http://a.test/1', 'http://a.test/2', 'http://b.test/'],
  );
  assert.equal(fetcher.state().waiting, 1);
  held.answerOne();
  await captures[0];
  await nextTurn();
  assert.equal(held.started.at(-1)?.url, 'http://a.test/3');
  for (let index = 0; index < 3; index += 1) held.answerOne();
  const done = await Promise.all(captures);
  assert.ok((done[2]?.timings['hostWait'] ?? -1) >= 0);
});

test('two captures of one host start no closer than the spacing, and the wait is taken off the time', async () => {
  const held = new HeldFetcher();
  const fetcher = new ConsiderateFetcher(held, { concurrency: 5, spacingMs: 120, maxWaiting: 10 });
  const captures = [1, 2].map((n) => fetcher.capture('http', request(`http://a.test/${n}`)));
  while (held.started.length < 2) await new Promise((resolve) => setTimeout(resolve, 10));
  const [first, second] = held.started;
  assert.ok(first && second && second.at - first.at >= 110);
  assert.ok(second.timeoutMs <= 9890);
  held.answerOne();
  held.answerOne();
  await Promise.all(captures);
});

test('a turn that comes too late is refused, and a caller that hangs up stops waiting', async () => {
  const held = new HeldFetcher();
  const fetcher = new ConsiderateFetcher(held, { concurrency: 5, spacingMs: 8000, maxWaiting: 10 });
  const first = fetcher.capture('http', request('http://a.test/1'));
  await nextTurn();
  await assert.rejects(
    fetcher.capture('http', request('http://a.test/2')),
    (error) => error instanceof AppError && error.code === 'overloaded' && error.retryAfterSeconds === 8,
  );
  const near = new ConsiderateFetcher(held, { concurrency: 5, spacingMs: 4000, maxWaiting: 10 });
  const second = near.capture('http', request('http://a.test/3'));
  await nextTurn();
  const caller = new AbortController();
  const third = near.capture('http', request('http://a.test/4', caller.signal));
  await nextTurn();
  caller.abort(new AppError('internal', 'the caller closed the connection'));
  await assert.rejects(third, /closed the connection/);
  held.answerOne();
  held.answerOne();
  await Promise.all([first, second]);
  assert.equal(held.started.length, 2);
});
