/** What the rows of batches take on the disk, roughly: their texts, and a fixed share for the rest of each row. */
import type { NewBatch } from './batch-ports.ts';

/** Bytes of a batch's own row. */
export const BATCH_ROW_BYTES = 1024;
/** Bytes of an item's row, its text apart. */
export const ITEM_ROW_BYTES = 128;
/** Bytes of a result's row, its body apart. */
export const RESULT_ROW_BYTES = 64;

/** Bytes that a batch takes before it has results. */
export function batchBytes({ items, webhook }: Pick<NewBatch, 'items' | 'webhook'>): number {
  const texts = items.reduce((sum, { value }) => sum + Buffer.byteLength(value), 0);
  return BATCH_ROW_BYTES + Buffer.byteLength(webhook?.url ?? '') + items.length * ITEM_ROW_BYTES + texts;
}
