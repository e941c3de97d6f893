import { AppError } from '../../domain/shared/errors.ts';

export interface BodyBudgetOptions {
  /** Bytes that all tenants together may hold. */
  readonly totalBytes: number;
  /** Bytes that one tenant may hold. */
  readonly bytesPerTenant: number;
}

/** Seconds in which a large body is likely to have come in and been worked on. */
const RETRY_AFTER_S = 5;

/** How many bytes of request bodies are in flight, in all and of each tenant (a key, or who is signed in). */
export class BodyBudget {
  readonly #options: BodyBudgetOptions;
  readonly #held = new Map<string, number>();
  #total = 0;

  constructor(options: BodyBudgetOptions) {
    this.#options = options;
  }

  /** @throws {AppError} `overloaded` when there is no room for the bytes; then none are taken */
  take(tenant: string, bytes: number): void {
    const held = (this.#held.get(tenant) ?? 0) + bytes;
    const { totalBytes, bytesPerTenant } = this.#options;
    if (held > bytesPerTenant) throw full('the large request bodies of this key that are under way are too many');
    if (this.#total + bytes > totalBytes) throw full('the large request bodies that are under way are too many');
    this.#total += bytes;
    this.#held.set(tenant, held);
  }

  giveBack(tenant: string, bytes: number): void {
    const held = (this.#held.get(tenant) ?? 0) - bytes;
    this.#total -= bytes;
    if (held > 0) this.#held.set(tenant, held);
    else this.#held.delete(tenant);
  }
}

function full(message: string): AppError {
  return new AppError('overloaded', message, { retryAfterSeconds: RETRY_AFTER_S });
}
