import type { ErrorCode, RequestSource, Stage } from '@winnow/contract';

/** The tables of the request log; conventions as in `schema.ts`. */
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
  /** `ok`, or the error's code. */
  code: ErrorCode | 'ok';
  stage: Stage | null;
  url: string | null;
  /** Host of `url`, lower case; '' when it has none. */
  host: string;
  engine: string | null;
  dom_id: string | null;
  template_id: string | null;
  elapsed_ms: number;
}

/** Apart from the list, so that its searches read small rows. */
export interface RequestDetailTable {
  id: string;
  /** JSON. */
  detail: string;
}
