import { lookup, Resolver as DnsResolver } from 'node:dns/promises';
import { AppError } from '../domain/errors.ts';

/** Turns host names into addresses. */
export interface Resolver {
  /**
   * Every address of a name, in the order in which they should be tried.
   * @throws {AppError} `dns_failed` when there is none.
   */
  resolve(host: string): Promise<readonly string[]>;
}

export interface ResolverOptions {
  /** Name servers to ask (`address` or `address:port`); none: the system's resolver, hosts file included. */
  readonly servers?: readonly string[];
  /** Milliseconds for which an answer is used again. Every connection checks it anew. Default 5000. */
  readonly cacheMs?: number;
  /** Milliseconds after which a name counts as unresolvable. Default 8000. */
  readonly timeoutMs?: number;
}

const MAX_CACHED_NAMES = 2000;

export function createResolver(options: ResolverOptions = {}): Resolver {
  const { servers = [], cacheMs = 5000, timeoutMs = 8000 } = options;
  const ask = servers.length > 0 ? askServers(servers, timeoutMs) : askSystem;
  const cache = new Map<string, { readonly until: number; readonly answer: Promise<readonly string[]> }>();
  return {
    resolve(host) {
      const now = performance.now();
      const cached = cache.get(host);
      if (cached && cached.until > now) return cached.answer;
      const answer = withTimeout(ask(host), timeoutMs).then(requireAnswer(host), failWith(host));
      cache.delete(host);
      cache.set(host, { until: now + cacheMs, answer });
      answer.catch(() => cache.delete(host));
      const oldest = cache.size > MAX_CACHED_NAMES ? cache.keys().next().value : undefined;
      if (oldest !== undefined) cache.delete(oldest);
      return answer;
    },
  };
}

type Ask = (host: string) => Promise<readonly string[]>;

const askSystem: Ask = async (host) => {
  const answers = await lookup(host, { all: true, order: 'verbatim' });
  return answers.map((answer) => answer.address);
};

function askServers(servers: readonly string[], timeoutMs: number): Ask {
  const resolver = new DnsResolver({ timeout: Math.ceil(timeoutMs / 3), tries: 2 });
  resolver.setServers(servers);
  return async (host) => {
    const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    if (four.status === 'rejected' && six.status === 'rejected') throw four.reason;
    return [four, six].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  };
}

async function withTimeout<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  });
  return Promise.race([work, limit]).finally(() => clearTimeout(timer));
}

function requireAnswer(host: string): (addresses: readonly string[]) => readonly string[] {
  return (addresses) => {
    if (addresses.length === 0) throw new AppError('dns_failed', `the host name ${host} has no address`);
    return addresses;
  };
}

function failWith(host: string): (cause: unknown) => never {
  return (cause) => {
    const code = (cause as NodeJS.ErrnoException).code ?? (cause as Error).message;
    throw new AppError('dns_failed', `the host name ${host} could not be resolved (${code})`, { cause });
  };
}
