import type { Limits } from '@winnow/contract';

/** What the routes need to know of the deployment. */
export interface RouteSettings {
  readonly limits: Limits;
  /** Name of the engine family in requests and responses. */
  readonly engineFamily: string;
  /** Milliseconds that a dump may take when the caller names none. */
  readonly dumpTimeoutMs: number;
  /** Milliseconds that each workflow stage may take when the caller names none. */
  readonly stageTimeoutMs: number;
}
