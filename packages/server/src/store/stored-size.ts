/**
 * What the rows of snapshots take on the disk, roughly: their texts, and a fixed share for the rest of the row and its
 * indexes. Without it a caller could fill the database with rows whose content is small or shared.
 */
import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';

const SNAPSHOT_ROW_BYTES = 512;
const SNAPSHOT_TEXTS = ['url', 'final_url', 'content_type', 'content_language'] as const;

type SnapshotTexts = Readonly<Record<(typeof SNAPSHOT_TEXTS)[number], string | null>>;

/** Bytes that the row of a snapshot takes, without its content. */
export function snapshotRowBytes(row: SnapshotTexts): number {
  return SNAPSHOT_TEXTS.reduce((sum, column) => sum + Buffer.byteLength(row[column] ?? ''), SNAPSHOT_ROW_BYTES);
}

/** The same as {@link snapshotRowBytes}, counted by the database. */
export function snapshotRowBytesInSql(): RawBuilder<number> {
  const texts = SNAPSHOT_TEXTS.map((column) => sql`octet_length(coalesce(${sql.ref(column)}, ''))`);
  return sql<number>`${sql.lit(SNAPSHOT_ROW_BYTES)} + ${sql.join(texts, sql` + `)}`;
}
