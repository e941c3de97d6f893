import type { Config } from './config.ts';
import type { CaptureJudge, HostMemory, Logger } from './domain/ports.ts';
import { createFetcher } from './engines/create-fetcher.ts';
import type { EngineFetcher } from './engines/create-fetcher.ts';

export interface OpenFetcherParts {
  readonly judge: CaptureJudge;
  readonly memory: HostMemory;
  readonly logger: Logger;
}

/** The engines as the configuration wants them. */
export function openFetcher(config: Config, parts: Partial<OpenFetcherParts>): EngineFetcher {
  const { chromiumPath, browserConcurrency, userAgent, upstreamProxy } = config;
  return createFetcher({
    ...parts,
    egress: { allow: config.egressAllow, deny: config.egressDeny },
    cdpUrls: config.cdpUrls,
    browserQueue: config.maxQueue,
    maxPageBytes: config.maxPageBytes,
    maxRedirects: config.maxRedirects,
    ...(chromiumPath === null ? {} : { browserExecutables: [chromiumPath] }),
    ...(browserConcurrency === null ? {} : { browserConcurrency }),
    ...(userAgent === null ? {} : { userAgent }),
    ...(upstreamProxy === null ? {} : { upstreamProxy: new URL(upstreamProxy) }),
  });
}
