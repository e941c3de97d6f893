import { AsyncLocalStorage } from 'node:async_hooks';
import type { Party } from './fair-queue.ts';

const storage = new AsyncLocalStorage<Party>();

/** Work that nobody asked for, such as checks and learning in the background. */
const NOBODY: Party = { lane: '', group: '' };

/** Runs work on behalf of a party, so that queues deeper down (threads, browsers) can be fair too. */
export function runOnBehalf<T>(party: Party, work: () => T): T {
  return storage.run(party, work);
}

/** On whose behalf the current work runs. */
export function currentParty(): Party {
  return storage.getStore() ?? NOBODY;
}
