import type { EngineName } from '@winnow/contract';
import type { HostMemory } from '../../domain/capture/capture-ports.ts';
import { LRUCache } from 'lru-cache';

const MAX_HOSTS = 10_000;
/** Delay until changes by other processes are seen. */
const MAX_AGE_MS = 2000;

export function createRecentHostMemory(memory: HostMemory): HostMemory {
  const recent = new LRUCache<string, EngineName | 'unknown'>({ max: MAX_HOSTS, ttl: MAX_AGE_MS });
  const claimed = new LRUCache<string, true>({ max: MAX_HOSTS, ttl: MAX_AGE_MS });
  return {
    async recall(host) {
      const known = recent.get(host);
      if (known !== undefined) return known === 'unknown' ? undefined : known;
      const engine = await memory.recall(host);
      recent.set(host, engine ?? 'unknown');
      return engine;
    },
    async remember(host, engine) {
      await memory.remember(host, engine);
      recent.set(host, engine);
    },
    async claimProbation(host) {
      if (claimed.get(host) === true) return false;
      claimed.set(host, true);
      return memory.claimProbation(host);
    },
  };
}
