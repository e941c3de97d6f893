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
 * @throws {ConfigError} for an egress rule that cannot be read
 */
export function openFetcher(config: Config, parts: Partial<OpenFetcherParts>): EngineFetcher {
  const egress = { allow: config.egressAllow, deny: config.egressDeny };
  requireReadableRules(egress);
  const { chromiumPath, browserConcurrency, userAgent, upstreamProxy } = config;
  return createFetcher({
    ...parts,
    egress,
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

function requireReadableRules(rules: EgressRules): void {
  try {
    compileEgressPolicy(rules);
  } catch (error) {
    throw new ConfigError([
      `WINNOW_EGRESS_ALLOW, WINNOW_EGRESS_DENY: ${error instanceof Error ? error.message : 'unreadable'}`,
    ]);
  }
}
