import { ConfigError, startsBrowsers } from '../config/config.ts';
import type { Config } from '../config/config.ts';
import { browserConcurrency } from '../config/machine.ts';
import type { HostMemory } from '../domain/capture/capture-ports.ts';
import type { DocumentConverter } from '../domain/capture/documents.ts';
import type { Logger } from '../domain/shared/ports.ts';
import { createFetcher } from '../engines/create-fetcher.ts';
import type { EngineFetcher, FetcherOptions } from '../engines/create-fetcher.ts';
import type { Egress } from '../egress/egress.ts';

export interface OpenFetcherParts {
  readonly egress: Egress;
  readonly memory?: HostMemory;
  readonly logger?: Logger;
  readonly documents?: DocumentConverter;
}

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

/** Rejects incomplete settings of remote browsers. */
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
