import type { Limits } from '@winnow/contract';
import type { FairQueue } from '../../domain/admission/fair-queue.ts';
import type { KeyQuota } from '../../domain/admission/key-quota.ts';

/** What the routes need to know of the deployment. */
export interface RouteSettings {
  readonly limits: Limits;
  /** Name of the engine family in requests and responses. */
  readonly engineFamily: string;
  /** Milliseconds that a dump may take when the caller names none. */
  readonly dumpTimeoutMs: number;
  /** Milliseconds that each workflow stage may take when the caller names none. */
  readonly stageTimeoutMs: number;
  /** The places for requests that are worked on. */
  readonly admission: FairQueue;
  /** Requests a minute of keys, and of people in the playground. */
  readonly quota: KeyQuota;
  /** Milliseconds that a request waits for such a place at most. */
  readonly maxWaitMs: number;
}
