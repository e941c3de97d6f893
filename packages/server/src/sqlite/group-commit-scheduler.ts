import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds between the starts of two syncs. */
const GAP_MS = 8;

/** For tenants that the last sync did not serve. */
const SHORT_GAP_MS = 2;

/**
 * Group commit: a single commit is synced in the same tick; under load, commits of a few milliseconds share a sync.
 * Tenants that the last sync did not serve wait less.
 */
export class GroupCommitScheduler {
  #lastAt = -Infinity;
  #lastTenants: ReadonlySet<string> = new Set();
  #tenants = new Set<string>();
  #isUrgent = false;
  #pause: AbortController | undefined;

  /** Adds a tenant to the next sync. */
  expect(tenant: string): void {
    this.#tenants.add(tenant);
    if (this.#isUrgent || this.#lastTenants.has(tenant)) return;
    this.#isUrgent = true;
    this.#pause?.abort();
  }

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

  #restMs(): number {
    return this.#lastAt + (this.#isUrgent ? SHORT_GAP_MS : GAP_MS) - performance.now();
  }
}
