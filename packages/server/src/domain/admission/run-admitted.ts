import type { ApiKey } from '../keys/key-ports.ts';
import type { AppError } from '../shared/errors.ts';
import type { Workflow } from '../shared/workflow.ts';
import { runOnBehalf } from './current-party.ts';
import type { FairQueue, Place } from './fair-queue.ts';

export interface AdmissionOrder {
  readonly key: Pick<ApiKey, 'id' | 'projectId'>;
  /** Milliseconds of waiting after which the answer would come too late for the caller. */
  readonly budgetMs: number;
}

/**
 * Runs the work of a request once there is a place for it. The wait belongs to the stage `request` and
 * shows in its step as `queuedMs`.
 * @throws {AppError} `overloaded` when there will be no place in time
 */
export async function runAdmitted<T>(
  queue: FairQueue,
  order: AdmissionOrder,
  flow: Workflow,
  work: (waitedMs: number) => Promise<T>,
): Promise<T> {
  const party = { lane: order.key.id, group: order.key.projectId };
  let place: Place;
  try {
    place = await queue.enter({ ...party, budgetMs: order.budgetMs, signal: flow.signal });
  } catch (error) {
    throw flow.failEarlier('request', error as AppError);
  }
  try {
    flow.extend('request', { queuedMs: place.waitedMs });
    return await runOnBehalf(party, () => work(place.waitedMs));
  } finally {
    place.release();
  }
}
