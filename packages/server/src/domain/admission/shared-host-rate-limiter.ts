import { keepLease } from '../shared/leases.ts';
import type { HostLease, HostLeases } from './admission-ports.ts';
import type { AcquireRequest } from './fair-queue.ts';
import { comesTooLate, IN_ORDER, LocalHostRateLimiter, permitOf, TIDY_ABOVE, waitFor } from './host-rate-limiter.ts';
import type { HostPermit, HostRateLimitOptions, HostRateLimiter } from './host-rate-limiter.ts';

export interface SharedHostRateLimitOptions extends HostRateLimitOptions {
  readonly node: string;
  /** Until the slots of a silent node are free. Default 20,000. */
  readonly leaseMs?: number;
  readonly onError: (error: unknown) => void;
}

const LEASE_MS = 20_000;

const POLL_MS = 50;

/** A queued node keeps its position for this time. */
const LINE_MS = 1500;

/** Rate limiter across nodes. Captures queue within the node; the first one claims a slot through the store. */
export class SharedHostRateLimiter implements HostRateLimiter {
  readonly #options: SharedHostRateLimitOptions;
  readonly #store: HostLeases;
  readonly #leaseMs: number;
  readonly #local: LocalHostRateLimiter;
  /** One capture at a time asks the store. */
  readonly #asking: LocalHostRateLimiter;
  /** One capture at a time reserves. */
  readonly #starting: LocalHostRateLimiter;
  /** Starts, by local clock; the next capture takes the start of a cancelled one. */
  readonly #reserved = new Map<string, number>();
  readonly #held = new Set<HostLease>();
  readonly #releasing = new Set<Promise<void>>();
  readonly #stopRenewing: () => void;

  constructor(store: HostLeases, options: SharedHostRateLimitOptions) {
    this.#options = options;
    this.#store = store;
    this.#leaseMs = options.leaseMs ?? LEASE_MS;
    this.#local = new LocalHostRateLimiter({ ...options, spacingMs: 0 });
    this.#asking = new LocalHostRateLimiter({ ...options, spacingMs: 0, concurrency: 1 });
    this.#starting = new LocalHostRateLimiter({ ...options, spacingMs: 0, concurrency: 1, maxWaiting: Infinity });
    const renew = async (): Promise<void> => {
      if (this.#held.size > 0) await store.renew([...this.#held], this.#leaseMs);
    };
    this.#stopRenewing = keepLease(this.#leaseMs, renew, options.onError);
  }

  async acquire(host: string, request: AcquireRequest & { readonly budgetMs: number }): Promise<HostPermit> {
    const latest = performance.now() + request.budgetMs;
    const left = (): typeof request => ({ ...request, budgetMs: Math.max(0, latest - performance.now()) });
    const permit = await this.#local.acquire(host, request);
    let lease: HostLease | undefined;
    try {
      const asking = await this.#asking.acquire(host, left());
      try {
        lease = await this.#claim(host, latest, request.signal);
      } catch (error) {
        // The position of the node would expire anyway.
        if (!this.#moreWait(host)) this.#store.leave(host, this.#options.node).catch(this.#options.onError);
        throw error;
      } finally {
        asking.release();
      }
      await this.#keepDistance(host, latest, request.signal);
    } catch (error) {
      void this.#leave(permit, lease);
      throw error;
    }
    const taken = lease;
    return permitOf(() => void this.#leave(permit, taken));
  }

  state(): { readonly hosts: number; readonly waiting: number } {
    const waiting = this.#local.state().waiting + this.#asking.state().waiting;
    return { hosts: this.#local.state().hosts, waiting };
  }

  async close(): Promise<void> {
    this.#stopRenewing();
    for (const lease of this.#held) void this.#release(lease);
    await Promise.all(this.#releasing);
  }

  async #claim(host: string, latest: number, signal: AbortSignal): Promise<HostLease> {
    const { node, concurrency } = this.#options;
    for (let stoodInLine = false; ; stoodInLine = true) {
      const moreWait = this.#moreWait(host);
      const request = {
        host,
        node,
        slots: concurrency,
        leaseMs: this.#leaseMs,
        lineMs: LINE_MS,
        stoodInLine,
        moreWait,
      };
      const lease = await this.#store.claim(request);
      if (lease !== undefined) {
        this.#held.add(lease);
        if (!signal.aborted) return lease;
        await this.#release(lease);
        throw signal.reason;
      }
      if (performance.now() + POLL_MS > latest) throw comesTooLate(POLL_MS);
      await waitFor(POLL_MS, signal);
    }
  }

  #moreWait(host: string): boolean {
    return this.#asking.waitingFor(host) + this.#local.waitingFor(host) > 0;
  }

  async #keepDistance(host: string, latest: number, signal: AbortSignal): Promise<void> {
    const { spacingMs } = this.#options;
    if (spacingMs === 0) return;
    const now = performance.now();
    // An estimate: other nodes may reserve starts in between.
    const startAt = Math.max(now, this.#reserved.get(host) ?? 0) + this.#starting.usersOf(host) * spacingMs;
    if (startAt > latest) throw comesTooLate(startAt - now);
    using _ = await this.#starting.acquire(host, { ...IN_ORDER, budgetMs: Infinity, signal });
    const reservedAt = await this.#reserve(host, latest);
    await waitFor(reservedAt - performance.now(), signal);
    this.#reserved.delete(host);
  }

  /** Takes the start of a cancelled capture, or reserves one. */
  async #reserve(host: string, latest: number): Promise<number> {
    const now = performance.now();
    const left = this.#reserved.get(host) ?? 0;
    if (left > latest) throw comesTooLate(left - now);
    if (left > now) return left;
    const { waitMs, reserved } = await this.#store.reserveStart(
      host,
      this.#options.spacingMs,
      Math.max(0, latest - now),
    );
    if (!reserved) throw comesTooLate(waitMs);
    const startAt = performance.now() + waitMs;
    this.#reserved.set(host, startAt);
    this.#forgetPast(now);
    return startAt;
  }

  #forgetPast(now: number): void {
    if (this.#reserved.size <= TIDY_ABOVE) return;
    for (const [host, startAt] of this.#reserved) if (startAt <= now) this.#reserved.delete(host);
  }

  /** Releases the lease first, so that the next capture can claim it. */
  async #leave(permit: HostPermit, lease: HostLease | undefined): Promise<void> {
    if (lease) await this.#release(lease);
    permit.release();
  }

  /** Never rejects: a lost lease expires by itself. */
  #release(lease: HostLease): Promise<void> {
    this.#held.delete(lease);
    const releasing = this.#store
      .release(lease)
      .catch(this.#options.onError)
      .finally(() => this.#releasing.delete(releasing));
    this.#releasing.add(releasing);
    return releasing;
  }
}
