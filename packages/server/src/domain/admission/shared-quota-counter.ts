import type { QuotaLedger } from './admission-ports.ts';
import type { QuotaCounter, QuotaReading } from './quota-counter.ts';

interface Waiter {
  readonly resolve: (reading: QuotaReading) => void;
  readonly reject: (error: unknown) => void;
}

interface Line {
  waiting: Waiter[];
  isAsking: boolean;
}

/** An exhausted window: requests until its end are refused without a query. */
interface UsedUp {
  readonly limit: number;
  readonly until: number;
}

const TIDY_ABOVE = 1000;

/**
 * Counts exactly across nodes. Requests that arrive during a query share the next one. Reserves nothing in advance, so
 * a dying node loses nothing.
 */
export class SharedQuotaCounter implements QuotaCounter {
  readonly #ledger: QuotaLedger;
  readonly #lines = new Map<string, Line>();
  readonly #usedUp = new Map<string, UsedUp>();

  constructor(ledger: QuotaLedger) {
    this.#ledger = ledger;
  }

  take(keyId: string, limit: number): Promise<QuotaReading> {
    const usedUp = this.#usedUp.get(keyId);
    const resetMs = usedUp?.limit === limit ? usedUp.until - performance.now() : 0;
    if (resetMs > 0) return Promise.resolve({ allowed: false, remaining: 0, resetMs });
    return new Promise((resolve, reject) => {
      const name = `${limit} ${keyId}`;
      const line = this.#lines.get(name) ?? { waiting: [], isAsking: false };
      this.#lines.set(name, line);
      line.waiting.push({ resolve, reject });
      if (!line.isAsking) void this.#serve(name, line, keyId, limit);
    });
  }

  async #serve(name: string, line: Line, keyId: string, limit: number): Promise<void> {
    line.isAsking = true;
    while (line.waiting.length > 0) {
      const waiting = line.waiting;
      line.waiting = [];
      await this.#ask(waiting, keyId, limit);
    }
    this.#lines.delete(name);
  }

  async #ask(waiting: readonly Waiter[], keyId: string, limit: number): Promise<void> {
    const askedAt = performance.now();
    try {
      const { granted, remaining, resetMs } = await this.#ledger.take(keyId, limit, waiting.length);
      if (granted < waiting.length) this.#noteUsedUp(keyId, { limit, until: askedAt + resetMs });
      for (const [index, { resolve }] of waiting.entries()) {
        // As if they had arrived one after another.
        const left = remaining + Math.max(0, granted - 1 - index);
        resolve({ allowed: index < granted, remaining: left, resetMs });
      }
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
  }

  #noteUsedUp(keyId: string, usedUp: UsedUp): void {
    this.#usedUp.set(keyId, usedUp);
    if (this.#usedUp.size <= TIDY_ABOVE) return;
    const now = performance.now();
    for (const [id, { until }] of this.#usedUp) if (until <= now) this.#usedUp.delete(id);
  }
}
