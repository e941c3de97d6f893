import type { ApiKey } from '../keys/key-ports.ts';
import type { AppError } from '../shared/errors.ts';
import { extendStep, failStep } from '../shared/steps.ts';
import type { Workflow } from '../shared/workflow.ts';
import { runOnBehalf } from './current-tenant.ts';
import type { FairQueue, Permit, Tenant } from './fair-queue.ts';

export interface AdmissionCommand {
  readonly key: Pick<ApiKey, 'id' | 'projectId'>;
  readonly budgetMs: number;
}

/**
 * Runs a request's work in a slot. The wait appears as `queued_ms` in the step of stage `request`.
 * @throws {AppError} `overloaded`
 */
export async function runAdmitted<T>(
  queue: FairQueue,
  command: AdmissionCommand,
  flow: Workflow,
  work: (waitedMs: number) => Promise<T>,
): Promise<T> {
  const tenant = { key: command.key.id, group: command.key.projectId };
  let permit: Permit;
  try {
    permit = await queue.acquire({ ...tenant, budgetMs: command.budgetMs, signal: flow.signal });
  } catch (error) {
    throw failStep(flow, 'request', error as AppError);
  }
  return runInSlot(permit, tenant, () => {
    extendStep(flow, 'request', { queued_ms: permit.waitedMs });
    return work(permit.waitedMs);
  });
}

export async function runInSlot<T>(permit: Permit, tenant: Tenant, work: () => Promise<T>): Promise<T> {
  try {
    return await runOnBehalf(tenant, work);
  } finally {
    permit.release();
  }
}
