import { currentParty } from '../../domain/admission/current-party.ts';
import { FairQueue } from '../../domain/admission/fair-queue.ts';
import type { Place } from '../../domain/admission/fair-queue.ts';
import { AppError } from '../../domain/shared/errors.ts';
import type { Deadline } from '../shared/deadline.ts';

export interface SlotStats {
  readonly active: number;
  readonly waiting: number;
}

/** Limits concurrent captures; others queue, fairly among tenants. */
export interface CaptureSlots {
  /**
   * Runs `work` in a free slot.
   * @throws {AppError} `overloaded` when the queue is full or no slot is free before the deadline
   */
  run<T>(deadline: Deadline, work: () => Promise<T>): Promise<T>;
  stats(): SlotStats;
}

/**
 * Dynamic threshold: a tenant may hold a third of the free slots while others wait. Two captures of one tenant doubled
 * the time of another's.
 */
const GREED = 1 / 3;

export function createCaptureSlots(concurrency: number, maxWaiting: number): CaptureSlots {
  const queue = new FairQueue({
    places: concurrency,
    maxWaiting,
    name: 'the browser',
    greed: GREED,
    allWhenAlone: true,
  });
  return {
    async run(deadline, work) {
      const place = await takePlace(queue, deadline);
      try {
        return await work();
      } finally {
        place.release();
      }
    },
    stats: () => {
      const { running, waiting } = queue.state();
      return { active: running, waiting };
    },
  };
}

async function takePlace(queue: FairQueue, deadline: Deadline): Promise<Place> {
  try {
    return await queue.enter({ ...currentParty(), signal: deadline.signal });
  } catch (error) {
    if (!deadline.signal.aborted) throw error;
    const failure = deadline.error();
    if (failure.code !== 'fetch_timeout') throw failure;
    throw new AppError('overloaded', 'no browser became free in time', { retryAfterSeconds: 1, cause: error });
  }
}
