import { AppError } from '../shared/errors.ts';
import type { SnapshotContent, SnapshotRepository, SnapshotRow } from './snapshot-ports.ts';

export interface ReadContentDeps {
  readonly snapshots: Pick<SnapshotRepository, 'find'>;
  readonly content: Pick<SnapshotContent, 'get'>;
}

/**
 * Reads content that a snapshot has: its page, or another one by its hash.
 * @throws {AppError} `dom_not_found` if the snapshot was removed meanwhile; `internal` if the store does not have it,
 *   because its folder or bucket is gone
 */
export async function readContent(
  { snapshots, content }: ReadContentDeps,
  { projectId, domId, hash: page }: SnapshotRow,
  hash: string = page,
): Promise<string> {
  const text = await content.get(hash);
  if (text !== undefined) return text;
  // A removal deletes the row first.
  if ((await snapshots.find(projectId, domId)) === undefined)
    throw new AppError('dom_not_found', 'the snapshot was removed while it was read');
  const message = `the snapshot store does not have the content of ${domId}; is its folder or bucket gone?`;
  throw new AppError('internal', message, { stage: 'snapshot' });
}
