import { AppError } from '../shared/errors.ts';
import type { StorageQuota, UsageRepository } from './storage-ports.ts';

export class ProjectQuota implements StorageQuota {
  readonly limitBytes: number | undefined;
  readonly #usage: UsageRepository;

  /** @param limitBytes undefined: unlimited */
  constructor(usage: UsageRepository, limitBytes: number | undefined) {
    this.#usage = usage;
    this.limitBytes = limitBytes;
  }

  async requireRoom(projectId: string, moreBytes = 0): Promise<void> {
    if (this.limitBytes === undefined) return;
    const { snapshotBytes, batchBytes } = await this.#usage.find(projectId);
    const used = snapshotBytes + batchBytes;
    if (used + moreBytes < this.limitBytes) return;
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
