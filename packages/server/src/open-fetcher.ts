import { ConfigError } from './config.ts';
import type { Config } from './config.ts';
import type { CaptureJudge, EgressRules, HostMemory, Logger } from './domain/ports.ts';
import { compileEgressPolicy } from './egress/egress-policy.ts';
import { createFetcher } from './engines/create-fetcher.ts';
import type { EngineFetcher } from './engines/create-fetcher.ts';

export interface OpenFetcherParts {
  readonly judge: CaptureJudge;
  readonly memory: HostMemory;
  readonly logger: Logger;
}

/**
 * The engines as the configuration wants them.
 * @throws {ConfigError} for an egress rule that cannot be read, and for settings of remote browsers that lack others
 */
export function openFetcher(config: Config, parts: Partial<OpenFetcherParts>): EngineFetcher {
  const egress = { allow: config.egressAllow, deny: config.egressDeny };
  requireReadableRules('WINNOW_EGRESS_ALLOW, WINNOW_EGRESS_DENY', egress);
  for (const rules of config.projectEgress.values()) requireReadableRules('WINNOW_PROJECT_EGRESS', rules);
  requireWholeFleet(config);
  const { chromiumPath, browserConcurrency, userAgent, upstreamProxy, cdpLaneHost, cdpLaneListen } = config;
  return createFetcher({
    ...parts,
    egress,
    cdpUrls: config.cdpUrls,
    cdpForAll: config.cdpForAll,
    browserQueue: config.maxQueue,
    maxPageBytes: config.maxPageBytes,
    maxRedirects: config.maxRedirects,
    ...(chromiumPath === null ? {} : { browserExecutables: [chromiumPath] }),
    ...(browserConcurrency === null ? {} : { browserConcurrency }),
    ...(cdpLaneHost === null ? {} : { cdpLaneHost }),
    ...(cdpLaneListen === null ? {} : { cdpLaneListenHost: cdpLaneListen }),
    ...(userAgent === null ? {} : { userAgent }),
    ...(upstreamProxy === null ? {} : { upstreamProxy: new URL(upstreamProxy) }),
  });
}

function requireReadableRules(names: string, rules: EgressRules): void {
  try {
    compileEgressPolicy(rules);
  } catch (error) {
    throw new ConfigError([`${names}: ${error instanceof Error ? error.message : 'unreadable'}`]);
  }
}

/** Browsers elsewhere need a place where the lanes listen and a name under which to find it; without browsers neither has a use. */
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
