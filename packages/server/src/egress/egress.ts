import type { Dispatcher } from 'undici';
import type { EgressRules, ProjectEgress } from '../domain/capture/capture-ports.ts';
import { createConnectionPool } from './dialing/connection-pool.ts';
import type { ConnectionPool } from './dialing/connection-pool.ts';
import { createDial } from './dialing/dial.ts';
import type { Dial } from './dialing/dial.ts';
import { compileEgressPolicy } from './policy/egress-policy.ts';
import type { EgressPolicy } from './policy/egress-policy.ts';
import { createTrust } from './dialing/guarded-connector.ts';
import { openProxyLane } from './proxy-lane.ts';
import type { ProxyLane } from './proxy-lane.ts';
import { createResolver } from './names/resolver.ts';
import type { Resolver, SharedResolver } from './names/resolver.ts';
import { compileRoute } from './dialing/upstream-routes.ts';
import type { UpstreamOptions } from './dialing/upstream-routes.ts';

export interface EgressOptions {
  readonly rules: EgressRules;
  /** Name servers (`address` or `address:port`); empty: the system's resolver. */
  readonly dnsServers?: readonly string[];
  /** Upstream proxies; the address policy applies before them. */
  readonly upstream?: UpstreamOptions;
  /** Additional trusted certificates (PEM). */
  readonly extraCa?: readonly string[];
}

/** Egress guard: network access under one policy. */
export interface EgressGate {
  /** Identifies the rules and the proxy. */
  readonly key: string;
  readonly policy: EgressPolicy;
  /** Sends HTTP requests; requests under one policy share kept-alive connections. */
  readonly dispatcher: Dispatcher;
  /** Opens a browser proxy for one capture. */
  openLane(limits: { readonly maxBytes: number; readonly listenHost?: string }): Promise<ProxyLane>;
}

export interface Egress {
  /**
   * Returns the guard for the deployment's rules plus a project's rules and proxy.
   * @throws {TypeError} naming an invalid rule or an unknown proxy
   */
  gate(project?: ProjectEgress): EgressGate;
  close(): Promise<void>;
}

/** Cached guards, each with a connection pool: few projects have rules of their own. */
const MAX_GATES = 64;

interface PooledGate extends EgressGate {
  readonly pool: ConnectionPool;
}

/** @throws {TypeError} naming an invalid rule */
export function createEgress(options: EgressOptions): Egress {
  const resolver = createResolver({ servers: options.dnsServers ?? [] });
  const trust = createTrust(options.extraCa);
  const gates = new GateCache(MAX_GATES);
  const ownPolicy = compileEgressPolicy(options.rules);
  return {
    gate(project) {
      const policy = project ? compileEgressPolicy(options.rules, rulesOf(project)) : ownPolicy;
      const key = JSON.stringify([project?.proxy ?? null, policy.key]);
      return gates.get(key, () => {
        const proxyFor = compileRoute(options.upstream ?? {}, project?.proxy);
        const dialFor = (names: Resolver): Dial => createDial({ policy, resolver: names, proxyFor });
        const pool = createConnectionPool(dialFor(resolver), trust);
        return { key, policy, pool, dispatcher: pool.dispatcher, openLane: laneOpener(resolver, dialFor) };
      });
    },
    async close() {
      resolver.close();
      await gates.close();
    },
  };
}

function rulesOf({ allow, deny }: ProjectEgress): EgressRules {
  return { allow, deny };
}

function laneOpener(resolver: SharedResolver, dialFor: (names: Resolver) => Dial): EgressGate['openLane'] {
  return (limits) => {
    const names = resolver.openParty();
    return openProxyLane({ dial: dialFor(names), onClose: () => names.close(), ...limits });
  };
}

/** Cache of the most recently used guards. */
class GateCache {
  readonly #limit: number;
  readonly #gates = new Map<string, PooledGate>();
  /** Pools of evicted guards. Their users may continue; idle connections close themselves. */
  #evicted: WeakRef<ConnectionPool>[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(key: string, create: () => PooledGate): EgressGate {
    const gate = this.#gates.get(key) ?? create();
    this.#gates.delete(key);
    this.#gates.set(key, gate);
    const [oldest] = this.#gates;
    if (oldest !== undefined && this.#gates.size > this.#limit) {
      this.#gates.delete(oldest[0]);
      this.#evicted = [...this.#evicted.filter((pool) => pool.deref() !== undefined), new WeakRef(oldest[1].pool)];
    }
    return gate;
  }

  async close(): Promise<void> {
    const evicted = this.#evicted.flatMap((pool) => pool.deref() ?? []);
    const pools = [...evicted, ...[...this.#gates.values()].map(({ pool }) => pool)];
    this.#gates.clear();
    this.#evicted = [];
    await Promise.all(pools.map((pool) => pool.destroy()));
  }
}
