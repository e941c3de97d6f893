import type { Config } from './config.ts';
import { FairQueue } from './domain/admission/fair-queue.ts';
import { KeyQuota } from './domain/admission/key-quota.ts';
import { ConsiderateFetcher } from './domain/admission/target-hosts.ts';
import type { Fetcher } from './domain/ports.ts';

/** Who may come in, how much of it, and how gently sites are asked. */
export interface Admission {
  readonly queue: FairQueue;
  readonly quota: KeyQuota;
  readonly fetcher: ConsiderateFetcher;
}

export function openAdmission(config: Config, fetcher: Fetcher): Admission {
  const { concurrency, projectConcurrency, maxQueue } = config;
  return {
    queue: new FairQueue({
      places: concurrency,
      maxWaiting: maxQueue,
      name: 'the service',
      ...(projectConcurrency === null ? {} : { placesPerGroup: projectConcurrency }),
    }),
    quota: new KeyQuota(config.quotaPerMinute),
    fetcher: new ConsiderateFetcher(fetcher, {
      concurrency: config.hostConcurrency,
      spacingMs: config.hostSpacingMs,
      maxWaiting: maxQueue,
    }),
  };
}
