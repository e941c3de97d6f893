export const QUOTA_WINDOW_SECONDS = 60;

const WINDOW_MS = QUOTA_WINDOW_SECONDS * 1000;

export interface QuotaReading {
  readonly allowed: boolean;
  readonly remaining: number;
  readonly resetMs: number;
}

export interface QuotaCounter {
  take(keyId: string, limit: number): Promise<QuotaReading>;
}

interface Window {
  readonly startedAt: number;
  taken: number;
}

/** Counts within this process, for SQLite. A window starts with a key's first request. */
export class MemoryQuotaCounter implements QuotaCounter {
  /** By key and limit. All windows are equally long, so the first one ends first. */
  readonly #windows = new Map<string, Window>();
  readonly #now: () => number;

  /** @param now milliseconds of a monotonic clock: a wall clock set back would prolong windows */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  async take(keyId: string, limit: number): Promise<QuotaReading> {
    const now = this.#now();
    this.#dropEnded(now);
    const name = `${limit} ${keyId}`;
    const window = this.#windows.get(name) ?? { startedAt: now, taken: 0 };
    window.taken += 1;
    this.#windows.set(name, window);
    return {
      allowed: window.taken <= limit,
      remaining: Math.max(0, limit - window.taken),
      resetMs: WINDOW_MS - (now - window.startedAt),
    };
  }

  #dropEnded(now: number): void {
    for (const [name, { startedAt }] of this.#windows) {
      if (now - startedAt < WINDOW_MS) return;
      this.#windows.delete(name);
    }
  }
}
