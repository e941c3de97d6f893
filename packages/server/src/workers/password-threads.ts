import { Piscina } from 'piscina';
import type { HashTurn, KeyDerivation, KeyDeriver } from '../domain/accounts/passwords.ts';
import { FairQueue } from '../domain/admission/fair-queue.ts';
import { AppError } from '../domain/shared/errors.ts';
import { shuttingDown } from '../domain/shared/shutting-down.ts';

export interface PasswordThreadsOptions {
  /** Maximum queue of untrusted, and of trusted callers. Default 20. */
  readonly maxWaiting?: number;
  /** Longest wait in milliseconds. Default 10 s. */
  readonly maxWaitMs?: number;
}

const MAX_WAITING = 20;

/** A person retries after this time. */
const MAX_WAIT_MS = 10_000;

/** Idle time after which a thread ends, in milliseconds. */
const IDLE_TIMEOUT_MS = 10_000;

/** Added to the threads' nice value, so that the event loop has priority. */
const NICENESS = 5;

const NEVER = new AbortController().signal;

/**
 * Runs scrypt in two threads, one for untrusted and one for trusted callers. A flood of guesses thus blocks neither the
 * service nor its owner. Both have short queues.
 */
export class PasswordThreads implements KeyDeriver {
  readonly #strangers: FairQueue;
  readonly #trusted: FairQueue;
  readonly #maxWaitMs: number;
  readonly #pool: Piscina;

  constructor({ maxWaiting = MAX_WAITING, maxWaitMs = MAX_WAIT_MS }: PasswordThreadsOptions = {}) {
    this.#maxWaitMs = maxWaitMs;
    const options = { slots: 1, maxWaiting, name: 'the sign-in' };
    this.#strangers = new FairQueue(options);
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
    const queue = trusted ? this.#trusted : this.#strangers;
    const permit = await queue
      .acquire({ key: tenant, group: tenant, budgetMs: this.#maxWaitMs, signal })
      .catch((error: unknown) => {
        throw toRateLimited(error);
      });
    try {
      return (await this.#pool.run(task, { name: 'deriveKey' })) as Uint8Array;
    } finally {
      permit.release();
    }
  }

  /** Ends the threads; waiting callers fail. */
  async close(): Promise<void> {
    const closing = shuttingDown();
    this.#strangers.close(closing);
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
