import type { BodyLimit, Limits } from '@winnow/contract';
import type { FairQueue } from '../../domain/admission/fair-queue.ts';
import type { KeyQuota } from '../../domain/admission/quotas.ts';

export interface RouteSettings {
  readonly limits: Limits;
  readonly engineFamily: string;
  /** Default. */
  readonly dumpTimeoutMs: number;
  /** Default. */
  readonly stageTimeoutMs: number;
  /** Limits of bodies in bytes, by their settings. */
  readonly bodyLimits: Readonly<Record<BodyLimit, number>>;
  /** Slots for requests. */
  readonly admission: FairQueue;
  /** Requests per minute of keys and playground users. */
  readonly quota: KeyQuota;
  /** Maximum wait for a slot. */
  readonly maxWaitMs: number;
}
