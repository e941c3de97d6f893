import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../shared/errors.ts';
import { FairQueue } from './fair-queue.ts';
import type { Ask } from './fair-queue.ts';

export interface HostTurnOptions {
  /** Captures of one host (name and port) at the same time. */
  readonly concurrency: number;
  /** Milliseconds between the starts of two captures of one host. */
  readonly spacingMs: number;
  /** Captures that may wait for one host. */
  readonly maxWaiting: number;
}

/** Whose turn it is at a host, and when. */
export interface HostTurns {
  /**
   * Resolves when a capture of the host may start.
   * @throws {AppError} `overloaded` when that would be after the budget
   */
  enter(host: string, ask: Ask & { readonly budgetMs: number }): Promise<HostTurn>;
  /** Hosts with captures, and the captures that wait for one. */
  state(): { readonly hosts: number; readonly waiting: number };
  close(): Promise<void>;
}

export interface HostTurn {
  /** The capture is over. Idempotent. */
  release(): void;
}

interface TargetHost {
  readonly queue: FairQueue;
  /** Those whose turn it is wait in it for the next start, first come, first served. */
  readonly starting: FairQueue;
  /** Reading of the clock before which no further capture may start. */
  nextStartAt: number;
  /** Captures that run or wait: a host without any is forgotten once its spacing is over. */
  users: number;
}

/** Hosts known at which those that nobody waits for are forgotten. */
export const TIDY_ABOVE = 1000;

/** One lane for all: whose turn comes first starts first. */
export const IN_ORDER = { lane: '', group: '' };

/** Turns within this process, which is all there is with SQLite. */
export class LocalHostTurns implements HostTurns {
  readonly #options: HostTurnOptions;
  readonly #hosts = new Map<string, TargetHost>();

  constructor(options: HostTurnOptions) {
    this.#options = options;
  }

  async enter(name: string, ask: Ask & { readonly budgetMs: number }): Promise<HostTurn> {
    const latest = performance.now() + ask.budgetMs;
    const host = this.#host(name);
    host.users += 1;
    let place;
    try {
      place = await host.queue.enter(ask);
      await this.#keepDistance(host, latest, ask.signal);
    } catch (error) {
      place?.release();
      this.#leave(host);
      throw error;
    }
    const taken = place;
    let isReleased = false;
    return {
      release: () => {
        if (isReleased) return;
        isReleased = true;
        taken.release();
        this.#leave(host);
      },
    };
  }

  state(): { readonly hosts: number; readonly waiting: number } {
    const hosts = [...this.#hosts.values()];
    return { hosts: hosts.length, waiting: hosts.reduce((sum, { queue }) => sum + queue.state().waiting, 0) };
  }

  /** Captures that wait for this one host. */
  waitingFor(host: string): number {
    return this.#hosts.get(host)?.queue.state().waiting ?? 0;
  }

  /** Captures of this one host that run or wait. */
  usersOf(host: string): number {
    return this.#hosts.get(host)?.users ?? 0;
  }

  async close(): Promise<void> {
    // Nothing is held outside of this process.
  }

  /** Only who waited to the end takes the time of a start: one that hangs up leaves it to the next. */
  async #keepDistance(host: TargetHost, latest: number, signal: AbortSignal): Promise<void> {
    const { spacingMs } = this.#options;
    if (spacingMs === 0) return;
    const now = performance.now();
    const { running, waiting } = host.starting.state();
    const startAt = Math.max(now, host.nextStartAt) + (running + waiting) * spacingMs;
    if (startAt > latest) throw comesTooLate(startAt - now);
    const place = await host.starting.enter({ ...IN_ORDER, signal });
    try {
      await waitFor(host.nextStartAt - performance.now(), signal);
      host.nextStartAt = performance.now() + spacingMs;
    } finally {
      place.release();
    }
  }

  #host(name: string): TargetHost {
    let host = this.#hosts.get(name);
    if (host === undefined) {
      const { concurrency, maxWaiting } = this.#options;
      const queue = new FairQueue({ places: concurrency, maxWaiting, name: 'the queue for this site' });
      const starting = new FairQueue({ places: 1, maxWaiting: Infinity, name: 'the line for the next start' });
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

/** The refusal of a capture whose turn is so many milliseconds away. */
export function comesTooLate(waitMs: number): AppError {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
  return new AppError('overloaded', 'too many requests for this site: its turn comes too late', { retryAfterSeconds });
}

/** Rejects with the signal's reason when it is aborted before the time is over. */
export async function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0) return;
  await sleep(ms, undefined, { signal }).catch(() => {
    throw signal.reason;
  });
}
