/** The table of what projects store; conventions as in `schema.ts`. */
export interface StorageTables {
  project_storage: ProjectStorageTable;
}

/** Kept in the transactions that add and remove what is counted, so that nobody has to sum over rows. */
export interface ProjectStorageTable {
  project_id: string;
  snapshots: number;
  /** Bytes as stored of the snapshots' content; content that several snapshots of the project share counts once. */
  content_bytes: number;
  /** Bytes of the snapshots' rows. */
  row_bytes: number;
  batches: number;
  /** Bytes of batches, their items and results. */
  batch_bytes: number;
}
