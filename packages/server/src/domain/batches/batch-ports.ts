/** What batches are, and the interfaces through which they reach the store and the network. */
import type { BatchOutcome, BatchState, Favor, Format, HiddenText, WebhookState } from '@winnow/contract';
import type { ApiKey } from '../keys/key-ports.ts';
import type { Page, PageRequest } from '../shared/ports.ts';
import type { ProjectEgress } from '../capture/capture-ports.ts';

export interface BatchOptions {
  readonly formats: readonly Format[];
  /** Default: `balanced`. */
  readonly favor?: Favor | undefined;
  /** Default: `drop`. */
  readonly hiddenText?: HiddenText | undefined;
  readonly respectRobots: boolean;
  /** The trace of the request that made the batch, for its webhook; batches without one have none. */
  readonly trace?: TraceHeaders;
  /** The key that made the batch; batches of earlier versions have none. */
  readonly key?: BatchKey;
}

/** A key whose quota the items of a batch count against. */
export type BatchKey = Pick<ApiKey, 'id' | 'quotaPerMinute'>;

/** W3C Trace Context, as calls carry it. */
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
  /** Unique within the project; null: none was given. */
  readonly idempotencyKey: string | null;
  /** Tells whether a repeated request is the same: a hash of its body. */
  readonly fingerprint: string;
  readonly options: BatchOptions;
  readonly webhook: BatchWebhook | null;
  readonly createdAt: Date;
  readonly items: readonly BatchTarget[];
}

/** A URL to fetch, or a snapshot to extract from. */
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

/** An item that this process holds for as long as its lease is renewed. */
export interface ClaimedItem {
  readonly batchId: string;
  readonly projectId: string;
  /** Place in the request, from 0. */
  readonly index: number;
  readonly target: BatchTarget;
  readonly options: BatchOptions;
  /** Which try this is, from 1. */
  readonly attempt: number;
}

export interface ItemResult {
  readonly failed: boolean;
  /** The item's line of the results, JSON without its line end. */
  readonly line: string;
}

/** A process that works on batches, and how long it may go without a sign of life. */
export interface Lease {
  readonly owner: string;
  readonly until: Date;
}

export interface BatchRepository {
  /**
   * Stores a batch with all its items, or nothing: it is worked on from the moment that all are there. With an
   * idempotency key that the project has used the batch of then is given, its insertion finished if that was cut short.
   */
  create(batch: NewBatch): Promise<Batch>;
  /** Whether the project has used the idempotency key. */
  hasKey(projectId: string, idempotencyKey: string): Promise<boolean>;
  find(projectId: string, id: string): Promise<Batch | undefined>;
  /** The newest first; those in the state alone when it is given. */
  list(projectId: string, state?: BatchState, page?: PageRequest): Promise<Page<Batch>>;
  count(id: string): Promise<ItemCounts>;
  /** Index of the first item that is not finished; undefined: all are. */
  firstUnfinished(id: string): Promise<number | undefined>;
  /** Result lines in the order of the items, those with an index above `after` alone, at most `limit`. */
  results(
    id: string,
    after: number,
    limit: number,
    outcome?: BatchOutcome,
  ): Promise<{ readonly index: number; readonly line: string }[]>;
  /** False when the project has no such batch. What is under way is finished; what waits is not begun. */
  cancel(projectId: string, id: string, at: Date): Promise<boolean>;
  /**
   * False when the project has no such batch. Its items and results go too; what is under way loses its lease. The
   * Idempotency-Key may be used again.
   */
  delete(projectId: string, id: string, at: Date): Promise<boolean>;
  /**
   * Up to `limit` waiting items, the projects in turn, none of an archived one; none is given to two callers while its
   * lease runs. Batches for which `mustWait` is true are passed over.
   */
  claim(lease: Lease, limit: number, mustWait?: (options: BatchOptions) => boolean): Promise<ClaimedItem[]>;
  /** Prolongs the leases of everything the owner holds. */
  renew(lease: Lease): Promise<void>;
  /** False, and nothing stored, when the lease was lost: then the item is, or was, done by another. */
  finish(item: ClaimedItem, owner: string, result: ItemResult): Promise<boolean>;
  /** Gives an item back that could not be worked on. */
  release(item: ClaimedItem, owner: string, options: { readonly countsAsTry: boolean }): Promise<void>;
  /** Puts items whose lease ran out back into the queue; how many. A cancellation that was cut short is finished. */
  reclaim(now: Date): Promise<number>;
  /** Marks batches as completed that have no item left to work on. */
  completeFinished(now: Date): Promise<void>;
  /**
   * A batch that is finished, or cancelled with no item under way, whose webhook is due and may be called now; leased
   * until the time, so that one process calls.
   */
  claimWebhook(now: Date, until: Date, mayCall: (url: string) => boolean): Promise<Batch | undefined>;
  /** What came of a call; `retryAt` null: it is not tried again. */
  noteWebhook(id: string, delivered: boolean, retryAt: Date | null): Promise<void>;
  /**
   * Removes batches that were finished before the time, those whose insertion was never finished, those of projects that
   * were archived before it, and what a deletion that was cut short has left.
   */
  forgetBefore(time: Date): Promise<void>;
}

export interface WebhookCall {
  readonly webhook: BatchWebhook;
  /** Whose egress rules and proxy hold for the call. */
  readonly projectId: string;
  /** The same for every try. */
  readonly id: string;
  /** The trace that the call belongs to; batches of earlier versions have none. */
  readonly trace: TraceHeaders | undefined;
  /** JSON. */
  readonly body: string;
}

/** Tells the world about a finished batch. Rejects when the other side did not answer with 2xx. */
export interface WebhookSender {
  send(call: WebhookCall, signal: AbortSignal): Promise<void>;
}

/** What a site's robots.txt says. */
export interface RobotsRules {
  /**
   * Undefined when the page may be fetched, else why not; read as the project leaves.
   * @throws {AppError} of the fetch, where the site was not reached
   */
  refusal(url: URL, signal: AbortSignal, project?: ProjectEgress): Promise<string | undefined>;
}
