import { lookup } from 'node:dns/promises';
import { AppError } from '../domain/errors.ts';
import { RecentMap } from '../domain/recent-map.ts';
import { NameServers } from './name-servers.ts';
import { SystemFile } from './system-file.ts';
import { parseHosts, parseNameServers } from './system-names.ts';

/** Turns host names into addresses. */
export interface Resolver {
  /**
   * Every address of a name, in the order in which they should be tried.
   * @throws {AppError} `dns_failed` when there is none.
   */
  resolve(host: string): Promise<readonly string[]>;
}

/** A resolver for one party among many, such as a capture's lane. */
export interface PartyResolver extends Resolver {
  /** Ends the look-ups of the party that are under way; there will be no others. */
  close(): void;
}

export interface SharedResolver extends PartyResolver {
  /**
   * A resolver that knows what all know, and whose look-ups are its own: few at a time, so that a page of names that
   * nobody answers for keeps nobody waiting but itself, and none longer than the party is there.
   */
  openParty(): PartyResolver;
}

export interface ResolverOptions {
  /** Name servers to ask (`address` or `address:port`); none: what the system says, its hosts file included. */
  readonly servers?: readonly string[];
  /** Milliseconds for which an answer is used again. Every connection checks it anew. Default 5000. */
  readonly cacheMs?: number;
  /** Milliseconds after which a name counts as unresolvable. Default 8000. */
  readonly timeoutMs?: number;
  /** The system's own files. Default: /etc/hosts and /etc/resolv.conf. */
  readonly hostsFile?: string;
  readonly resolvConf?: string;
}

const MAX_CACHED_NAMES = 2000;
/** Milliseconds for which a name that nobody answered for is not asked for again. */
const TIMEOUT_MEMORY_MS = 5000;
/** Look-ups of one party at a time; browsers open no more than 32 connections through a proxy. */
const PARTY_LOOKUPS = 16;

export function createResolver(options: ResolverOptions = {}): SharedResolver {
  const { servers = [], cacheMs = 5000, timeoutMs = 8000 } = options;
  const { hostsFile = '/etc/hosts', resolvConf = '/etc/resolv.conf' } = options;
  const shared: Shared = {
    timeoutMs,
    answers: new RecentMap(MAX_CACHED_NAMES, cacheMs),
    timeouts: new RecentMap(MAX_CACHED_NAMES, TIMEOUT_MEMORY_MS),
    ask:
      servers.length > 0
        ? (host, names) => names.ask(host, servers)
        : askSystem(new SystemFile(hostsFile, parseHosts), new SystemFile(resolvConf, parseNameServers)),
  };
  const own = new Party(shared, Infinity);
  return {
    resolve: (host) => own.resolve(host),
    close: () => own.close(),
    openParty: () => new Party(shared, PARTY_LOOKUPS),
  };
}

type Ask = (host: string, names: NameServers) => Promise<readonly string[]>;

/** What all parties of a resolver have in common. */
interface Shared {
  readonly ask: Ask;
  /** Addresses by name. */
  readonly answers: RecentMap<string, readonly string[]>;
  /** Why a name has none as yet: nobody answered for it. */
  readonly timeouts: RecentMap<string, Error>;
  readonly timeoutMs: number;
}

/**
 * As the system resolves names: by its hosts file, then by its name servers. Where it names none, as on platforms
 * without a resolv.conf, it is asked itself, which takes a thread of the few for as long as that lasts.
 */
function askSystem(
  hosts: SystemFile<ReadonlyMap<string, readonly string[]>>,
  nameServers: SystemFile<readonly string[]>,
): Ask {
  return async (host, names) => {
    const written = (await hosts.read()).get(host) ?? localAddresses(host);
    if (written !== undefined) return written;
    const servers = await nameServers.read();
    if (servers.length > 0) return names.ask(host, servers);
    return (await lookup(host, { all: true, order: 'verbatim' })).map(({ address }) => address);
  };
}

/** RFC 6761, 6.3: these names are never asked for. */
function localAddresses(host: string): readonly string[] | undefined {
  return host === 'localhost' || host.endsWith('.localhost') ? ['127.0.0.1', '::1'] : undefined;
}

class Party implements PartyResolver {
  readonly #shared: Shared;
  readonly #names: NameServers;
  readonly #pending = new Map<string, Promise<readonly string[]>>();
  readonly #waiting: (() => void)[] = [];
  #freePlaces: number;
  #isClosed = false;

  constructor(shared: Shared, places: number) {
    this.#shared = shared;
    this.#names = new NameServers(shared.timeoutMs);
    this.#freePlaces = places;
  }

  async resolve(host: string): Promise<readonly string[]> {
    const { answers, timeouts } = this.#shared;
    const known = answers.get(host);
    if (known !== undefined) return known;
    const timeout = timeouts.get(host);
    if (timeout !== undefined) return refuse(host, timeout);
    let answer = this.#pending.get(host);
    if (answer === undefined) {
      answer = this.#lookUp(host).finally(() => this.#pending.delete(host));
      this.#pending.set(host, answer);
    }
    return answer;
  }

  close(): void {
    this.#isClosed = true;
    this.#names.cancel();
    for (const go of this.#waiting.splice(0)) go();
  }

  async #lookUp(host: string): Promise<readonly string[]> {
    await this.#takePlace();
    const { ask, timeoutMs, answers, timeouts } = this.#shared;
    try {
      if (this.#isClosed) throw coded('ECANCELLED', 'nobody waits for it any more');
      const addresses = await withTimeout(ask(host, this.#names), timeoutMs);
      answers.set(host, addresses);
      return addresses;
    } catch (error) {
      if (isTimeout(error)) timeouts.set(host, error);
      return refuse(host, error);
    } finally {
      this.#freePlaces += 1;
      this.#waiting.shift()?.();
    }
  }

  async #takePlace(): Promise<void> {
    while (this.#freePlaces <= 0 && !this.#isClosed) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#freePlaces -= 1;
  }
}

async function withTimeout<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(coded('ETIMEOUT', `no answer within ${timeoutMs} ms`)), timeoutMs);
  });
  return Promise.race([work, limit]).finally(() => clearTimeout(timer));
}

function isTimeout(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && error.code === 'ETIMEOUT';
}

function coded(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

function refuse(host: string, cause: unknown): never {
  const { code, message } = cause as NodeJS.ErrnoException;
  // A name server that does not answer may do so later; one that knows no such name goes on not knowing it.
  const retryable = code !== 'ENOTFOUND' && code !== 'ENODATA';
  throw new AppError('dns_failed', `the host name ${host} could not be resolved (${code ?? message})`, {
    retryable,
    cause,
  });
}
