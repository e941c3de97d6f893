import type { ApiKey } from '../keys/key-ports.ts';
import type { AppError } from '../shared/errors.ts';
import type { Workflow } from '../shared/workflow.ts';
import { runOnBehalf } from './current-party.ts';
import type { FairQueue, Place } from './fair-queue.ts';

export interface AdmissionOrder {
  readonly key: Pick<ApiKey, 'id' | 'projectId'>;
  /** Maximum wait in milliseconds. */
  readonly budgetMs: number;
}

/**
 * Runs a request's work in a slot. The wait appears as `queuedMs` in the step of stage `request`.
 * @throws {AppError} `overloaded`
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
