import type { EngineName } from '@winnow/contract';
import { PROBATION_INTERVAL_MS } from '../../domain/capture/capture-ports.ts';
import type { HostMemory } from '../../domain/capture/capture-ports.ts';
import { LRUCache } from 'lru-cache';

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
