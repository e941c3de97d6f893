import { AppError } from '../shared/errors.ts';
import type { SnapshotContent, SnapshotRepository } from './snapshot-ports.ts';

export interface DeleteSnapshotDeps {
  readonly snapshots: SnapshotRepository;
  readonly content: SnapshotContent;
}

/**
 * Milliseconds within which a put is followed by its row at the latest (twice the longest request, and
 * more): younger content without a row is left alone.
 */
export const ROW_GRACE_MS: number = 15 * 60 * 1000;

/**
 * Removes a snapshot of the project. Its bytes go too, unless another snapshot, of whatever project, has the same
 * content; those of the last few minutes go with a later sweep.
 * @throws {AppError} `dom_not_found`, also for a snapshot of another project
 */
export async function deleteSnapshot(deps: DeleteSnapshotDeps, projectId: string, domId: string): Promise<void> {
  const row = await deps.snapshots.find(projectId, domId);
  if (row === undefined || !(await deps.snapshots.delete(projectId, domId))) {
    throw new AppError('dom_not_found', 'no such snapshot; it is unknown, expired or of another project');
  }
  // The snapshot is gone, whatever becomes of its bytes: the sweep looks for what no row refers to.
  await removeUnreferenced(deps, [row.hash]).catch(() => undefined);
}

/**
 * Removes those contents that no row refers to; returns their addresses.
 * @param now milliseconds since 1970, from before the call: a row that comes later belongs to content that was put later
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
