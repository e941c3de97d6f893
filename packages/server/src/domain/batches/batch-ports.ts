import type { RequestedField } from '@winnow/extract/templates';
import type { BatchState, ResultOutcome, WebhookState } from '@winnow/contract';
import type { ApiKey } from '../keys/key-ports.ts';
import type { JudgedPage } from '../metrics/ports.ts';
import type { Page, PageRequest } from '../shared/ports.ts';
import type { ProjectEgress } from '../capture/capture-ports.ts';
import type { ContentOptions } from '../request-options/content-options.ts';
import type { ChangeCounts, CrawlSettings, EarlierCrawls, Findings, Skipped } from '../crawls/crawl-ports.ts';
import type { PageOptions } from '../request-options/page-options.ts';

export interface BatchOptions extends ContentOptions {
  readonly fields?: readonly RequestedField[] | undefined;
  readonly respectRobots: boolean;
  /** Without sealed parts. Default: the deployment's options. */
  readonly page?: PageOptions | undefined;
  /** Encrypted headers and cookies. */
  readonly sealed?: string | undefined;
  /** Reuse of stored snapshots; `maxAgeMs` null: of any age. Default: pages are fetched. */
  readonly reuse?: { readonly maxAgeMs: number | null; readonly mayFetch: boolean } | undefined;
  /** Parts of the results that the client of a facade requested, by the facade's names. */
  readonly parts?: readonly string[];
  /** The items are found on the way, from a start page. */
  readonly crawl?: CrawlSettings | undefined;
  /** Absent for older batches. */
  readonly trace?: TraceHeaders;
  /** Absent for older batches. */
  readonly key?: BatchKey;
}

export type BatchKey = Pick<ApiKey, 'id' | 'quotaPerMinute'>;

/** W3C Trace Context. */
export interface TraceHeaders {
  readonly traceparent: string;
  readonly tracestate?: string;
}

export interface BatchWebhook {
  readonly url: string;
  /** `whsec_…` */
  readonly secret: string;
}

export interface NewBatch extends Pick<Batch, 'id' | 'projectId' | 'fingerprint' | 'options' | 'createdAt'> {
  /** Unique within the project. */
  readonly idempotencyKey: string | null;
  readonly webhook: BatchWebhook | null;
  readonly items: readonly BatchTarget[];
}

export interface BatchTarget {
  readonly kind: 'url' | 'dom_id';
  readonly value: string;
}

export interface Batch {
  readonly id: string;
  readonly projectId: string;
  /** Hash of targets, options and webhook. */
  readonly fingerprint: string;
  readonly state: BatchState;
  readonly total: number;
  readonly options: BatchOptions;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
  /** Of a crawl that has read its start page. */
  readonly skipped: Skipped | null;
  /** Of a crawl with an earlier one, as soon as a page was compared. */
  readonly changes: ChangeCounts | null;
  readonly webhook: (BatchWebhook & { readonly state: WebhookState; readonly attempts: number }) | null;
}

export type ItemState = 'queued' | 'running' | 'done' | 'failed' | 'cancelled';

export type ItemCounts = Readonly<Record<ItemState, number>>;

export interface ClaimedItem {
  readonly batchId: string;
  readonly projectId: string;
  /** From 0. */
  readonly index: number;
  readonly target: BatchTarget;
  readonly options: BatchOptions;
  /** From 1; each earlier one ended with its process. */
  readonly attempt: number;
  /** Links from the start page of the crawl; 0 in other batches. */
  readonly depth: number;
}

export interface ItemResult {
  readonly failed: boolean;
  /** It succeeded with warnings. */
  readonly doubtful?: boolean;
  /** Of an extracted page. */
  readonly judged?: JudgedPage;
  readonly line: string;
  /** Of a page of a crawl; stored with the result. */
  readonly found?: Findings;
}

export interface Lease {
  readonly owner: string;
  readonly until: Date;
}

export interface BatchRepository extends EarlierCrawls {
  /** Stores a batch. A known idempotency key returns its batch and completes an interrupted insertion. */
  create(batch: NewBatch): Promise<Batch>;
  hasKey(projectId: string, idempotencyKey: string): Promise<boolean>;
  find(projectId: string, id: string): Promise<Batch | undefined>;
  /** Newest first. */
  list(projectId: string, state?: BatchState, page?: PageRequest): Promise<Page<Batch>>;
  count(id: string): Promise<ItemCounts>;
  /** Undefined if all are finished. */
  firstUnfinished(id: string): Promise<number | undefined>;
  /** Yields result lines in the order of the items, and unpacks each on demand. */
  results(
    id: string,
    after: number,
    limit: number,
    outcome?: ResultOutcome,
  ): AsyncIterable<{ readonly index: number; readonly line: string }>;
  /** Cancels queued items; running ones finish. False for an unknown batch. */
  cancel(projectId: string, id: string, at: Date): Promise<boolean>;
  /** Deletes everything and frees the idempotency key. False for an unknown batch. */
  delete(projectId: string, id: string, at: Date): Promise<boolean>;
  completeFinished(now: Date): Promise<void>;
  /** Removes old batches and completes interrupted deletions. */
  forgetBefore(time: Date): Promise<void>;
}

export interface BatchQueue {
  /** Takes projects in turn; skips archived ones, and crawls whose delay has not passed. */
  claim(lease: Lease, limit: number, mustWait?: (options: BatchOptions) => boolean, now?: Date): Promise<ClaimedItem[]>;
  renew(lease: Lease): Promise<void>;
  /** False if the lease was lost. */
  finish(item: ClaimedItem, owner: string, result: ItemResult, now?: Date): Promise<boolean>;
  /** Requeues an item whose process goes on; the claim does not count. */
  release(item: ClaimedItem, owner: string): Promise<void>;
  /** Requeues items with expired leases and completes interrupted cancellations. */
  reclaim(now: Date): Promise<number>;
}

export interface BatchWebhooks {
  /** Leases an ended batch with a due webhook, for one caller. */
  claimDue(now: Date, until: Date, mayCall: (url: string, projectId: string) => boolean): Promise<Batch | undefined>;
  /** Records a call; `retryAt` null: no further attempt. */
  noteCall(id: string, delivered: boolean, retryAt: Date | null): Promise<void>;
}

export interface WebhookCall {
  readonly webhook: BatchWebhook;
  /** For egress rules. */
  readonly projectId: string;
  /** Equal for all attempts. */
  readonly id: string;
  /** Absent for older batches. */
  readonly trace: TraceHeaders | undefined;
  readonly body: string;
}

/** Rejects unless the response is 2xx. */
export interface WebhookSender {
  send(call: WebhookCall, signal: AbortSignal): Promise<void>;
}

export interface RobotsRules {
  /**
   * Returns the reason of a refusal; undefined if the URL is allowed.
   * @throws {AppError} of the fetch
   */
  refusal(url: URL, signal: AbortSignal, project?: ProjectEgress): Promise<string | undefined>;
  /** Returns the `Crawl-delay` in milliseconds; 0 without one, or if robots.txt is unreadable. */
  delayMs(url: URL, signal: AbortSignal, project?: ProjectEgress): Promise<number>;
}

/** Estimates. */
const BATCH_ROW_BYTES = 1024;
/** Without its text. */
const ITEM_ROW_BYTES = 128;
/** Without its body. */
export const RESULT_ROW_BYTES = 64;

export function foundItemBytes({ value }: Pick<BatchTarget, 'value'>): number {
  return 2 * ITEM_ROW_BYTES + Buffer.byteLength(value);
}

/** Estimates a batch without results. */
export function batchBytes({ items, webhook, options }: Pick<NewBatch, 'items' | 'webhook' | 'options'>): number {
  const values = items.reduce((sum, { value }) => sum + Buffer.byteLength(value), 0);
  const texts = values + Buffer.byteLength(webhook?.url ?? '') + Buffer.byteLength(JSON.stringify(options));
  return BATCH_ROW_BYTES + items.length * ITEM_ROW_BYTES + texts;
}
