import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds between the starts of two syncs. */
const GAP_MS = 8;

/** Shorter gap for tenants that the last sync did not serve. */
const SHORT_GAP_MS = 2;

/**
 * Group commit schedule. A single commit is synced in the same tick; under load, commits of a few milliseconds share a
 * sync. A tenant (API key) that the last sync did not serve waits less than busy tenants.
 */
export class GroupCommitScheduler {
  #lastAt = -Infinity;
  /** Tenants served by the last sync and by the next. */
  #lastTenants: ReadonlySet<string> = new Set();
  #tenants = new Set<string>();
  #isUrgent = false;
  /** Ends the current pause. */
  #pause: AbortController | undefined;

  /** Adds a tenant to the next turn, before or during it. */
  expect(tenant: string): void {
    this.#tenants.add(tenant);
    if (this.#isUrgent || this.#lastTenants.has(tenant)) return;
    this.#isUrgent = true;
    this.#pause?.abort();
  }

  /** Resolves when the next sync may start. */
  async turn(): Promise<void> {
    if (this.#restMs() <= 0) await nextTurn();
    for (let restMs = this.#restMs(); restMs > 0; restMs = this.#restMs()) {
      this.#pause = new AbortController();
      await sleep(restMs, undefined, { signal: this.#pause.signal }).catch(() => undefined);
    }
    this.#pause = undefined;
    this.#lastTenants = this.#tenants;
    this.#tenants = new Set();
    this.#isUrgent = false;
    this.#lastAt = performance.now();
  }

  /** Milliseconds until the next sync. */
  #restMs(): number {
    return this.#lastAt + (this.#isUrgent ? SHORT_GAP_MS : GAP_MS) - performance.now();
  }
}
