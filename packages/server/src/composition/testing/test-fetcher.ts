import { readConfig } from '../../config/config.ts';
import type { EgressRules } from '../../domain/capture/capture-ports.ts';
import { createEgress } from '../../egress/egress.ts';
import type { EgressOptions } from '../../egress/egress.ts';
import { NO_RULES } from '../../egress/policy/egress-policy.ts';
import { createFetcher } from '../../engines/create-fetcher.ts';
import type { EngineFetcher, FetcherOptions } from '../../engines/create-fetcher.ts';
import { readFetcherOptions } from '../open-fetcher.ts';

export interface TestFetcherOptions
  extends Partial<Omit<FetcherOptions, 'egress'>>, Partial<Omit<EgressOptions, 'rules'>> {
  readonly egress?: EgressRules;
}

/** Creates engines with the default configuration and a separate egress guard, closed with them. */
export function createTestFetcher(options: TestFetcherOptions = {}): EngineFetcher {
  const { egress: rules = NO_RULES, dnsServers, upstream, extraCa, ...rest } = options;
  const egress = createEgress({
    rules,
    ...(dnsServers === undefined ? {} : { dnsServers }),
    ...(upstream === undefined ? {} : { upstream }),
    ...(extraCa === undefined ? {} : { extraCa }),
  });
  const fetcher = createFetcher({ ...readFetcherOptions(readConfig({})), ...rest, egress });
  return {
    ...fetcher,
    close: async () => {
      await fetcher.close();
      await egress.close();
    },
  };
}
