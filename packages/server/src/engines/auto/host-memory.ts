import type { EngineName } from '@winnow/contract';
import { LRUCache } from 'lru-cache';
import { PROBATION_INTERVAL_MS, type HostMemory } from '../../domain/capture/capture-ports.ts';

const MAX_HOSTS = 10_000;

interface Remembered {
  readonly engine: EngineName;
  /** Time of the entry, or of the last retry with plain HTTP. */
  readonly at: number;
}

/** Host memory for the command line. */
export function createHostMemory(now: () => number = () => performance.now()): HostMemory {
  const hosts = new LRUCache<string, Remembered>({ max: MAX_HOSTS });
  return {
    recall: async (host) => hosts.get(host)?.engine,
    remember: async (host, engine) => void hosts.set(host, { engine, at: now() }),
    async claimProbation(host) {
      const known = hosts.get(host);
      if (known === undefined || known.engine === 'http' || now() - known.at < PROBATION_INTERVAL_MS) return false;
      hosts.set(host, { ...known, at: now() });
      return true;
    },
  };
}

const MAX_RECENT_HOSTS = 10_000;
/** Delay until changes by other processes are seen. */
const MAX_AGE_MS = 2000;

export function createRecentHostMemory(memory: HostMemory): HostMemory {
  const recent = new LRUCache<string, EngineName | 'unknown'>({ max: MAX_RECENT_HOSTS, ttl: MAX_AGE_MS });
  const claimed = new LRUCache<string, true>({ max: MAX_RECENT_HOSTS, ttl: MAX_AGE_MS });
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
