import type { NewBatch } from './batch-ports.ts';

/** Estimates. */
export const BATCH_ROW_BYTES = 1024;
/** Without its text. */
export const ITEM_ROW_BYTES = 128;
/** Without its body. */
export const RESULT_ROW_BYTES = 64;

/** Estimates a batch without results. */
export function batchBytes({ items, webhook }: Pick<NewBatch, 'items' | 'webhook'>): number {
  const texts = items.reduce((sum, { value }) => sum + Buffer.byteLength(value), 0);
  return BATCH_ROW_BYTES + Buffer.byteLength(webhook?.url ?? '') + items.length * ITEM_ROW_BYTES + texts;
}
