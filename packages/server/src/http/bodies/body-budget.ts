import { AppError } from '../../domain/shared/errors.ts';

export interface BodyBudgetOptions {
  /** Of all tenants. */
  readonly totalBytes: number;
  readonly bytesPerTenant: number;
}

/** Typical duration of a request with a large body. */
const RETRY_AFTER_S = 5;

/** Counts bytes of request bodies in flight, in total and per tenant. */
export class BodyBudget {
  readonly #options: BodyBudgetOptions;
  readonly #held = new Map<string, number>();
  #total = 0;

  constructor(options: BodyBudgetOptions) {
    this.#options = options;
  }

  /** @throws {AppError} `overloaded`, without taking any bytes */
  take(tenant: string, bytes: number): void {
    const held = (this.#held.get(tenant) ?? 0) + bytes;
    const { totalBytes, bytesPerTenant } = this.#options;
    if (held > bytesPerTenant) throw full('too many large request bodies of this key are in progress');
    if (this.#total + bytes > totalBytes) throw full('too many large request bodies are in progress');
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
