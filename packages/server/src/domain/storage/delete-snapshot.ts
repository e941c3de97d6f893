import { AppError } from '../shared/errors.ts';
import { listContents } from './attachments.ts';
import type { SnapshotContent, SnapshotRepository } from './snapshot-ports.ts';

export interface DeleteSnapshotDeps {
  readonly snapshots: SnapshotRepository;
  readonly content: SnapshotContent;
}

/** Content is stored at most this long before its row: twice the longest request. */
export const ROW_GRACE_MS: number = 15 * 60 * 1000;

/**
 * Deletes a snapshot. Shared content stays; recent content is swept later.
 * @throws {AppError} `dom_not_found`, also for other projects' snapshots
 */
export async function deleteSnapshot(deps: DeleteSnapshotDeps, projectId: string, domId: string): Promise<void> {
  const row = await deps.snapshots.find(projectId, domId);
  if (row === undefined || !(await deps.snapshots.delete(projectId, domId))) {
    throw new AppError('dom_not_found', 'no such snapshot; it is unknown, expired or of another project');
  }
  // The sweep retries.
  await removeUnreferenced(deps, listContents(row)).catch(() => undefined);
}

/**
 * Returns the removed addresses.
 * @param now milliseconds since 1970, from before the call
 */
export async function removeUnreferenced(
  deps: DeleteSnapshotDeps,
  hashes: readonly string[],
  now: number = Date.now(),
): Promise<string[]> {
  const graceStart = new Date(now - ROW_GRACE_MS);
  const unreferenced = await deps.snapshots.findUnreferenced(hashes);
  for (const hash of unreferenced) await deps.content.delete(hash, graceStart);
  return unreferenced;
}
