import type { BatchOutcome, BatchState, Favor, Format, HiddenText, WebhookState } from '@winnow/contract';
import type { ApiKey } from '../keys/key-ports.ts';
import type { Page, PageRequest } from '../shared/ports.ts';
import type { ProjectEgress } from '../capture/capture-ports.ts';
import type { PageOptions } from '../request-options/capture-options.ts';

export interface BatchOptions {
  readonly formats: readonly Format[];
  /** Default: `balanced`. */
  readonly favor?: Favor | undefined;
  /** Default: `drop`. */
  readonly hiddenText?: HiddenText | undefined;
  readonly respectRobots: boolean;
  /** How the pages are captured, without what is sealed. Default: as the deployment says. */
  readonly page?: PageOptions | undefined;
  /** Headers and cookies of the pages, encrypted. */
  readonly sealed?: string | undefined;
  /** Trace of the creating request; absent for older batches. */
  readonly trace?: TraceHeaders;
  /** Creating key; absent for older batches. */
  readonly key?: BatchKey;
}

/** Key whose quota the items use. */
export type BatchKey = Pick<ApiKey, 'id' | 'quotaPerMinute'>;

/** W3C Trace Context. */
export interface TraceHeaders {
  readonly traceparent: string;
  readonly tracestate?: string;
}

export interface BatchWebhook {
  readonly url: string;
  /** `whsec_…`; signs the call. */
  readonly secret: string;
}

export interface NewBatch {
  readonly id: string;
  readonly projectId: string;
  /** Unique within the project. */
  readonly idempotencyKey: string | null;
  /** Hash of the request body, to recognise a repeated request. */
  readonly fingerprint: string;
  readonly options: BatchOptions;
  readonly webhook: BatchWebhook | null;
  readonly createdAt: Date;
  readonly items: readonly BatchTarget[];
}

export interface BatchTarget {
  readonly kind: 'url' | 'dom_id';
  readonly value: string;
}

export interface Batch {
  readonly id: string;
  readonly projectId: string;
  readonly fingerprint: string;
  readonly state: BatchState;
  readonly total: number;
  readonly options: BatchOptions;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
  readonly webhook: (BatchWebhook & { readonly state: WebhookState; readonly attempts: number }) | null;
}

export type ItemState = 'queued' | 'running' | 'done' | 'failed' | 'cancelled';

export type ItemCounts = Readonly<Record<ItemState, number>>;

/** An item leased by this process. */
export interface ClaimedItem {
  readonly batchId: string;
  readonly projectId: string;
  /** Position in the request, from 0. */
  readonly index: number;
  readonly target: BatchTarget;
  readonly options: BatchOptions;
  /** From 1. */
  readonly attempt: number;
}

export interface ItemResult {
  readonly failed: boolean;
  /** Result line: JSON without line end. */
  readonly line: string;
}

export interface Lease {
  readonly owner: string;
  readonly until: Date;
}

export interface BatchRepository {
  /**
   * Atomically stores a batch with its items. A known idempotency key returns its batch and completes an interrupted
   * insertion.
   */
  create(batch: NewBatch): Promise<Batch>;
  hasKey(projectId: string, idempotencyKey: string): Promise<boolean>;
  find(projectId: string, id: string): Promise<Batch | undefined>;
  /** Newest first. */
  list(projectId: string, state?: BatchState, page?: PageRequest): Promise<Page<Batch>>;
  count(id: string): Promise<ItemCounts>;
  /** Index of the first unfinished item; undefined if all are finished. */
  firstUnfinished(id: string): Promise<number | undefined>;
  /** Returns at most `limit` result lines with an index above `after`, in order. */
  results(
    id: string,
    after: number,
    limit: number,
    outcome?: BatchOutcome,
  ): Promise<{ readonly index: number; readonly line: string }[]>;
  /** Cancels queued items; running ones finish. Returns false for an unknown batch. */
  cancel(projectId: string, id: string, at: Date): Promise<boolean>;
  /** Deletes a batch with its items and results; frees its idempotency key. Returns false for an unknown batch. */
  delete(projectId: string, id: string, at: Date): Promise<boolean>;
  /**
   * Claims up to `limit` queued items, projects in turn. Skips archived projects and batches for which `mustWait` is
   * true.
   */
  claim(lease: Lease, limit: number, mustWait?: (options: BatchOptions) => boolean): Promise<ClaimedItem[]>;
  /** Renews all leases of the owner. */
  renew(lease: Lease): Promise<void>;
  /** Returns false and stores nothing if the lease was lost. */
  finish(item: ClaimedItem, owner: string, result: ItemResult): Promise<boolean>;
  /** Returns an item to the queue. */
  release(item: ClaimedItem, owner: string, options: { readonly countsAsTry: boolean }): Promise<void>;
  /** Requeues items with expired leases and completes interrupted cancellations; returns how many items. */
  reclaim(now: Date): Promise<number>;
  /** Completes batches without unfinished items. */
  completeFinished(now: Date): Promise<void>;
  /** Leases an ended batch whose webhook is due and allowed, for one caller. */
  claimWebhook(now: Date, until: Date, mayCall: (url: string) => boolean): Promise<Batch | undefined>;
  /** Records a webhook call; `retryAt` null: no further attempt. */
  noteWebhook(id: string, delivered: boolean, retryAt: Date | null): Promise<void>;
  /** Removes batches ended, abandoned or archived before the time, and remains of interrupted deletions. */
  forgetBefore(time: Date): Promise<void>;
}

export interface WebhookCall {
  readonly webhook: BatchWebhook;
  /** Project whose egress rules apply. */
  readonly projectId: string;
  /** The same for all attempts. */
  readonly id: string;
  /** Absent for older batches. */
  readonly trace: TraceHeaders | undefined;
  /** JSON. */
  readonly body: string;
}

/** Sends webhooks; rejects unless the response is 2xx. */
export interface WebhookSender {
  send(call: WebhookCall, signal: AbortSignal): Promise<void>;
}

export interface RobotsRules {
  /**
   * Returns why robots.txt forbids a page, or undefined.
   * @throws {AppError} of the fetch when the site is unreachable
   */
  refusal(url: URL, signal: AbortSignal, project?: ProjectEgress): Promise<string | undefined>;
}
