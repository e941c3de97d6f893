import { setTimeout as sleep } from 'node:timers/promises';
import type { EnginePreference } from '@winnow/contract';
import { AppError } from '../shared/errors.ts';
import { FairQueue, type AcquireRequest } from './fair-queue.ts';
import { hostKeyOf } from '../capture/check-target.ts';
import type { Capture, CaptureRequest, Fetcher } from '../capture/capture-ports.ts';
import { currentTenant } from './current-tenant.ts';

export interface HostRateLimitOptions {
  /** Per host (name and port). */
  readonly concurrency: number;
  /** Between starts. */
  readonly spacingMs: number;
  readonly maxWaiting: number;
}

export interface HostRateLimiter {
  /** @throws {AppError} `overloaded` when the wait would exceed the budget */
  acquire(host: string, request: AcquireRequest & { readonly budgetMs: number }): Promise<HostPermit>;
  state(): { readonly hosts: number; readonly waiting: number };
  close(): Promise<void>;
}

export interface HostPermit extends Disposable {
  /** Idempotent. */
  release(): void;
}

interface TargetHost {
  readonly queue: FairQueue;
  /** First come, first served. */
  readonly starting: FairQueue;
  nextStartAt: number;
  /** An unused host is forgotten after its spacing. */
  users: number;
}

/** With more hosts, unused ones are removed. */
export const TIDY_ABOVE = 1000;

/** First come, first served. */
export const IN_ORDER = { key: '', group: '' };

/** Rate limiter within this process, for SQLite. */
export class LocalHostRateLimiter implements HostRateLimiter {
  readonly #options: HostRateLimitOptions;
  readonly #hosts = new Map<string, TargetHost>();

  constructor(options: HostRateLimitOptions) {
    this.#options = options;
  }

  async acquire(name: string, request: AcquireRequest & { readonly budgetMs: number }): Promise<HostPermit> {
    const latest = performance.now() + request.budgetMs;
    const host = this.#host(name);
    host.users += 1;
    let permit;
    try {
      permit = await host.queue.acquire(request);
      await this.#keepDistance(host, latest, request.signal);
    } catch (error) {
      permit?.release();
      this.#leave(host);
      throw error;
    }
    const taken = permit;
    return permitOf(() => {
      taken.release();
      this.#leave(host);
    });
  }

  state(): { readonly hosts: number; readonly waiting: number } {
    const hosts = [...this.#hosts.values()];
    return { hosts: hosts.length, waiting: hosts.reduce((sum, { queue }) => sum + queue.state().waiting, 0) };
  }

  waitingFor(host: string): number {
    return this.#hosts.get(host)?.queue.state().waiting ?? 0;
  }

  usersOf(host: string): number {
    return this.#hosts.get(host)?.users ?? 0;
  }

  async close(): Promise<void> {}

  /** Waits for the spacing and takes the start afterwards, so that cancelled captures use none. */
  async #keepDistance(host: TargetHost, latest: number, signal: AbortSignal): Promise<void> {
    const { spacingMs } = this.#options;
    if (spacingMs === 0) return;
    const now = performance.now();
    const { running, waiting } = host.starting.state();
    const startAt = Math.max(now, host.nextStartAt) + (running + waiting) * spacingMs;
    if (startAt > latest) throw comesTooLate(startAt - now);
    using _ = await host.starting.acquire({ ...IN_ORDER, signal });
    await waitFor(host.nextStartAt - performance.now(), signal);
    host.nextStartAt = performance.now() + spacingMs;
  }

  #host(name: string): TargetHost {
    let host = this.#hosts.get(name);
    if (host === undefined) {
      const { concurrency, maxWaiting } = this.#options;
      const queue = new FairQueue({ slots: concurrency, maxWaiting, name: 'the queue for this site' });
      const starting = new FairQueue({ slots: 1, maxWaiting: Infinity, name: 'the queue for the next start' });
      host = { queue, starting, nextStartAt: 0, users: 0 };
      this.#hosts.set(name, host);
    }
    return host;
  }

  #leave(host: TargetHost): void {
    host.users -= 1;
    if (this.#hosts.size <= TIDY_ABOVE) return;
    const now = performance.now();
    for (const [name, { users, nextStartAt }] of this.#hosts) {
      if (users === 0 && nextStartAt <= now) this.#hosts.delete(name);
    }
  }
}

/** @param release is called once */
export function permitOf(release: () => void): HostPermit {
  let isReleased = false;
  const releaseOnce = (): void => {
    if (isReleased) return;
    isReleased = true;
    release();
  };
  return { release: releaseOnce, [Symbol.dispose]: releaseOnce };
}

export function comesTooLate(waitMs: number): AppError {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
  return new AppError('overloaded', 'too many requests for this site: the estimated wait is too long', {
    retryAfterSeconds,
  });
}

/** Rejects on an abort. */
export async function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0) return;
  await sleep(ms, undefined, { signal }).catch(() => {
    throw signal.reason;
  });
}

/** Share of a capture's time that it may wait. */
const WAIT_SHARE = 0.5;

export class RateLimitedFetcher implements Fetcher {
  readonly #fetcher: Fetcher;
  readonly #limiter: HostRateLimiter;

  constructor(fetcher: Fetcher, limiter: HostRateLimiter) {
    this.#fetcher = fetcher;
    this.#limiter = limiter;
  }

  /** Waits for a permit; the wait reduces the capture's time and appears in its timings. */
  async capture(preference: EnginePreference, request: CaptureRequest): Promise<Capture> {
    const start = performance.now();
    const { url, timeoutMs, signal } = request;
    const budgetMs = timeoutMs * WAIT_SHARE;
    using _ = await this.#limiter.acquire(hostKeyOf(url), { ...currentTenant(), budgetMs, signal });
    const waited = performance.now() - start;
    const left = Math.max(1, Math.round(timeoutMs - waited));
    const capture = await this.#fetcher.capture(preference, { ...request, timeoutMs: left });
    return { ...capture, timings: { ...capture.timings, host_wait: Math.round(waited) } };
  }
}
