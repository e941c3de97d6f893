import { AsyncLocalStorage } from 'node:async_hooks';
import type { Tenant } from './fair-queue.ts';

interface Work {
  readonly tenant: Tenant;
  readonly ends: (() => void)[];
}

const storage = new AsyncLocalStorage<Work>();

/** Background work. */
const NOBODY: Tenant = { key: '', group: '' };

/** Runs work for a tenant, which makes inner queues (threads, browsers) fair too. */
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
