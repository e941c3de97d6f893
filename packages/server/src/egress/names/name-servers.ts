import { Resolver } from 'node:dns/promises';
import { LRUCache } from 'lru-cache';
import { within } from '../../domain/shared/within.ts';

/** Limit for waiting for the other family: some servers never answer for IPv6. */
const OTHER_FAMILY_MS = 1000;
/** The server cannot answer, so the next one is asked; c-ares treats these codes as final. */
const CANNOT_TELL = new Set(['ESERVFAIL', 'EREFUSED', 'ENOTIMP']);
const MAX_LISTS = 16;

/** Asks name servers with c-ares, which blocks no thread, unlike `dns.lookup`. Ignores search domains. */
export class NameServers {
  readonly #timeoutMs: number;
  readonly #resolvers = new LRUCache<string, Resolver>({ max: MAX_LISTS });

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Returns IPv4 addresses first.
   * @param servers `address` or `address:port`, in order of preference
   */
  async ask(host: string, servers: readonly string[]): Promise<readonly string[]> {
    let failure: unknown;
    for (const list of [servers, ...(servers.length > 1 ? servers.map((server) => [server]) : [])]) {
      try {
        return await askBothFamilies(this.#resolverOf(list), host);
      } catch (error) {
        if (!CANNOT_TELL.has(codeOf(error))) throw error;
        failure = error;
      }
    }
    throw failure;
  }

  cancel(): void {
    for (const resolver of this.#resolvers.values()) resolver.cancel();
    this.#resolvers.clear();
  }

  #resolverOf(servers: readonly string[]): Resolver {
    const key = servers.join(' ');
    let resolver = this.#resolvers.get(key);
    if (resolver === undefined) {
      resolver = new Resolver({
        timeout: Math.ceil(this.#timeoutMs / 8),
        tries: 4,
        maxTimeout: Math.ceil(this.#timeoutMs / 4),
      });
      resolver.setServers(servers);
      this.#resolvers.set(key, resolver);
    }
    return resolver;
  }
}

/** Omits late addresses; nothing connects to them. */
async function askBothFamilies(resolver: Resolver, host: string): Promise<readonly string[]> {
  const families = [resolver.resolve4(host), resolver.resolve6(host)];
  await Promise.any(families).catch(({ errors }: AggregateError) => {
    throw errors.find((error) => codeOf(error) === 'ETIMEOUT') ?? errors[0];
  });
  const answers = families.map((family) =>
    within<string[], string[]>(
      family.catch(() => []),
      OTHER_FAMILY_MS,
      () => [],
    ),
  );
  return (await Promise.all(answers)).flat();
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? '';
}
