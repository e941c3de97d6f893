import type { HostMemory } from '../../domain/ports.ts';
import type { EngineName } from '@winnow/contract';

const MAX_HOSTS = 10_000;

/** Remembers hosts as long as the process lives; for uses without a database, such as the command line. */
export function createHostMemory(): HostMemory {
  const hosts = new Map<string, EngineName>();
  return {
    async recall(host) {
      return hosts.get(host);
    },
    async remember(host, engine) {
      hosts.delete(host);
      hosts.set(host, engine);
      const oldest = hosts.size > MAX_HOSTS ? hosts.keys().next().value : undefined;
      if (oldest !== undefined) hosts.delete(oldest);
    },
  };
}
