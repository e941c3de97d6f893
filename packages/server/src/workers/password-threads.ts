import { Piscina } from 'piscina';
import type { HashTurn, KeyDerivation, KeyDeriver } from '../domain/accounts/passwords.ts';
import { FairQueue } from '../domain/admission/fair-queue.ts';
import { AppError, shuttingDown } from '../domain/shared/errors.ts';

export interface PasswordThreadsOptions {
  /** Per class of callers. Default 20. */
  readonly maxWaiting?: number;
  /** Default 10 s. */
  readonly maxWaitMs?: number;
}

const MAX_WAITING = 20;

const MAX_WAIT_MS = 10_000;

const IDLE_TIMEOUT_MS = 10_000;

/** Gives the event loop priority. */
const NICENESS = 5;

const NEVER = new AbortController().signal;

/**
 * Runs scrypt in one thread for untrusted and one for trusted callers, so that guessing blocks neither the service nor
 * its owner.
 */
export class PasswordThreads implements KeyDeriver {
  readonly #untrusted: FairQueue;
  readonly #trusted: FairQueue;
  readonly #maxWaitMs: number;
  readonly #pool: Piscina;

  constructor({ maxWaiting = MAX_WAITING, maxWaitMs = MAX_WAIT_MS }: PasswordThreadsOptions = {}) {
    this.#maxWaitMs = maxWaitMs;
    const options = { slots: 1, maxWaiting, name: 'the sign-in' };
    this.#untrusted = new FairQueue(options);
    this.#trusted = new FairQueue(options);
    this.#pool = new Piscina({
      filename: new URL('./derive-key.ts', import.meta.url).href,
      minThreads: 0,
      maxThreads: 2,
      recordTiming: false,
      idleTimeout: IDLE_TIMEOUT_MS,
      niceIncrement: NICENESS,
    });
  }

  async derive(task: KeyDerivation, { tenant, trusted, signal = NEVER }: HashTurn): Promise<Uint8Array> {
    const queue = trusted ? this.#trusted : this.#untrusted;
    using _ = await queue
      .acquire({ key: tenant, group: tenant, budgetMs: this.#maxWaitMs, signal })
      .catch((error: unknown) => {
        throw toRateLimited(error);
      });
    return (await this.#pool.run(task, { name: 'deriveKey' })) as Uint8Array;
  }

  async close(): Promise<void> {
    const closing = shuttingDown();
    this.#untrusted.close(closing);
    this.#trusted.close(closing);
    await this.#pool.destroy();
  }
}

/** A full queue means too many sign-ins, not a busy service. */
function toRateLimited(error: unknown): unknown {
  if (!(error instanceof AppError) || error.code !== 'overloaded') return error;
  const { retryAfterSeconds = 1 } = error;
  const message = `too many passwords are being checked at this moment: try again in ${retryAfterSeconds} s`;
  return new AppError('rate_limited', message, { retryAfterSeconds, cause: error });
}
