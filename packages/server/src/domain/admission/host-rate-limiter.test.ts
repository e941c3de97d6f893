import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Capture, CaptureRequest, Fetcher } from '../capture/capture-ports.ts';
import { LocalHostRateLimiter, RateLimitedFetcher } from './host-rate-limiter.ts';

const CAPTURE = { html: '', timings: { body: 1 } } as unknown as Capture;

/** A fetcher whose captures end on demand. */
class HeldFetcher implements Fetcher {
  readonly started: CaptureRequest[] = [];
  readonly #answers: (() => void)[] = [];

  capture(_preference: unknown, request: CaptureRequest): Promise<Capture> {
    this.started.push(request);
    return new Promise((resolve) => this.#answers.push(() => resolve(CAPTURE)));
  }

  answerAll(): void {
    for (const answer of this.#answers.splice(0)) answer();
  }
}

const request = (url: string): CaptureRequest => ({
  url: new URL(url),
  timeoutMs: 10_000,
  signal: new AbortController().signal,
});

// Checks: threat-weapon
test('the wait for a slot counts towards the time of the capture and appears in its timings', async () => {
  const held = new HeldFetcher();
  const fetcher = new RateLimitedFetcher(
    held,
    new LocalHostRateLimiter({ concurrency: 5, spacingMs: 120, maxWaiting: 10 }),
  );
  const captures = [1, 2].map((n) => fetcher.capture('http', request(`http://a.test/${n}`)));
  while (held.started.length < 2) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.ok((held.started[1]?.timeoutMs ?? Infinity) <= 9890);
  held.answerAll();
  const [, second] = await Promise.all(captures);
  assert.ok((second?.timings['host_wait'] ?? 0) >= 110);
  assert.equal(second?.timings['body'], 1);
});

test('a failed capture releases its slot, and hosts include the port', async () => {
  const limiter = new LocalHostRateLimiter({ concurrency: 1, spacingMs: 0, maxWaiting: 10 });
  const failing = new RateLimitedFetcher({ capture: () => Promise.reject(new Error('no')) }, limiter);
  await assert.rejects(failing.capture('http', request('http://a.test/')), /no/);
  const held = new HeldFetcher();
  const fetcher = new RateLimitedFetcher(held, limiter);
  const captures = ['http://a.test/1', 'http://A.test./2', 'http://a.test:81/'].map((url) =>
    fetcher.capture('http', request(url)),
  );
  while (held.started.length < 2) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(
    held.started.map(({ url }) => url.href),
    ['http://a.test/1', 'http://a.test:81/'],
  );
  assert.equal(limiter.state().waiting, 1);
  held.answerAll();
  while (held.started.length < 3) await new Promise((resolve) => setImmediate(resolve));
  held.answerAll();
  await Promise.all(captures);
});
