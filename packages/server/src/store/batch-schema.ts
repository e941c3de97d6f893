/** The tables of batches; conventions as in `schema.ts`. */
import type { Generated } from 'kysely';
import type { BatchState, WebhookState } from '@winnow/contract';
import type { BatchTarget, ItemState } from '../domain/batches/batch-ports.ts';

export interface BatchTables {
  batches: BatchTable;
  batch_items: BatchItemTable;
  batch_results: BatchResultTable;
}

export interface BatchTable {
  id: string;
  project_id: string;
  idempotency_key: string | null;
  fingerprint: string;
  state: BatchState;
  /** 1 once all items are stored; before that nobody works on it. */
  loaded: number;
  total: number;
  /** JSON of BatchOptions. */
  options: string;
  created_at: number;
  finished_at: number | null;
  webhook_url: string | null;
  webhook_secret: string | null;
  webhook_state: WebhookState | null;
  webhook_attempts: number;
  /** When it is due; null before the batch is finished, and when nothing is left to do. */
  webhook_next: number | null;
  /** Items that ended so; kept in the transaction that ends them. */
  done: Generated<number>;
  failed: Generated<number>;
  cancelled: Generated<number>;
  /** Bytes of the batch, its items and its results. */
  bytes: Generated<number>;
  /** Since when it is as if absent, and its rows go a slice at a time. */
  deleted_at: number | null;
}

export interface BatchItemTable {
  batch_id: string;
  position: number;
  kind: BatchTarget['kind'];
  value: string;
  state: ItemState;
  attempts: number;
  lease_owner: string | null;
  /** Null unless the item is being worked on. */
  lease_until: number | null;
}

export interface BatchResultTable {
  batch_id: string;
  position: number;
  /** The line of the results, compressed with zstd. */
  body: Uint8Array;
}
