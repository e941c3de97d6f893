import { AsyncLocalStorage } from 'node:async_hooks';
import type { Party } from './fair-queue.ts';

const storage = new AsyncLocalStorage<Party>();

/** Background work. */
const NOBODY: Party = { lane: '', group: '' };

/** Runs work for a tenant, so that inner queues (threads, browsers) are fair too. */
export function runOnBehalf<T>(party: Party, work: () => T): T {
  return storage.run(party, work);
}

export function currentParty(): Party {
  return storage.getStore() ?? NOBODY;
}
