import { setTimeout as sleep } from 'node:timers/promises';
import type { EnginePreference } from '@winnow/contract';
import { AppError } from '../errors.ts';
import type { Capture, CaptureRequest, Fetcher } from '../ports.ts';
import { currentParty } from './current-party.ts';
import { FairQueue } from './fair-queue.ts';

export interface TargetHostOptions {
  /** Captures of one host (name and port) at the same time. */
  readonly concurrency: number;
  /** Milliseconds between the starts of two captures of one host. */
  readonly spacingMs: number;
  /** Captures that may wait for one host. */
  readonly maxWaiting: number;
}

interface TargetHost {
  readonly queue: FairQueue;
  /** Reading of the clock before which no further capture may start. */
  nextStartAt: number;
  /** Captures that run or wait: a host without any is forgotten once its spacing is over. */
  users: number;
}

/** Share of a capture's time that may go by before it starts; the rest is needed for the page itself. */
const WAIT_SHARE = 0.5;

/** Hosts known at which those that nobody waits for are forgotten. */
const TIDY_ABOVE = 1000;

/** A fetcher that is considerate of the sites: few captures at a time of one host, and not too close together. */
export class ConsiderateFetcher implements Fetcher {
  readonly #fetcher: Fetcher;
  readonly #options: TargetHostOptions;
  readonly #hosts = new Map<string, TargetHost>();

  constructor(fetcher: Fetcher, options: TargetHostOptions) {
    this.#fetcher = fetcher;
    this.#options = options;
  }

  /** The time that is waited counts: the capture gets what is left, and tells the wait in its timings. */
  async capture(preference: EnginePreference, request: CaptureRequest): Promise<Capture> {
    const start = performance.now();
    const host = this.#host(request.url.host);
    host.users += 1;
    const budgetMs = request.timeoutMs * WAIT_SHARE;
    try {
      const place = await host.queue.enter({ ...currentParty(), budgetMs, signal: request.signal });
      try {
        await this.#keepDistance(host, start + budgetMs, request.signal);
        const waited = performance.now() - start;
        const capture = await this.#fetcher.capture(preference, {
          ...request,
          timeoutMs: Math.max(1, Math.round(request.timeoutMs - waited)),
        });
        return { ...capture, timings: { ...capture.timings, hostWait: Math.round(waited) } };
      } finally {
        place.release();
      }
    } finally {
      host.users -= 1;
      this.#tidy();
    }
  }

  /** Captures that wait for their host, over all hosts. */
  state(): { readonly hosts: number; readonly waiting: number } {
    const hosts = [...this.#hosts.values()];
    return { hosts: hosts.length, waiting: hosts.reduce((sum, { queue }) => sum + queue.state().waiting, 0) };
  }

  async #keepDistance(host: TargetHost, latest: number, signal: AbortSignal): Promise<void> {
    const { spacingMs } = this.#options;
    if (spacingMs === 0) return;
    const startAt = Math.max(performance.now(), host.nextStartAt);
    if (startAt > latest) {
      const retryAfterSeconds = Math.max(1, Math.ceil((startAt - performance.now()) / 1000));
      throw new AppError('overloaded', 'too many requests for this site: its turn comes too late', {
        retryAfterSeconds,
      });
    }
    host.nextStartAt = startAt + spacingMs;
    const wait = startAt - performance.now();
    if (wait <= 0) return;
    await sleep(wait, undefined, { signal }).catch(() => {
      throw signal.reason;
    });
  }

  #host(name: string): TargetHost {
    let host = this.#hosts.get(name);
    if (host === undefined) {
      const { concurrency, maxWaiting } = this.#options;
      const queue = new FairQueue({ places: concurrency, maxWaiting, name: 'the queue for this site' });
      host = { queue, nextStartAt: 0, users: 0 };
      this.#hosts.set(name, host);
    }
    return host;
  }

  #tidy(): void {
    if (this.#hosts.size <= TIDY_ABOVE) return;
    const now = performance.now();
    for (const [name, host] of this.#hosts) {
      if (host.users === 0 && host.nextStartAt <= now) this.#hosts.delete(name);
    }
  }
}
