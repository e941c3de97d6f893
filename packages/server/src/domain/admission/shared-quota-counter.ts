import type { QuotaLedger } from './admission-ports.ts';
import type { QuotaCounter, QuotaReading } from './quota-counter.ts';

interface Waiter {
  readonly resolve: (reading: QuotaReading) => void;
  readonly reject: (error: unknown) => void;
}

/** The requests of one key, under one limit, that wait for the ledger. */
interface Line {
  waiting: Waiter[];
  isAsking: boolean;
}

/** A window that is used up, over all nodes: nothing comes back to it, so nobody has to ask. */
interface UsedUp {
  readonly limit: number;
  /** Reading of the clock at which the window ends. */
  readonly until: number;
}

/** Keys with a used-up window at which those that are over are forgotten. */
const TIDY_ABOVE = 1000;

/**
 * Counts over all nodes, exactly. The requests of a key that come in while the ledger is being asked are asked for
 * together, next: a node has at most one statement under way for a key, however many requests there are. Nothing is
 * taken in advance, so a node that dies takes nothing along.
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
        // As if they had come one after the other: the first of them still sees what the others took.
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
