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
  /** Absent for older batches. */
  readonly page?: PageOptions | undefined;
  /** Absent for older batches. */
  readonly sealed?: string | undefined;
  readonly trace?: TraceHeaders;
  /** Creating key; absent for older batches. */
  readonly key?: BatchKey;
}

/** `whsec_…` */
export type BatchKey = Pick<ApiKey, 'id' | 'quotaPerMinute'>;

/** W3C Trace Context. */
export interface TraceHeaders {
  readonly traceparent: string;
  readonly tracestate?: string;
}

export interface BatchWebhook {
  readonly url: string;
  /** Hash of the request body. */
  readonly secret: string;
}

export interface NewBatch {
  readonly id: string;
  readonly projectId: string;
  readonly idempotencyKey: string | null;
  /** From 0. */
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
  readonly index: number;
  readonly target: BatchTarget;
  readonly options: BatchOptions;
  /**
   * Stores a batch with its items. A known idempotency key returns its batch and completes an interrupted insertion.
   */
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
  /** Undefined if all are finished. */
  create(batch: NewBatch): Promise<Batch>;
  hasKey(projectId: string, idempotencyKey: string): Promise<boolean>;
  find(projectId: string, id: string): Promise<Batch | undefined>;
  /** In order. */
  list(projectId: string, state?: BatchState, page?: PageRequest): Promise<Page<Batch>>;
  count(id: string): Promise<ItemCounts>;
  /** Running items finish. False for an unknown batch. */
  firstUnfinished(id: string): Promise<number | undefined>;
  /** Frees the idempotency key. False for an unknown batch. */
  results(
    id: string,
    after: number,
    limit: number,
    outcome?: BatchOutcome,
  ): Promise<{ readonly index: number; readonly line: string }[]>;
  /** Takes projects in turn; skips archived ones. */
  cancel(projectId: string, id: string, at: Date): Promise<boolean>;
  delete(projectId: string, id: string, at: Date): Promise<boolean>;
  /** False if the lease was lost. */
  claim(lease: Lease, limit: number, mustWait?: (options: BatchOptions) => boolean): Promise<ClaimedItem[]>;
  renew(lease: Lease): Promise<void>;
  /** Requeues expired items and completes interrupted cancellations. */
  finish(item: ClaimedItem, owner: string, result: ItemResult): Promise<boolean>;
  release(item: ClaimedItem, owner: string, options: { readonly countsAsTry: boolean }): Promise<void>;
  /** For one caller, until the lease ends. */
  reclaim(now: Date): Promise<number>;
  /** `retryAt` null: no further attempt. */
  completeFinished(now: Date): Promise<void>;
  /** Also completes interrupted deletions. */
  claimWebhook(now: Date, until: Date, mayCall: (url: string) => boolean): Promise<Batch | undefined>;
  /** For egress rules. */
  noteWebhook(id: string, delivered: boolean, retryAt: Date | null): Promise<void>;
  /** Equal for all attempts. */
  forgetBefore(time: Date): Promise<void>;
}

export interface WebhookCall {
  readonly webhook: BatchWebhook;
  /** Project whose egress rules apply. */
  readonly projectId: string;
  readonly id: string;
  /** Rejects unless the response is 2xx. */
  readonly trace: TraceHeaders | undefined;
  /**
   * Returns the reason of a refusal.
   * @throws {AppError} of the fetch
   */
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
