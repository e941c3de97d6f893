import type { EngineName } from '@winnow/contract';
import type { HostMemory } from '../../domain/ports.ts';
import { RecentMap } from '../../domain/recent-map.ts';

const MAX_HOSTS = 10_000;

/** Remembers hosts as long as the process lives; for uses without a database, such as the command line. */
export function createHostMemory(): HostMemory {
  const hosts = new RecentMap<string, EngineName>(MAX_HOSTS);
  return {
    recall: async (host) => hosts.get(host),
    remember: async (host, engine) => hosts.set(host, engine),
  };
}
