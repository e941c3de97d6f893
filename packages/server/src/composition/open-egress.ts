import { ConfigError } from '../config/config.ts';
import type { Config } from '../config/config.ts';
import { compileEgressPolicy } from '../egress/policy/egress-policy.ts';
import { createEgress } from '../egress/egress.ts';
import type { Egress, EgressOptions } from '../egress/egress.ts';
import { compileRoute } from '../egress/dialing/upstream-routes.ts';

/**
 * Opens the one egress guard of a process: pages, robots.txt, sitemaps and webhooks share its resolver and connections.
 * @throws {ConfigError} for every invalid rule and unknown proxy
 */
export function openEgress(config: Config): Egress {
  return createEgress(readEgressOptions(config));
}

function readEgressOptions(config: Config): EgressOptions {
  const { upstreamProxy, upstreamProxies: named, upstreamBypass: bypass } = config;
  const rules = { allow: config.egressAllow, deny: config.egressDeny };
  const upstream = { named, bypass, ...(upstreamProxy === null ? {} : { proxy: upstreamProxy }) };
  const proxies = [...(upstreamProxy === null ? [] : [upstreamProxy]), ...named.values()];
  const projects = [...config.projectEgress];
  const offered = config.requestProxies;
  const faults = [
    ...proxies
      .slice(0, 1)
      .flatMap((proxy) => findFault('WINNOW_UPSTREAM_BYPASS, NO_PROXY', () => compileRoute({ proxy, bypass }))),
    ...projects.flatMap(([id, project]) => [
      ...findFault(`WINNOW_PROJECT_EGRESS: ${id}`, () => compileEgressPolicy(project)),
      ...findFault(`WINNOW_PROJECT_EGRESS: ${id}`, () => compileRoute({ named }, project.proxy)),
    ]),
    ...offered.flatMap((name) => findFault('WINNOW_REQUEST_PROXIES', () => compileRoute({ named }, name))),
  ];
  if (faults.length > 0) throw new ConfigError(faults);
  return { rules, upstream, extraCa: config.authorities };
}

function findFault(where: string, read: () => unknown): string[] {
  try {
    read();
    return [];
  } catch (error) {
    return [`${where}: ${error instanceof Error ? error.message : 'unreadable'}`];
  }
}
