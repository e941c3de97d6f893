import { lookup } from 'node:dns/promises';
import { LRUCache } from 'lru-cache';
import { AppError } from '../../domain/shared/errors.ts';
import { failLate, within } from '../../domain/shared/within.ts';
import { NameServers } from './name-servers.ts';
import { parseHosts, parseNameServers, SystemFile } from './system-names.ts';

export interface Resolver {
  /**
   * Returns addresses in order of preference.
   * @throws {AppError} `dns_failed`
   */
  resolve(host: string): Promise<readonly string[]>;
}

export interface ResolverSession extends Resolver {
  close(): void;
}

export interface SharedResolver extends ResolverSession {
  /** Opens a session with limited concurrency, so that a page with many dead names delays only itself. */
  openSession(): ResolverSession;
}

export interface ResolverOptions {
  /** Empty: the system's configuration, including its hosts file. */
  readonly servers?: readonly string[];
  /** 0: none. Every connection checks cached answers against the policy. Default 5000. */
  readonly cacheMs?: number;
  readonly timeoutMs?: number;
  /** Default: /etc/hosts and /etc/resolv.conf. */
  readonly hostsFile?: string;
  readonly resolvConf?: string;
}

const MAX_CACHED_NAMES = 2000;
const TIMEOUT_MEMORY_MS = 5000;
/** Browsers open at most 32 connections through a proxy. */
const SESSION_LOOKUPS = 16;

export function createResolver(options: ResolverOptions = {}): SharedResolver {
  const { servers = [], cacheMs = 5000, timeoutMs = 8000 } = options;
  const { hostsFile = '/etc/hosts', resolvConf = '/etc/resolv.conf' } = options;
  const shared: Shared = {
    timeoutMs,
    answers: cacheMs === 0 ? undefined : new LRUCache({ max: MAX_CACHED_NAMES, ttl: cacheMs }),
    timeouts: new LRUCache({ max: MAX_CACHED_NAMES, ttl: TIMEOUT_MEMORY_MS }),
    ask:
      servers.length > 0
        ? (host, names) => names.ask(host, servers)
        : askSystem(new SystemFile(hostsFile, parseHosts), new SystemFile(resolvConf, parseNameServers)),
  };
  const own = new Session(shared, Infinity);
  return {
    resolve: (host) => own.resolve(host),
    close: () => own.close(),
    openSession: () => new Session(shared, SESSION_LOOKUPS),
  };
}

type Ask = (host: string, names: NameServers) => Promise<readonly string[]>;

interface Shared {
  readonly ask: Ask;
  /** Undefined: answers are not cached. */
  readonly answers: LRUCache<string, readonly string[]> | undefined;
  readonly timeouts: LRUCache<string, Error>;
  readonly timeoutMs: number;
}

/** Without resolv.conf it uses the system resolver, which occupies a pool thread. */
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

/** Resolves names that must not be queried (RFC 6761, 6.3). */
function localAddresses(host: string): readonly string[] | undefined {
  return host === 'localhost' || host.endsWith('.localhost') ? ['127.0.0.1', '::1'] : undefined;
}

class Session implements ResolverSession {
  readonly #shared: Shared;
  readonly #names: NameServers;
  readonly #pending = new Map<string, Promise<readonly string[]>>();
  readonly #waiting: (() => void)[] = [];
  #freeSlots: number;
  #isClosed = false;

  constructor(shared: Shared, slots: number) {
    this.#shared = shared;
    this.#names = new NameServers(shared.timeoutMs);
    this.#freeSlots = slots;
  }

  async resolve(host: string): Promise<readonly string[]> {
    const { answers, timeouts } = this.#shared;
    const known = answers?.get(host);
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
    await this.#takeSlot();
    const { ask, timeoutMs, answers, timeouts } = this.#shared;
    try {
      if (this.#isClosed) throw Object.assign(new Error('the session was closed'), { code: 'ECANCELLED' });
      const addresses = await within(ask(host, this.#names), timeoutMs, failLate(timeoutMs, 'ETIMEOUT'));
      answers?.set(host, addresses);
      return addresses;
    } catch (error) {
      if (isTimeout(error)) timeouts.set(host, error);
      return refuse(host, error);
    } finally {
      this.#freeSlots += 1;
      this.#waiting.shift()?.();
    }
  }

  async #takeSlot(): Promise<void> {
    while (this.#freeSlots <= 0 && !this.#isClosed) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#freeSlots -= 1;
  }
}

function isTimeout(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && error.code === 'ETIMEOUT';
}

function refuse(host: string, cause: unknown): never {
  const { code, message } = cause as NodeJS.ErrnoException;
  // Timeouts may be temporary; a missing name is final.
  const retryable = code !== 'ENOTFOUND' && code !== 'ENODATA';
  throw new AppError('dns_failed', `the host name ${host} could not be resolved (${code ?? message})`, {
    retryable,
    cause,
  });
}
