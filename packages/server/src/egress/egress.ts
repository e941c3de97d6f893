import type { Dispatcher } from 'undici';
import type { EgressRules, ProjectEgress } from '../domain/ports.ts';
import { createConnectionPool } from './connection-pool.ts';
import type { ConnectionPool } from './connection-pool.ts';
import { createDial } from './dial.ts';
import type { Dial } from './dial.ts';
import { compileEgressPolicy } from './egress-policy.ts';
import type { EgressPolicy } from './egress-policy.ts';
import { createTrust } from './guarded-connector.ts';
import { openProxyLane } from './proxy-lane.ts';
import type { ProxyLane } from './proxy-lane.ts';
import { createResolver } from './resolver.ts';
import type { Resolver, SharedResolver } from './resolver.ts';
import { compileRoute } from './upstream-routes.ts';
import type { UpstreamOptions } from './upstream-routes.ts';

export interface EgressOptions {
  /** Rules of the deployment. */
  readonly rules: EgressRules;
  /** Name servers (`address` or `address:port`); none: the system's resolver. */
  readonly dnsServers?: readonly string[];
  /** Proxies through which everything goes out; the address policy is applied before them. */
  readonly upstream?: UpstreamOptions;
  /** Certificates (PEM) that are trusted besides those of the runtime. */
  readonly extraCa?: readonly string[];
}

/** The one door to the network, bound to a policy. */
export interface EgressGate {
  /** The same for the same rules and the same proxy. */
  readonly key: string;
  readonly policy: EgressPolicy;
  /** Sends HTTP requests; connections are kept alive and shared among requests under one policy. */
  readonly dispatcher: Dispatcher;
  /** Opens a browser's way out for one capture. */
  openLane(limits: { readonly maxBytes: number; readonly listenHost?: string }): Promise<ProxyLane>;
}

export interface Egress {
  /**
   * The gate under the deployment's rules, with a project's rules on top, through the proxy that the project names.
   * @throws {TypeError} naming a rule that cannot be read or a proxy that is not listed.
   */
  gate(project?: ProjectEgress): EgressGate;
  close(): Promise<void>;
}

/** Gates kept, each with its pool of connections: projects with rules of their own are few. */
const MAX_GATES = 64;

interface PooledGate extends EgressGate {
  readonly pool: ConnectionPool;
}

/** @throws {TypeError} naming a rule that cannot be read. */
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

/** The gates that were used last. */
class GateCache {
  readonly #limit: number;
  readonly #gates = new Map<string, PooledGate>();
  /**
   * Pools of gates that made room. Whoever has such a gate goes on with it; nobody has to close it, as idle
   * connections end by themselves.
   */
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
