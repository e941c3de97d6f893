export interface ProjectUsage {
  readonly projectId: string;
  readonly snapshots: number;
  /** With rows; shared content counts once. */
  readonly snapshotBytes: number;
  readonly batches: number;
  /** With items and results. */
  readonly batchBytes: number;
  readonly logBytes: number;
}

/** All bytes that count towards the quota. */
export function usedBytes({ snapshotBytes, batchBytes, logBytes }: ProjectUsage): number {
  return snapshotBytes + batchBytes + logBytes;
}

export interface UsageRepository {
  /** Returns zeros if nothing is stored. */
  find(projectId: string): Promise<ProjectUsage>;
  list(): Promise<ProjectUsage[]>;
}

export interface StorageQuota {
  /** Undefined: unlimited. */
  readonly limitBytes: number | undefined;
  /** @throws {AppError} `storage_quota_exceeded` */
  requireRoom(projectId: string, moreBytes?: number): Promise<void>;
}
