import { createHash } from 'node:crypto';
import type { SnapshotContent } from '../packages/server/src/domain/storage/snapshot-ports.ts';
import type { Store } from '../packages/server/src/store/open-store.ts';

/**
 * Reads the stored data directly and finds acknowledged snapshots that are missing or changed.
 * @param acknowledged `dom_id` → {@link hashOf} of the HTML in its answer; all of the first project
 * @returns the `dom_id`s of lost snapshots
 */
export async function findLost(
  store: Store,
  content: SnapshotContent,
  acknowledged: ReadonlyMap<string, string>,
): Promise<string[]> {
  const [project] = await store.projects.list();
  const lost: string[] = [];
  for (const [domId, hash] of acknowledged) {
    const row = await store.snapshots.find(project?.id ?? '', domId);
    const html = row && (await content.get(row.hash).catch(() => undefined));
    if (html === undefined || hashOf(html) !== hash) lost.push(domId);
  }
  return lost;
}

/** SHA-256 of a text, lower-case hex. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
