import { AppError } from '../shared/errors.ts';
import { LastTenants } from './last-tenants.ts';

const MIB = 1024 * 1024;

/** Smaller bodies, pages and answers are free and never wait. */
export const HEAVY_BYTES: number = MIB / 2;

/** Processor time that a MiB takes in all threads of a fast machine, in milliseconds. */
const COST_PER_MIB = { body: 10, page: 30, answer: 10 } as const;

/** Measured time counts up to this multiple of the expected cost: a slow network takes time as well. */
const LONGEST_COST = 8;

/** Another tenant counts as active for this time after its last request. */
const ACTIVE_MS = 1000;

/** Earlier work delays the next by this at most. */
const LONGEST_DEBT_MS = 5000;

const LONGEST_RETRY_AFTER_S = 60;

/** With more tenants, those without debt are removed. */
const TIDY_ABOVE = 1000;

export interface HeavyWorkOptions {
  /** Processor time that a tenant may use, in milliseconds per millisecond. */
  readonly share: number;
  /** Default of `budgetMs`. */
  readonly maxWaitMs: number;
  /** Monotonic, in milliseconds. */
  readonly now?: () => number;
}

export interface HeavyWork {
  /** The tenant. Empty for background work, which is free. */
  readonly key: string;
  readonly kind: keyof typeof COST_PER_MIB;
  readonly bytes: number;
}

export interface HeavyWorkRequest extends HeavyWork {
  readonly budgetMs?: number;
  readonly signal: AbortSignal;
}

export interface HeavyWorkPermit {
  readonly waitedMs: number;
  /** Charges the time since admission above the expected cost. Idempotent. */
  readonly release: () => void;
}

interface Waiter {
  readonly costMs: number;
  readonly admit: () => void;
  readonly refuse: (error: unknown) => void;
}

interface Account {
  /** When the work so far is paid. */
  paidAt: number;
  readonly waiting: Waiter[];
  timer: NodeJS.Timeout | undefined;
}

/**
 * Leaky bucket: gives each tenant the same share of the processors for large bodies, pages and answers, while another
 * tenant is active.
 */
export class HeavyWorkLimiter {
  readonly #share: number;
  readonly #maxWaitMs: number;
  readonly #now: () => number;
  readonly #accounts = new Map<string, Account>();
  readonly #running = new Map<string, number>();
  readonly #seen = new LastTenants();
  #runningOfAll = 0;

  constructor({ share, maxWaitMs, now = () => performance.now() }: HeavyWorkOptions) {
    this.#share = share;
    this.#maxWaitMs = maxWaitMs;
    this.#now = now;
  }

  /** Counts a request of the tenant, light or heavy, as active until the returned function is called once. */
  enter(key: string): () => void {
    this.#seen.note(key, this.#now());
    this.#count(key, 1);
    return () => {
      this.#seen.note(key, this.#now());
      this.#count(key, -1);
    };
  }

  /** Charges work that does not wait. */
  charge({ key, kind, bytes }: HeavyWork): void {
    if (key !== '') this.#charge(this.#account(key), costOf(kind, bytes));
  }

  /**
   * Waits until the tenant's work so far is paid, and charges the new one.
   * @throws {AppError} `overloaded` if the wait would exceed the budget; the signal's reason
   */
  async acquire(request: HeavyWorkRequest): Promise<HeavyWorkPermit> {
    const { key, kind, bytes, budgetMs = this.#maxWaitMs, signal } = request;
    if (signal.aborted) throw signal.reason;
    if (key === '') return { waitedMs: 0, release: () => undefined };
    const account = this.#account(key);
    const costMs = costOf(kind, bytes);
    const startedAt = this.#now();
    if (account.waiting.length === 0 && this.#waitMs(key, account) <= 0) {
      this.#charge(account, costMs);
      return this.#permit(key, costMs, 0);
    }
    const queuedMs = account.waiting.reduce((sum, waiter) => sum + waiter.costMs, 0) / this.#share;
    const expectedMs = account.paidAt - startedAt + queuedMs;
    if (expectedMs > budgetMs) throw tooLate(expectedMs);
    await this.#wait(key, account, costMs, signal);
    return this.#permit(key, costMs, this.#now() - startedAt);
  }

  #permit(key: string, costMs: number, waitedMs: number): HeavyWorkPermit {
    const startedAt = this.#now();
    let isReleased = false;
    const release = (): void => {
      if (isReleased) return;
      isReleased = true;
      const tookMs = Math.min(this.#now() - startedAt, LONGEST_COST * costMs);
      if (tookMs > costMs) this.#charge(this.#account(key), tookMs - costMs);
    };
    return { waitedMs, release };
  }

  state(): { readonly tenants: number; readonly waiting: number } {
    const accounts = [...this.#accounts.values()];
    return { tenants: accounts.length, waiting: accounts.reduce((sum, { waiting }) => sum + waiting.length, 0) };
  }

  #wait(key: string, account: Account, costMs: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter: Waiter = { costMs, admit: resolve, refuse: reject };
    const onAbort = (): void => {
      const at = account.waiting.indexOf(waiter);
      // Another abort in the same tick may have admitted it.
      if (at === -1) return;
      account.waiting.splice(at, 1);
      waiter.refuse(signal.reason);
      this.#admitNext(key, account);
    };
    account.waiting.push(waiter);
    signal.addEventListener('abort', onAbort, { once: true });
    this.#admitNext(key, account);
    return promise.finally(() => signal.removeEventListener('abort', onAbort));
  }

  #admitNext(key: string, account: Account): void {
    clearTimeout(account.timer);
    account.timer = undefined;
    for (let waiter = account.waiting[0]; waiter !== undefined; waiter = account.waiting[0]) {
      const leftMs = this.#waitMs(key, account);
      if (leftMs > 0) {
        // Checks again earlier: the other tenants may become inactive.
        account.timer = setTimeout(() => this.#admitNext(key, account), Math.ceil(Math.min(leftMs, ACTIVE_MS)));
        return;
      }
      account.waiting.shift();
      this.#charge(account, waiter.costMs);
      waiter.admit();
    }
  }

  #waitMs(key: string, account: Account): number {
    const now = this.#now();
    const isOtherRunning = this.#runningOfAll > (this.#running.get(key) ?? 0);
    const otherAt = isOtherRunning ? now : (this.#seen.lastOtherThan(key) ?? -Infinity);
    return otherAt + ACTIVE_MS <= now ? 0 : account.paidAt - now;
  }

  #charge(account: Account, costMs: number): void {
    const now = this.#now();
    account.paidAt = Math.min(Math.max(account.paidAt, now) + costMs / this.#share, now + LONGEST_DEBT_MS);
  }

  #account(key: string): Account {
    let account = this.#accounts.get(key);
    if (account === undefined) {
      if (this.#accounts.size >= TIDY_ABOVE) this.#forgetPaid();
      account = { paidAt: -Infinity, waiting: [], timer: undefined };
      this.#accounts.set(key, account);
    }
    return account;
  }

  #forgetPaid(): void {
    const now = this.#now();
    for (const [key, { paidAt, waiting }] of this.#accounts)
      if (paidAt <= now && waiting.length === 0) this.#accounts.delete(key);
  }

  #count(key: string, change: 1 | -1): void {
    const running = (this.#running.get(key) ?? 0) + change;
    this.#runningOfAll += change;
    if (running > 0) this.#running.set(key, running);
    else this.#running.delete(key);
  }
}

function costOf(kind: HeavyWork['kind'], bytes: number): number {
  return (bytes / MIB) * COST_PER_MIB[kind];
}

function tooLate(ms: number): AppError {
  const seconds = Math.ceil(ms / 1000);
  return new AppError(
    'overloaded',
    `large bodies, pages and answers of this key would wait about ${seconds} s for their share beside other keys`,
    { retryAfterSeconds: Math.min(LONGEST_RETRY_AFTER_S, Math.max(1, seconds)) },
  );
}
