import { currentTenant } from '../../domain/admission/current-tenant.ts';
import { FairQueue, type Permit } from '../../domain/admission/fair-queue.ts';
import { AppError } from '../../domain/shared/errors.ts';
import type { Deadline } from '../shared/deadline.ts';

export interface SlotStats {
  readonly active: number;
  readonly waiting: number;
}

/** Limits concurrent captures, fairly among tenants. */
export class CaptureSlots {
  readonly #queue: FairQueue;

  constructor(concurrency: number, maxWaiting: number) {
    this.#queue = new FairQueue({ slots: concurrency, maxWaiting, name: 'the browser' });
  }

  /** @throws {AppError} `overloaded` when the queue is full or no slot is free in time */
  async run<T>(deadline: Deadline, work: () => Promise<T>): Promise<T> {
    const permit = await acquirePermit(this.#queue, deadline);
    try {
      return await work();
    } finally {
      permit.release();
    }
  }

  stats(): SlotStats {
    const { running, waiting } = this.#queue.state();
    return { active: running, waiting };
  }
}

async function acquirePermit(queue: FairQueue, deadline: Deadline): Promise<Permit> {
  try {
    return await queue.acquire({ ...currentTenant(), signal: deadline.signal });
  } catch (error) {
    if (!deadline.signal.aborted) throw error;
    const failure = deadline.error();
    if (failure.code !== 'fetch_timeout') throw failure;
    throw new AppError('overloaded', 'no browser became free in time', { retryAfterSeconds: 1, cause: error });
  }
}
