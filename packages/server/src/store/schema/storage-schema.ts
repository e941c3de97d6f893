import type { Generated } from 'kysely';

/** Table of the projects' storage; conventions as in `schema.ts`. */
export interface StorageTables {
  project_storage: ProjectStorageTable;
}

/** Updated in the transactions that add and remove rows, which avoids sums over all rows. */
export interface ProjectStorageTable {
  project_id: string;
  snapshots: number;
  /** Stored bytes of the snapshots' content; shared content of the project counts once. */
  content_bytes: number;
  row_bytes: number;
  batches: number;
  /** Bytes of batches, their items and results. */
  batch_bytes: number;
  /** Bytes of the request log. */
  log_bytes: Generated<number>;
}
