/** The schemas of batches in the console. */
import { z } from 'zod';
import { BATCH_STATES, batchLineSchema, batchSchema } from '../api/batches.ts';
import { errorBodySchema } from '../api/responses.ts';
import { DOUBT_CODES } from '../shared/warning-codes.ts';

const requestId = z.string();

export const batchQuerySchema = z
  .strictObject({
    state: z.enum(BATCH_STATES).optional(),
    cursor: z.string().max(200).optional(),
    limit: z.coerce.number().int().min(1).max(100).optional().describe('Default 20.'),
  })
  .meta({ id: 'BatchQuery' });
export type BatchQuery = z.infer<typeof batchQuerySchema>;

export const batchListSchema = z
  .object({ request_id: requestId, items: z.array(batchSchema), next_cursor: z.string().nullable() })
  .meta({ id: 'BatchList' });
export type BatchList = z.infer<typeof batchListSchema>;

/** How a request or an item of a batch ended; `doubtful`: it succeeded with warnings. */
export const RESULT_OUTCOMES = ['succeeded', 'doubtful', 'failed'] as const;
export type ResultOutcome = (typeof RESULT_OUTCOMES)[number];

export const batchItemQuerySchema = z
  .strictObject({
    outcome: z
      .enum(RESULT_OUTCOMES)
      .optional()
      .describe('`doubtful`: succeeded with warnings, which `succeeded` includes.'),
    after: z.coerce.number().int().min(-1).optional().describe('Index above which the list begins.'),
    limit: z.coerce.number().int().min(1).max(100).optional().describe('Default 20.'),
  })
  .meta({ id: 'BatchItemQuery' });
export type BatchItemQuery = z.infer<typeof batchItemQuerySchema>;

/** A finished item without the content of its page. */
export const batchItemSchema = z
  .object({
    index: z.int().min(0),
    url: z.string().nullable(),
    dom_id: z.string().nullable().describe('Snapshot of the item.'),
    title: z.string().nullable(),
    template_id: z.string().nullable(),
    engine: z.string().nullable(),
    confidence: z.number().nullable(),
    warnings: z.array(z.enum(DOUBT_CODES)).describe('Codes of the reasons to doubt the text.'),
    error: errorBodySchema.nullable(),
  })
  .meta({ id: 'BatchItem' });
export type BatchItemBody = z.infer<typeof batchItemSchema>;

export const batchItemResponseSchema = z
  .object({ request_id: requestId, item: batchLineSchema })
  .meta({ id: 'BatchItemResponse' });
export type BatchItemResponse = z.infer<typeof batchItemResponseSchema>;

export const batchItemListSchema = z
  .object({
    request_id: requestId,
    items: z.array(batchItemSchema),
    next_after: z.int().nullable().describe('`after` of the next page; null on the last one.'),
  })
  .meta({ id: 'BatchItemList' });
export type BatchItemList = z.infer<typeof batchItemListSchema>;
