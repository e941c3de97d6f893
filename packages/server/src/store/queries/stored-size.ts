/**
 * Estimates the disk space of snapshot rows: their texts plus a fixed share for other columns and indexes. It prevents
 * callers from filling the database with rows of small or shared content.
 */
const SNAPSHOT_ROW_BYTES = 512;
const SNAPSHOT_TEXTS = ['url', 'final_url', 'content_type', 'content_language'] as const;

/** Returns the bytes of a snapshot's row, without its content and attachments. */
export function snapshotRowBytes(row: Readonly<Record<(typeof SNAPSHOT_TEXTS)[number], string | null>>): number {
  return SNAPSHOT_TEXTS.reduce((sum, column) => sum + Buffer.byteLength(row[column] ?? ''), SNAPSHOT_ROW_BYTES);
}

/** Makes external text storable in both databases: PostgreSQL text has no U+0000, and UTF-8 has no lone surrogates. */
export function toStorable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}
