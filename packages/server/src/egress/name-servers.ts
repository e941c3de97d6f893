import { Resolver } from 'node:dns/promises';

/** Milliseconds that the addresses of one family wait for those of the other: some name servers never answer for IPv6. */
const OTHER_FAMILY_MS = 1000;
/** By these a server says that it cannot tell, which another one may; c-ares takes them for the answer. */
const CANNOT_TELL = new Set(['ESERVFAIL', 'EREFUSED', 'ENOTIMP']);
/** Lists of servers of one party: the system's rarely change. */
const MAX_LISTS = 16;

/**
 * Asks name servers by c-ares: any number of questions at a time, none of which holds a thread, as `dns.lookup` does.
 * Names are asked for as they are, without search domains.
 */
export class NameServers {
  readonly #timeoutMs: number;
  readonly #resolvers = new Map<string, Resolver>();

  /** @param timeoutMs after which a question is given up, with all its repeats */
  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Every address of a name, IPv4 first.
   * @param servers `address` or `address:port`, in the order in which they are asked
   * @throws an error with the code of c-ares
   */
  async ask(host: string, servers: readonly string[]): Promise<readonly string[]> {
    let failure: unknown;
    for (const list of [servers, ...(servers.length > 1 ? servers.map((server) => [server]) : [])]) {
      try {
        // One after the other: the next is asked only where this one could not tell.
        return await askBothFamilies(this.#resolverOf(list), host);
      } catch (error) {
        if (!CANNOT_TELL.has(codeOf(error))) throw error;
        failure = error;
      }
    }
    throw failure;
  }

  /** Ends the questions under way (`ECANCELLED`). */
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
      if (this.#resolvers.size >= MAX_LISTS) this.#resolvers.clear();
      this.#resolvers.set(key, resolver);
    }
    return resolver;
  }
}

/** Whatever comes too late is left out, and therefore never connected to. */
async function askBothFamilies(resolver: Resolver, host: string): Promise<readonly string[]> {
  const families = [resolver.resolve4(host), resolver.resolve6(host)];
  await Promise.any(families).catch(({ errors }: AggregateError) => {
    throw errors.find((error) => codeOf(error) === 'ETIMEOUT') ?? errors[0];
  });
  const late = Promise.withResolvers<string[]>();
  const timer = setTimeout(late.resolve, OTHER_FAMILY_MS, []);
  try {
    const answers = families.map((family) => Promise.race([family.catch(() => []), late.promise]));
    return (await Promise.all(answers)).flat();
  } finally {
    clearTimeout(timer);
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? '';
}
