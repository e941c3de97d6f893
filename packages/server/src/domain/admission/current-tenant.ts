import { AsyncLocalStorage } from 'node:async_hooks';
import type { Tenant } from './fair-queue.ts';

const storage = new AsyncLocalStorage<Tenant>();

/** Background work. */
const NOBODY: Tenant = { key: '', group: '' };

/** Runs work for a tenant, which makes inner queues (threads, browsers) fair too. */
export function runOnBehalf<T>(tenant: Tenant, work: () => Promise<T>): Promise<T> {
  return storage.run(tenant, work);
}

export function currentTenant(): Tenant {
  return storage.getStore() ?? NOBODY;
}
