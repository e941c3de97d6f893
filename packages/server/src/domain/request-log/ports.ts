import type { DoubtCode, ErrorCode, ResultOutcome, RequestSource, Stage } from '@winnow/contract';
import type { Page, PageRequest } from '../shared/ports.ts';

export interface LoggedRequest {
  readonly id: string;
  readonly projectId: string;
  readonly at: Date;
  /** May be chosen by the caller. */
  readonly requestId: string;
  readonly source: RequestSource;
  /** Null for the playground. */
  readonly keyId: string | null;
  readonly method: string;
  /** Path pattern under `/v1`. */
  readonly endpoint: string;
  readonly status: number;
  readonly code: ErrorCode | 'ok';
  readonly stage: Stage | null;
  /** Without credentials. */
  readonly url: string | null;
  /** Null without a fetch. */
  readonly engine: string | null;
  readonly domId: string | null;
  readonly templateId: string | null;
  /** Null without an extraction. */
  readonly confidence: number | null;
  readonly warnings: readonly DoubtCode[];
  readonly elapsedMs: number;
}

export interface DetailedRequest extends LoggedRequest {
  /** JSON, see `RequestDetail` in `http/`. */
  readonly detail: string;
}

export interface RequestLogFilter {
  readonly outcome?: ResultOutcome | undefined;
  readonly code?: ErrorCode | undefined;
  readonly warning?: DoubtCode | undefined;
  readonly engine?: string | undefined;
  readonly maxConfidence?: number | undefined;
  readonly domId?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly keyId?: string | undefined;
  readonly source?: RequestSource | undefined;
  readonly host?: string | undefined;
  readonly requestId?: string | undefined;
  readonly from?: Date | undefined;
  /** Exclusive. */
  readonly to?: Date | undefined;
}

export interface RequestLogBounds {
  readonly before: Date;
  /** Per project. */
  readonly maxRows: number;
  /** Per project. */
  readonly maxBytes: number;
}

/** Of the columns without texts, and of the indexes. */
const ROW_BYTES = 512;

export function entryBytes({ url, requestId, detail }: DetailedRequest): number {
  return ROW_BYTES + Buffer.byteLength(url ?? '') + Buffer.byteLength(requestId) + Buffer.byteLength(detail);
}

/** Every read is limited to one project. */
export interface RequestLogRepository {
  insert(requests: readonly DetailedRequest[]): Promise<void>;
  /** Newest first. */
  list(projectId: string, filter?: RequestLogFilter, page?: PageRequest): Promise<Page<LoggedRequest>>;
  /** Finds by id, or the newest with that request id. */
  find(projectId: string, id: string): Promise<DetailedRequest | undefined>;
  trim(projectId: string, bounds: RequestLogBounds): Promise<void>;
}
