import { Agent } from 'undici';
import type { Dispatcher } from 'undici';
import type { EgressRules, ProjectEgress } from '../domain/ports.ts';
import { createDial } from './dial.ts';
import type { Dial } from './dial.ts';
import { compileEgressPolicy } from './egress-policy.ts';
import type { EgressPolicy } from './egress-policy.ts';
import { createGuardedConnector, createTrust } from './guarded-connector.ts';
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

/** @throws {TypeError} naming a rule that cannot be read. */
export function createEgress(options: EgressOptions): Egress {
  const resolver = createResolver({ servers: options.dnsServers ?? [] });
  const trust = createTrust(options.extraCa);
  const gates = new Map<string, EgressGate & { readonly agent: Agent }>();
  const ownPolicy = compileEgressPolicy(options.rules);
  return {
    gate(project) {
      const policy = project ? compileEgressPolicy(options.rules, rulesOf(project)) : ownPolicy;
      const key = JSON.stringify([project?.proxy ?? null, policy.key]);
      const known = gates.get(key);
      if (known) return known;
      const proxyFor = compileRoute(options.upstream ?? {}, project?.proxy);
      const dialFor = (names: Resolver): Dial => createDial({ policy, resolver: names, proxyFor });
      const agent = new Agent({
        connect: createGuardedConnector(dialFor(resolver), trust),
        connections: 32,
        keepAliveTimeout: 10_000,
        maxHeaderSize: 65_536,
      });
      const gate = { key, policy, agent, dispatcher: agent, openLane: laneOpener(resolver, dialFor) };
      gates.set(key, gate);
      evictOldest(gates);
      return gate;
    },
    async close() {
      resolver.close();
      await Promise.all([...gates.values()].map((gate) => gate.agent.destroy()));
      gates.clear();
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

function evictOldest(gates: Map<string, { readonly agent: Agent }>): void {
  const [oldest] = gates;
  if (gates.size <= MAX_GATES || !oldest) return;
  gates.delete(oldest[0]);
  // Requests under way on the evicted pool finish first.
  oldest[1].agent.close().catch(() => {});
}
