import { LRUCache } from 'lru-cache';
import { AppError } from '../shared/errors.ts';

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

/** Captures of one second store less. */
const PLENTY_BYTES = 2 ** 30;
const TRUSTED_MS = 1000;
const MAX_PROJECTS = 10_000;

export class ProjectQuota implements StorageQuota {
  readonly limitBytes: number | undefined;
  readonly #usage: UsageRepository;
  readonly #roomy = new LRUCache<string, true>({ max: MAX_PROJECTS, ttl: TRUSTED_MS });

  /** @param limitBytes undefined: unlimited */
  constructor(usage: UsageRepository, limitBytes: number | undefined) {
    this.#usage = usage;
    this.limitBytes = limitBytes;
  }

  async requireRoom(projectId: string, moreBytes = 0): Promise<void> {
    if (this.limitBytes === undefined || (moreBytes === 0 && this.#roomy.has(projectId))) return;
    const used = usedBytes(await this.#usage.find(projectId));
    const room = this.limitBytes - used;
    if (room > PLENTY_BYTES) this.#roomy.set(projectId, true);
    if (moreBytes < room) return;
    throw new AppError('storage_quota_exceeded', describe(used, moreBytes, this.limitBytes), {
      details: { used_bytes: used, quota_bytes: this.limitBytes },
    });
  }
}

function describe(used: number, more: number, limit: number): string {
  const needs = more === 0 ? '' : ` and this needs ${inMebibytes(more)}`;
  return (
    `the project stores ${inMebibytes(used)} of its ${inMebibytes(limit)} (WINNOW_PROJECT_STORAGE_QUOTA)${needs}: ` +
    'delete batches (DELETE /v1/batches/{id}) or snapshots (DELETE /v1/snapshots/{dom_id}), or wait until they expire'
  );
}

function inMebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}
