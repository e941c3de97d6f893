import type { Limits } from '@winnow/contract';
import type { FairQueue } from '../domain/admission/fair-queue.ts';

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
  /** Milliseconds that a request waits for such a place at most. */
  readonly maxWaitMs: number;
}
