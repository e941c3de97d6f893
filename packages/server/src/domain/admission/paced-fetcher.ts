import type { EnginePreference } from '@winnow/contract';
import { CaptureError } from '../capture/capture-error.ts';
import type { Capture, CaptureRequest, Fetcher } from '../capture/capture-ports.ts';
import { currentTenant, onEndOfWork } from './current-tenant.ts';
import { HEAVY_BYTES } from './heavy-work-limiter.ts';
import type { HeavyWorkLimiter } from './heavy-work-limiter.ts';

/** Delays large pages and error pages after the fetch, when their size is known. */
export class PacedFetcher implements Fetcher {
  readonly #fetcher: Fetcher;
  readonly #heavyWork: HeavyWorkLimiter;

  constructor(fetcher: Fetcher, heavyWork: HeavyWorkLimiter) {
    this.#fetcher = fetcher;
    this.#heavyWork = heavyWork;
  }

  /** The wait counts towards the capture's time and appears in its timings. */
  async capture(preference: EnginePreference, request: CaptureRequest): Promise<Capture> {
    const latest = performance.now() + request.timeoutMs;
    let capture: Capture;
    try {
      capture = await this.#fetcher.capture(preference, request);
    } catch (error) {
      if (error instanceof CaptureError && error.capture !== undefined)
        await this.#waitForTurn(error.capture, request, latest);
      throw error;
    }
    const waitedMs = await this.#waitForTurn(capture, request, latest);
    return waitedMs === 0 ? capture : { ...capture, timings: { ...capture.timings, share_wait: Math.round(waitedMs) } };
  }

  async #waitForTurn({ html }: Capture, { signal }: CaptureRequest, latest: number): Promise<number> {
    if (html.length <= HEAVY_BYTES) return 0;
    const { key, payer = key } = currentTenant();
    const budgetMs = Math.max(0, latest - performance.now());
    const work = { key: payer, kind: 'page', bytes: html.length } as const;
    const permit = await this.#heavyWork.acquire({ ...work, budgetMs, signal });
    onEndOfWork(permit.release);
    return permit.waitedMs;
  }
}
