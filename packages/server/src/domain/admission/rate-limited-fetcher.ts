import type { EnginePreference } from '@winnow/contract';
import { hostKeyOf } from '../capture/host-key.ts';
import type { Capture, CaptureRequest, Fetcher } from '../capture/capture-ports.ts';
import { currentTenant } from './current-tenant.ts';
import type { HostRateLimiter } from './host-rate-limiter.ts';

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
    const permit = await this.#limiter.acquire(hostKeyOf(url), {
      ...currentTenant(),
      budgetMs: timeoutMs * WAIT_SHARE,
      signal,
    });
    try {
      const waited = performance.now() - start;
      const capture = await this.#fetcher.capture(preference, {
        ...request,
        timeoutMs: Math.max(1, Math.round(timeoutMs - waited)),
      });
      return { ...capture, timings: { ...capture.timings, host_wait: Math.round(waited) } };
    } finally {
      permit.release();
    }
  }
}
