import { ConfigError, startsBrowsers, type Config } from '../config/config.ts';
import { browserConcurrency, workerMemoryBytes, workerThreadCount } from '../config/machine.ts';
import { createFetcher, type EngineFetcher, type FetcherOptions } from '../engines/create-fetcher.ts';
import { createEgress, type Egress, type EgressOptions } from '../egress/egress.ts';
import { DocumentProcesses } from '../workers/documents/document-processes.ts';
import { compileEgressPolicy } from '../egress/policy/egress-policy.ts';
import { compileRoute } from '../egress/dialing/upstream-routes.ts';

type OpenFetcherParts = Pick<FetcherOptions, 'egress' | 'memory' | 'logger' | 'documents'>;

/** @throws {ConfigError} for incomplete settings of remote browsers */
export function openFetcher(config: Config, parts: OpenFetcherParts): EngineFetcher {
  requireWholeFleet(config);
  return createFetcher({ ...readFetcherOptions(config), ...parts });
}

export function readFetcherOptions(config: Config): Omit<FetcherOptions, 'egress'> {
  const { chromiumPath, cdpLaneHost, cdpLaneListen } = config;
  return {
    browserConcurrency: browserConcurrency(config),
    userAgent: config.userAgent,
    cdpUrls: config.cdpUrls,
    cdpForAll: config.cdpForAll,
    browserQueue: config.maxQueue,
    recycleAboveBytes: config.browserMemoryBytes,
    browserIdleMs: config.browserIdleMs,
    isSandboxOff: config.chromiumSandbox === 'off',
    acceptLanguage: config.acceptLanguage,
    authorities: config.authorities,
    maxPageBytes: config.maxPageBytes,
    maxRedirects: config.maxRedirects,
    ...(chromiumPath === null ? {} : { browserExecutables: startsBrowsers(config) ? [chromiumPath] : [] }),
    ...(cdpLaneHost === null ? {} : { cdpLaneHost }),
    ...(cdpLaneListen === null ? {} : { cdpLaneListenHost: cdpLaneListen }),
  };
}

function requireWholeFleet({ cdpUrls, cdpForAll, cdpLaneHost, cdpLaneListen }: Config): void {
  const isRemote = cdpLaneHost !== null || cdpLaneListen !== null;
  const faults = [
    ...(isRemote && (cdpLaneHost === null || cdpLaneListen === null)
      ? ['WINNOW_CDP_LANE_HOST, WINNOW_CDP_LANE_LISTEN: both or neither must be set']
      : []),
    ...((isRemote || cdpForAll) && cdpUrls.length === 0
      ? ['WINNOW_CDP_URLS: must be set where WINNOW_CDP_FOR_ALL or WINNOW_CDP_LANE_HOST is']
      : []),
  ];
  if (faults.length > 0) throw new ConfigError(faults);
}

/** Processes that convert PDFs and other documents; they start on demand. */
export function openDocuments(config: Config): DocumentProcesses {
  return new DocumentProcesses({
    processes: Math.ceil(workerThreadCount(config) / 2),
    memoryBytes: workerMemoryBytes(config),
    maxQueue: config.maxQueue,
    maxPages: config.maxPdfPages,
    maxCharacters: config.maxPageBytes,
  });
}

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
