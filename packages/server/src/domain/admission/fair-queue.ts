import { AppError } from '../shared/errors.ts';

export interface Tenant {
  /** Empty for background work. */
  readonly key: string;
  /** The project; its tenants share slots. */
  readonly group: string;
}

export interface FairQueueOptions {
  readonly slots: number;
  /** Default: all. */
  readonly slotsPerGroup?: number;
  /** Beyond `slots`, for tenants that hold fewer than the rest of them. Default: none. */
  readonly extraSlots?: number;
  readonly maxWaiting: number;
  /** For messages. */
  readonly name: string;
  /** Monotonic, in milliseconds. */
  readonly now?: () => number;
}

export interface AcquireRequest extends Tenant {
  /** Default: unlimited. */
  readonly budgetMs?: number;
  readonly signal: AbortSignal;
}

export interface Permit extends Disposable {
  readonly waitedMs: number;
  /** Idempotent. */
  release(): void;
}

export interface QueueState {
  readonly running: number;
  readonly waiting: number;
  /** For a tenant without queued requests. */
  readonly expectedWaitMs: number;
}

interface Waiter {
  readonly request: AcquireRequest;
  readonly since: number;
  readonly admit: (permit: Permit) => void;
  readonly refuse: (error: unknown) => void;
  readonly stopWatching: () => void;
}

interface Share {
  running: number;
  servedAt: number;
}

const SMOOTHING = 0.2;
const LONGEST_RETRY_AFTER_S = 60;

/**
 * A fair queue for slots, none of which stays free while a request waits. A free slot goes to the group, then the tenant
 * that holds the fewest, then the least recently served. A full queue drops a request of the tenant with the most.
 * `extraSlots`: dynamic thresholds of Choudhury and Hahne, 1998.
 */
export class FairQueue {
  readonly #options: FairQueueOptions;
  readonly #now: () => number;
  readonly #queues = new Map<string, Waiter[]>();
  readonly #tenantShares = new Map<string, Share>();
  readonly #groupShares = new Map<string, Share>();
  #running = 0;
  #takenAt = 0;
  #waiting = 0;
  #turns = 0;
  #meanMs = 0;
  #closedFor: AppError | undefined;

  constructor(options: FairQueueOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** @throws {AppError} `overloaded` for a full queue or an actual or expected wait over the budget */
  async acquire(request: AcquireRequest): Promise<Permit> {
    if (request.signal.aborted) throw request.signal.reason;
    if (this.#closedFor !== undefined) throw this.#closedFor;
    // A request that waits beside a free slot may not take it.
    if (this.#isFree(request)) return this.#take(request, 0);
    const expected = this.#expectedWait(request);
    if (request.budgetMs !== undefined && expected > request.budgetMs) {
      throw this.#overloaded(request, `${this.#options.name} is busy: the wait would be about ${seconds(expected)} s`);
    }
    if (this.#waiting >= this.#options.maxWaiting) this.#makeRoom(request);
    return this.#wait(request);
  }

  state(): QueueState {
    return { running: this.#running, waiting: this.#waiting, expectedWaitMs: this.#expectedWait() };
  }

  /** Slots that a group holds, and the most that it can hold. */
  shareOf(group: string): { readonly running: number; readonly slots: number } {
    const { slots, slotsPerGroup = slots } = this.#options;
    return { running: runningOf(this.#groupShares, group), slots: Math.min(slots, slotsPerGroup) };
  }

  /** Rejects waiting and new requests; running work continues. */
  close(reason: AppError): void {
    this.#closedFor = reason;
    for (const waiter of [...this.#queues.values()].flat()) this.#refuse(waiter, reason);
  }

  #wait(request: AcquireRequest): Promise<Permit> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => this.#refuse(waiter, request.signal.reason);
      const timer =
        request.budgetMs === undefined || !Number.isFinite(request.budgetMs)
          ? undefined
          : setTimeout(
              () => this.#refuse(waiter, this.#overloaded(request, `${this.#options.name} is busy`)),
              request.budgetMs,
            );
      const waiter: Waiter = {
        request,
        since: this.#now(),
        admit: resolve,
        refuse: reject,
        stopWatching: () => {
          clearTimeout(timer);
          request.signal.removeEventListener('abort', onAbort);
        },
      };
      request.signal.addEventListener('abort', onAbort, { once: true });
      const queue = this.#queues.get(request.key);
      if (queue === undefined) this.#queues.set(request.key, [waiter]);
      else queue.push(waiter);
      this.#waiting += 1;
      // Slots may be free while a group waits at its limit.
      this.#admitNext();
    });
  }

  #makeRoom(request: AcquireRequest): void {
    const [longest] = [...this.#queues.values()].toSorted((a, b) => b.length - a.length);
    const own = this.#queues.get(request.key)?.length ?? 0;
    const last = longest?.at(-1);
    const error = this.#overloaded(request, `${this.#options.name} is full: too many requests wait already`);
    if (longest === undefined || last === undefined || longest.length <= own + 1) throw error;
    this.#refuse(last, error);
  }

  #take(request: AcquireRequest, waitedMs: number): Permit {
    const tenant = takeShare(this.#tenantShares, request.key);
    const group = takeShare(this.#groupShares, request.group);
    this.#turns += 1;
    this.#running += 1;
    tenant.running += 1;
    group.running += 1;
    tenant.servedAt = this.#turns;
    const startedAt = this.#now();
    this.#takenAt += startedAt;
    let isReleased = false;
    const release = (): void => {
      if (isReleased) return;
      isReleased = true;
      this.#running -= 1;
      this.#takenAt -= startedAt;
      tenant.running -= 1;
      group.running -= 1;
      const ms = this.#now() - startedAt;
      this.#meanMs = this.#meanMs === 0 ? ms : this.#meanMs + SMOOTHING * (ms - this.#meanMs);
      this.#admitNext();
      this.#forgetIdle(request);
    };
    return { waitedMs: Math.round(waitedMs * 10) / 10, release, [Symbol.dispose]: release };
  }

  #admitNext(): void {
    while (this.#waiting > 0) {
      const waiter = this.#choose();
      if (waiter === undefined) return;
      this.#remove(waiter);
      waiter.admit(this.#take(waiter.request, this.#now() - waiter.since));
    }
  }

  #choose(): Waiter | undefined {
    const rank = ({ request }: Waiter): number[] => {
      const { group, key } = request;
      const servedAt = this.#tenantShares.get(key)?.servedAt ?? 0;
      return [runningOf(this.#groupShares, group), runningOf(this.#tenantShares, key), servedAt];
    };
    return [...this.#queues.values()]
      .flatMap((queue) => queue[0] ?? [])
      .filter(({ request }) => this.#isFree(request))
      .map((waiter) => ({ waiter, rank: rank(waiter) }))
      .toSorted((a, b) => compareRanks(a.rank, b.rank))[0]?.waiter;
  }

  #isFree({ key, group }: Partial<Tenant>): boolean {
    const { slots, slotsPerGroup = Infinity, extraSlots = 0 } = this.#options;
    if (runningOf(this.#groupShares, group) >= slotsPerGroup) return false;
    return this.#running < slots || runningOf(this.#tenantShares, key) < slots + extraSlots - this.#running;
  }

  #refuse(waiter: Waiter, reason: unknown): void {
    if (!this.#remove(waiter)) return;
    waiter.refuse(reason);
    this.#forgetIdle(waiter.request);
  }

  #remove(waiter: Waiter): boolean {
    const queue = this.#queues.get(waiter.request.key) ?? [];
    const index = queue.indexOf(waiter);
    if (index === -1) return false;
    queue.splice(index, 1);
    if (queue.length === 0) this.#queues.delete(waiter.request.key);
    this.#waiting -= 1;
    waiter.stopWatching();
    return true;
  }

  /**
   * Estimates the wait, assuming round-robin across tenants; at its limit a group waits only for itself. Durations are the
   * mean or, if longer, the age of running work.
   */
  #expectedWait(tenant: Partial<Tenant> = {}): number {
    if (this.#isFree(tenant)) return 0;
    const own = this.#queues.get(tenant.key ?? '')?.length ?? 0;
    const heldMs = Math.max(this.#meanMs, this.#now() - this.#takenAt / this.#running);
    if (this.#running < this.#options.slots) return ((own + 1) * heldMs) / runningOf(this.#groupShares, tenant.group);
    const before = Math.min(this.#waiting, (own + 1) * (this.#queues.size + 1) - 1);
    return ((before + 1) * heldMs) / this.#options.slots;
  }

  #overloaded(tenant: Tenant, message: string): AppError {
    const retryAfterSeconds = Math.min(LONGEST_RETRY_AFTER_S, Math.max(1, seconds(this.#expectedWait(tenant))));
    return new AppError('overloaded', message, { retryAfterSeconds });
  }

  #forgetIdle(request: Tenant): void {
    if (this.#queues.has(request.key)) return;
    if (this.#tenantShares.get(request.key)?.running === 0) this.#tenantShares.delete(request.key);
    if (this.#groupShares.get(request.group)?.running === 0) this.#groupShares.delete(request.group);
  }
}

function takeShare(shares: Map<string, Share>, name: string): Share {
  let share = shares.get(name);
  if (share === undefined) {
    share = { running: 0, servedAt: 0 };
    shares.set(name, share);
  }
  return share;
}

function runningOf(shares: ReadonlyMap<string, Share>, name = ''): number {
  return shares.get(name)?.running ?? 0;
}

function compareRanks(a: readonly number[], b: readonly number[]): number {
  for (const [index, value] of a.entries()) {
    const difference = value - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function seconds(ms: number): number {
  return Math.ceil(ms / 1000);
}
