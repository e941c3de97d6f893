import { LRUCache } from 'lru-cache';
import type { Dispatcher } from 'undici';
import type { EgressRules, ProjectEgress } from '../domain/capture/capture-ports.ts';
import { createConnectionPool, createTrust, type ConnectionPool } from './dialing/connection-pool.ts';
import { createDial, type Dial } from './dialing/dial.ts';
import { compilePolicyIn, type EgressPolicy } from './policy/egress-policy.ts';
import { WatchedNetwork, type OwnNetworkOptions } from './policy/own-network.ts';
import { openBrowserProxy, type BrowserProxy, type BrowserProxyOptions } from './browser-proxy.ts';
import { createResolver, type Resolver, type SharedResolver } from './names/resolver.ts';
import { compileRoute, type UpstreamOptions } from './dialing/upstream-routes.ts';

export interface EgressOptions {
  readonly rules: EgressRules;
  /** Empty: the system's resolver. */
  readonly dnsServers?: readonly string[];
  readonly upstream?: UpstreamOptions;
  /** Default: those of the system. */
  readonly listInterfaces?: OwnNetworkOptions['listInterfaces'];
  /** Additional certificates (PEM). */
  readonly extraCa?: readonly string[];
}

/** Egress guard: network access under one policy. */
export interface EgressGuard {
  /** Identifies the rules and the proxy. */
  readonly key: string;
  readonly policy: EgressPolicy;
  /** Requests under one policy share connections. */
  readonly dispatcher: Dispatcher;
  openBrowserProxy(limits: Omit<BrowserProxyOptions, 'dial' | 'onClose'>): Promise<BrowserProxy>;
}

export interface Egress {
  /**
   * Returns the guard for the rules of the deployment and a project.
   * @throws {TypeError} naming an invalid rule or an unknown proxy
   */
  guard(project?: ProjectEgress): EgressGuard;
  close(): Promise<void>;
}

/** Few projects have rules of their own. */
const MAX_GUARDS = 64;

interface PooledGuard extends EgressGuard {
  readonly pool: ConnectionPool;
}

export function createEgress(options: EgressOptions): Egress {
  const resolver = createResolver({ servers: options.dnsServers ?? [] });
  const trust = createTrust(options.extraCa);
  const guards = new GuardCache();
  const network = new WatchedNetwork({
    resolve: (host) => resolver.resolve(host),
    ...(options.listInterfaces === undefined ? {} : { listInterfaces: options.listInterfaces }),
  });
  const discoverTranslators = (): Promise<void> => network.discoverTranslators();
  const ownPolicy = compilePolicyIn(network, options.rules);
  return {
    guard(project) {
      const policy = project ? compilePolicyIn(network, options.rules, rulesOf(project)) : ownPolicy;
      const key = JSON.stringify([project?.proxy ?? null, policy.key]);
      return guards.get(key, () => {
        const proxyFor = compileRoute(options.upstream ?? {}, project?.proxy);
        const dialFor = (names: Resolver): Dial =>
          createDial({ policy, resolver: names, discoverTranslators, proxyFor });
        const pool = createConnectionPool(dialFor(resolver), trust);
        return { key, policy, pool, dispatcher: pool.dispatcher, openBrowserProxy: proxyOpener(resolver, dialFor) };
      });
    },
    async close() {
      resolver.close();
      await guards.close();
    },
  };
}

function rulesOf({ allow, deny }: ProjectEgress): EgressRules {
  return { allow, deny };
}

function proxyOpener(resolver: SharedResolver, dialFor: (names: Resolver) => Dial): EgressGuard['openBrowserProxy'] {
  return (limits) => {
    const names = resolver.openSession();
    return openBrowserProxy({ dial: dialFor(names), onClose: () => names.close(), ...limits });
  };
}

class GuardCache {
  /** Evicted guards may still be in use. */
  #evicted: WeakRef<ConnectionPool>[] = [];
  readonly #guards = new LRUCache<string, PooledGuard>({
    max: MAX_GUARDS,
    dispose: ({ pool }, _key, reason) => {
      if (reason === 'evict') this.#evicted = [...this.#listEvicted(), pool].map((one) => new WeakRef(one));
    },
  });

  get(key: string, create: () => PooledGuard): EgressGuard {
    const known = this.#guards.get(key);
    if (known !== undefined) return known;
    const guard = create();
    this.#guards.set(key, guard);
    return guard;
  }

  async close(): Promise<void> {
    const pools = [...this.#listEvicted(), ...[...this.#guards.values()].map(({ pool }) => pool)];
    this.#guards.clear();
    this.#evicted = [];
    await Promise.all(pools.map((pool) => pool.destroy()));
  }

  #listEvicted(): ConnectionPool[] {
    return this.#evicted.flatMap((pool) => pool.deref() ?? []);
  }
}
