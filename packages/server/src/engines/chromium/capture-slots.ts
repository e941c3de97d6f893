import { AppError } from '../../domain/errors.ts';
import type { Deadline } from '../deadline.ts';

export interface SlotStats {
  readonly active: number;
  readonly waiting: number;
}

/** A bounded number of captures at a time; the others wait their turn, first come, first served. */
export interface CaptureSlots {
  /**
   * Runs `work` when a place is free.
   * @throws {AppError} `overloaded` when too many wait already or the turn does not come within the deadline.
   */
  run<T>(deadline: Deadline, work: () => Promise<T>): Promise<T>;
  stats(): SlotStats;
}

export function createCaptureSlots(concurrency: number, maxWaiting: number): CaptureSlots {
  let active = 0;
  const waiting: (() => void)[] = [];
  const enter = async (deadline: Deadline): Promise<void> => {
    if (active < concurrency) {
      active += 1;
      return;
    }
    if (waiting.length >= maxWaiting) throw full('too many captures wait already');
    const turn = Promise.withResolvers<void>();
    waiting.push(turn.resolve);
    try {
      await deadline.race(turn.promise);
    } catch (error) {
      const place = waiting.indexOf(turn.resolve);
      // The turn may have come in the very moment in which the time ran out: it goes on to the next.
      if (place < 0) leave();
      else waiting.splice(place, 1);
      throw (error as AppError).code === 'fetch_timeout' ? full('no browser became free in time') : error;
    }
  };
  const leave = (): void => {
    const next = waiting.shift();
    if (next) next();
    else active -= 1;
  };
  return {
    async run(deadline, work) {
      await enter(deadline);
      try {
        return await work();
      } finally {
        leave();
      }
    },
    stats: () => ({ active, waiting: waiting.length }),
  };
}

function full(why: string): AppError {
  return new AppError('overloaded', why, { retryAfterSeconds: 1 });
}
