import { availableParallelism } from 'node:os';
import type { Config } from '../config/config.ts';
import { FairQueue } from '../domain/admission/fair-queue.ts';
import { LocalHostRateLimiter, RateLimitedFetcher } from '../domain/admission/host-rate-limiter.ts';
import type { HostRateLimiter } from '../domain/admission/host-rate-limiter.ts';
import { LargePageFetcher, LargeWork } from '../domain/admission/large-work.ts';
import { MemoryQuotaCounter, KeyQuota, SharedQuotaCounter } from '../domain/admission/quotas.ts';
import { SharedHostRateLimiter } from '../domain/admission/shared-host-rate-limiter.ts';
import type { Fetcher } from '../domain/capture/capture-ports.ts';
import type { SharedState } from '../store/open-store.ts';

export interface AdmissionParts {
  readonly fetcher: Fetcher;
  /** Undefined: a single process. */
  readonly shared: SharedState | undefined;
  /** Unique name of this process. */
  readonly node: string;
  readonly onError: (error: unknown) => void;
}

export interface Admission {
  /** Per node: its requests come from its own callers. */
  readonly queue: FairQueue;
  readonly quota: KeyQuota;
  readonly hosts: HostRateLimiter;
  readonly largeWork: LargeWork;
  readonly fetcher: Fetcher;
}

/** Most requests wait for a site, so a few more for other keys cost little. */
const EXTRA_SHARE = 0.25;

/** With fewer processors the pauses are longer. More help little: much of the work runs in one thread, the event loop. */
const PROCESSORS_FOR_EQUAL_PAUSES = 4;

export function openAdmission(config: Config, { fetcher, shared, node, onError }: AdmissionParts): Admission {
  const { concurrency, projectConcurrency, maxQueue } = config;
  const turns = { concurrency: config.hostConcurrency, spacingMs: config.hostSpacingMs, maxWaiting: maxQueue };
  const hosts = shared
    ? new SharedHostRateLimiter(shared.hosts, { ...turns, node, onError })
    : new LocalHostRateLimiter(turns);
  const counter = shared ? new SharedQuotaCounter(shared.quotas) : new MemoryQuotaCounter();
  const largeWork = new LargeWork(Math.max(1, PROCESSORS_FOR_EQUAL_PAUSES / availableParallelism()));
  return {
    queue: new FairQueue({
      slots: concurrency,
      extraSlots: Math.floor(EXTRA_SHARE * concurrency),
      maxWaiting: maxQueue,
      name: 'the service',
      ...(projectConcurrency === null ? {} : { slotsPerGroup: projectConcurrency }),
    }),
    quota: new KeyQuota(config.quotaPerMinute, counter),
    hosts,
    largeWork,
    fetcher: new LargePageFetcher(new RateLimitedFetcher(fetcher, hosts), largeWork),
  };
}
