import { z } from 'zod';
import { answer, named, namedStrict } from '../api/described.ts';
import { BATCH_STATES, batchLineSchema, batchSchema } from '../api/batches.ts';
import { errorBodySchema } from '../api/responses.ts';
import { DOUBT_CODES } from '../shared/warning-codes.ts';

export const batchQuerySchema = namedStrict('BatchQuery', {
  state: z.enum(BATCH_STATES).optional(),
  cursor: z.string().max(200).optional(),
  limit: z.coerce.number().int().min(1).max(100).optional().describe('Default 20.'),
});
export type BatchQuery = z.infer<typeof batchQuerySchema>;

export const batchListSchema = answer('BatchList', { items: z.array(batchSchema), next_cursor: z.string().nullable() });
export type BatchList = z.infer<typeof batchListSchema>;

/** How a request or an item of a batch ended; `doubtful`: it succeeded with warnings. */
export const RESULT_OUTCOMES = ['succeeded', 'doubtful', 'failed'] as const;
export type ResultOutcome = (typeof RESULT_OUTCOMES)[number];

export const batchItemQuerySchema = namedStrict('BatchItemQuery', {
  outcome: z
    .enum(RESULT_OUTCOMES)
    .optional()
    .describe('`doubtful`: succeeded with warnings, which `succeeded` includes.'),
  after: z.coerce.number().int().min(-1).optional().describe('Index above which the list begins.'),
  limit: z.coerce.number().int().min(1).max(100).optional().describe('Default 20.'),
});
export type BatchItemQuery = z.infer<typeof batchItemQuerySchema>;

/** A finished item without the content of its page. */
export const batchItemSchema = named('BatchItem', {
  index: z.int().min(0),
  url: z.string().nullable(),
  dom_id: z.string().nullable().describe('Snapshot of the item.'),
  title: z.string().nullable(),
  template_id: z.string().nullable(),
  engine: z.string().nullable(),
  confidence: z.number().nullable(),
  warnings: z.array(z.enum(DOUBT_CODES)).describe('Codes of the reasons to doubt the text.'),
  error: errorBodySchema.nullable(),
});
export type BatchItemBody = z.infer<typeof batchItemSchema>;

export const batchItemResponseSchema = answer('BatchItemResponse', { item: batchLineSchema });
export type BatchItemResponse = z.infer<typeof batchItemResponseSchema>;

export const batchItemListSchema = answer('BatchItemList', {
  items: z.array(batchItemSchema),
  next_after: z.int().nullable().describe('`after` of the next page; null on the last one.'),
});
export type BatchItemList = z.infer<typeof batchItemListSchema>;
