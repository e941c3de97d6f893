import { setTimeout as sleep } from 'node:timers/promises';
import type { EnginePreference } from '@winnow/contract';
import { CaptureError } from '../capture/capture-error.ts';
import type { Capture, CaptureRequest, Fetcher } from '../capture/capture-ports.ts';
import { AppError } from '../shared/errors.ts';
import { currentTenant, onEndOfWork } from './current-tenant.ts';

const MIB = 1024 * 1024;

/** Smaller bodies, pages and answers are free and never wait. */
export const LARGE_BYTES: number = MIB / 2;

/** Processor time of reading and decoding a page, before its size is known. */
const READING_MS_PER_MIB = 30;

/** A slow network takes time as well. */
const MOST_MS_PER_MIB = 240;

/** Another tenant counts as active until this time after its last request. */
const ACTIVE_MS = 1000;

const LONGEST_PAUSE_MS = 5000;

/** With more tenants, those without a pause are removed. */
const TIDY_ABOVE = 1000;

export interface LargeWorkTurn {
  readonly signal: AbortSignal;
  /** Default: unlimited. */
  readonly budgetMs?: number;
  /** Milliseconds that the work has taken before. Default 0. */
  readonly spentMs?: number;
}

/**
 * Lets a tenant pause between large bodies, pages and answers while another tenant is active, in proportion to the time
 * that they take. Without pauses a key that sends one after another makes others wait three to eight times as long on two
 * processors, although it holds one slot and one thread.
 */
export class LargeWork {
  readonly #pausePerMs: number;
  readonly #now: () => number;
  /** End of the pause by tenant. */
  readonly #pausedUntil = new Map<string, number>();
  readonly #running = new Map<string, number>();
  /** The last tenants that left, and when; with two, one is another than a given one. */
  #left: readonly { readonly key: string; readonly at: number }[] = [];

  /**
   * @param pausePerMs of large work, in milliseconds
   * @param now monotonic, in milliseconds
   */
  constructor(pausePerMs: number, now: () => number = () => performance.now()) {
    this.#pausePerMs = pausePerMs;
    this.#now = now;
  }

  /** Counts a request of a tenant, large or not, as active until the returned function is called once. */
  enter(key: string): () => void {
    this.#running.set(key, (this.#running.get(key) ?? 0) + 1);
    return () => {
      const running = (this.#running.get(key) ?? 0) - 1;
      if (running > 0) this.#running.set(key, running);
      else this.#running.delete(key);
      this.#left = [{ key, at: this.#now() }, ...this.#left.filter((one) => one.key !== key)].slice(0, 2);
    };
  }

  /**
   * Waits until the tenant's pause is over. Resolves with a function that starts the next pause when the work has ended.
   * @throws {AppError} `overloaded` if the wait would exceed the budget; the signal's reason
   */
  async begin(
    key: string,
    { signal, budgetMs = Infinity, spentMs = 0 }: LargeWorkTurn,
  ): Promise<(bytes: number) => void> {
    if (this.#waitMs(key) > budgetMs) throw comesTooLate(this.#waitMs(key));
    for (let waitMs = this.#waitMs(key); waitMs > 0; waitMs = this.#waitMs(key)) {
      // The other tenants may become inactive meanwhile.
      await sleep(Math.min(Math.ceil(waitMs), ACTIVE_MS), undefined, { signal }).catch(() => undefined);
      if (signal.aborted) throw signal.reason;
    }
    const startedAt = this.#now() - spentMs;
    return (bytes) => this.#pause(key, Math.min(this.#now() - startedAt, (bytes / MIB) * MOST_MS_PER_MIB));
  }

  #waitMs(key: string): number {
    const now = this.#now();
    const isOtherActive =
      this.#running.size > (this.#running.has(key) ? 1 : 0) ||
      this.#left.some((one) => one.key !== key && one.at + ACTIVE_MS > now);
    return isOtherActive ? (this.#pausedUntil.get(key) ?? now) - now : 0;
  }

  #pause(key: string, workedMs: number): void {
    const now = this.#now();
    if (this.#pausedUntil.size >= TIDY_ABOVE)
      for (const [other, until] of this.#pausedUntil) if (until <= now) this.#pausedUntil.delete(other);
    const until = Math.max(now, this.#pausedUntil.get(key) ?? 0) + workedMs * this.#pausePerMs;
    this.#pausedUntil.set(key, Math.min(until, now + LONGEST_PAUSE_MS));
  }
}

/** Waits after the fetch, when the size of a page or error page is known. */
export class LargePageFetcher implements Fetcher {
  readonly #fetcher: Fetcher;
  readonly #largeWork: LargeWork;

  constructor(fetcher: Fetcher, largeWork: LargeWork) {
    this.#fetcher = fetcher;
    this.#largeWork = largeWork;
  }

  async capture(preference: EnginePreference, request: CaptureRequest): Promise<Capture> {
    const latest = performance.now() + request.timeoutMs;
    const begin = async ({ html }: Capture): Promise<void> => {
      const { key } = currentTenant();
      if (html.length <= LARGE_BYTES || key === '') return;
      const budgetMs = Math.max(0, latest - performance.now());
      const spentMs = (html.length / MIB) * READING_MS_PER_MIB;
      const end = await this.#largeWork.begin(key, { signal: request.signal, budgetMs, spentMs });
      onEndOfWork(() => end(html.length));
    };
    try {
      const capture = await this.#fetcher.capture(preference, request);
      await begin(capture);
      return capture;
    } catch (error) {
      if (error instanceof CaptureError && error.capture !== undefined) await begin(error.capture);
      throw error;
    }
  }
}

function comesTooLate(waitMs: number): AppError {
  const retryAfterSeconds = Math.ceil(waitMs / 1000);
  return new AppError('overloaded', `large pages of this key wait about ${retryAfterSeconds} s beside other keys`, {
    retryAfterSeconds,
  });
}
