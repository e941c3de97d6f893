/** Tables of batches; conventions as in `schema.ts`. */
import type { Generated } from 'kysely';
import type { BatchState, WebhookState } from '@winnow/contract';
import type { BatchTarget, ItemState } from '../../domain/batches/batch-ports.ts';

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
  /** 1 once all items are stored; before that no worker claims them. */
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
  /** When it is due; null before the batch ends and after delivery. */
  webhook_next: number | null;
  /** Items ended in this state; updated in the transaction that ends them. */
  done: Generated<number>;
  failed: Generated<number>;
  cancelled: Generated<number>;
  bytes: Generated<number>;
  /** Time of deletion: hides the batch while its rows are removed in slices. */
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
  /** Null unless a worker processes the item. */
  lease_until: number | null;
}

export interface BatchResultTable {
  batch_id: string;
  position: number;
  /** One result line, compressed with zstd. */
  body: Uint8Array;
}
