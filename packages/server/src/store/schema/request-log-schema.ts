import type { ErrorCode, RequestSource, Stage } from '@winnow/contract';

/** Tables of the request log; conventions as in `schema.ts`. */
export interface RequestLogTables {
  request_log: RequestLogTable;
  request_details: RequestDetailTable;
}

/** One answered request of a project. */
export interface RequestLogTable {
  id: string;
  project_id: string;
  /** Arrival. */
  at: number;
  request_id: string;
  source: RequestSource;
  key_id: string | null;
  method: string;
  endpoint: string;
  status: number;
  code: ErrorCode | 'ok';
  stage: Stage | null;
  url: string | null;
  /** Host of `url`, lower case; '' without one. */
  host: string;
  engine: string | null;
  dom_id: string | null;
  template_id: string | null;
  elapsed_ms: number;
  /** With its detail; null for entries of earlier versions. */
  bytes: number | null;
}

/** A separate table, so that lists read only small rows. */
export interface RequestDetailTable {
  id: string;
  /** JSON. */
  detail: string;
}
