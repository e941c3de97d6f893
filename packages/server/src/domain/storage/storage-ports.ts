/** What projects store, and who may store more. */

/** What one project stores now. */
export interface ProjectUsage {
  readonly projectId: string;
  readonly snapshots: number;
  /** Bytes of the snapshots: their rows, and their content as stored, shared content once. */
  readonly snapshotBytes: number;
  readonly batches: number;
  /** Bytes of batches with their items and results. */
  readonly batchBytes: number;
}

export interface UsageRepository {
  /** Zeros for a project that has stored nothing. */
  find(projectId: string): Promise<ProjectUsage>;
  /** Every project that has stored something. */
  list(): Promise<ProjectUsage[]>;
}

/** Refuses projects that have used up what they may store. */
export interface StorageQuota {
  /** Bytes that a project may store; undefined: any number. */
  readonly limitBytes: number | undefined;
  /**
   * @param moreBytes what is about to be stored, where that is known
   * @throws {AppError} `storage_quota_exceeded`
   */
  requireRoom(projectId: string, moreBytes?: number): Promise<void>;
}
