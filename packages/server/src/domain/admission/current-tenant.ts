import { AsyncLocalStorage } from 'node:async_hooks';
import type { Tenant, FairQueue, Permit } from './fair-queue.ts';
import type { ApiKey } from '../keys/key-ports.ts';
import type { AppError } from '../shared/errors.ts';
import { extendStep, failStep, type Workflow } from '../shared/workflow.ts';

const storage = new AsyncLocalStorage<{ readonly tenant: Tenant; readonly ends: (() => void)[] }>();

const NOBODY: Tenant = { key: '', group: '' };

/** Runs work for a tenant, which makes inner queues (workers, browsers) fair too. */
export async function runOnBehalf<T>(tenant: Tenant, work: () => Promise<T>): Promise<T> {
  const ends: (() => void)[] = [];
  try {
    return await storage.run({ tenant, ends }, work);
  } finally {
    for (const end of ends) end();
  }
}

/** Calls the function when the work for the current tenant ends; at once outside such work. */
export function onEndOfWork(end: () => void): void {
  const work = storage.getStore();
  if (work === undefined) end();
  else work.ends.push(end);
}

export function currentTenant(): Tenant {
  return storage.getStore()?.tenant ?? NOBODY;
}

/**
 * Runs a request's work in a slot. The wait appears as `queued_ms` in the step of stage `request`.
 * @throws {AppError} `overloaded`
 */
export async function runAdmitted<T>(
  queue: FairQueue,
  command: { readonly key: Pick<ApiKey, 'id' | 'projectId'>; readonly budgetMs: number },
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
