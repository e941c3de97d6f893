/** The log of requests that the console shows. `store/` keeps it. */
import type { ErrorCode, RequestSource, Stage } from '@winnow/contract';
import type { Page, PageRequest } from '../shared/ports.ts';

/** One answered request, as lists show it. */
export interface LoggedRequest {
  readonly id: string;
  readonly projectId: string;
  /** Arrival. */
  readonly at: Date;
  /** The caller may have chosen it, so it need not be unique. */
  readonly requestId: string;
  readonly source: RequestSource;
  /** Null for requests of the playground. */
  readonly keyId: string | null;
  readonly method: string;
  /** Path pattern under `/v1`. */
  readonly endpoint: string;
  readonly status: number;
  readonly code: ErrorCode | 'ok';
  readonly stage: Stage | null;
  /** Target page, without credentials. */
  readonly url: string | null;
  readonly engine: string | null;
  readonly domId: string | null;
  readonly templateId: string | null;
  readonly elapsedMs: number;
}

/** A request with what only its own page shows. */
export interface DetailedRequest extends LoggedRequest {
  /** JSON, see `RequestDetail` in `http/`. */
  readonly detail: string;
}

/** Every field narrows; none: everything. */
export interface RequestFilter {
  readonly outcome?: 'succeeded' | 'failed';
  readonly code?: ErrorCode;
  readonly endpoint?: string;
  readonly keyId?: string;
  readonly source?: RequestSource;
  /** Host of the target page. */
  readonly host?: string;
  readonly requestId?: string;
  readonly from?: Date;
  /** Exclusive. */
  readonly to?: Date;
}

export interface RequestLogBounds {
  readonly before: Date;
  /** Rows of the project that stay, the newest. */
  readonly maxRows: number;
}

/** Every read names the project: a foreign request is as if absent. */
export interface RequestLogRepository {
  insert(requests: readonly DetailedRequest[]): Promise<void>;
  /** The newest first. */
  list(projectId: string, filter?: RequestFilter, page?: PageRequest): Promise<Page<LoggedRequest>>;
  /** By the entry's id, or the newest entry with that request id. */
  find(projectId: string, id: string): Promise<DetailedRequest | undefined>;
  /** Removes entries of one project that are too old or too many. */
  trim(projectId: string, bounds: RequestLogBounds): Promise<void>;
}
