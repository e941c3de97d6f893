/** The schemas of `/v1/batches`: many pages in one order, worked on in the background by all nodes. */
import { z } from 'zod';
import { DEFAULT_LIMITS } from './limits.ts';
import { FAVORS, FORMATS } from './requests.ts';
import type { RequestSchemaOptions } from './requests.ts';
import { errorBodySchema, metadataSchema, resultSchema } from './responses.ts';

/** URLs and dom_ids together. */
export const MAX_BATCH_ITEMS = 100_000;

/** Repeating a request with the same value gives the batch of the first one; nothing is done twice. */
export const IDEMPOTENCY_HEADER = 'Idempotency-Key';

/** 1 to 255 printable ASCII characters. */
export const IDEMPOTENCY_KEY_PATTERN = /^[\x21-\x7e]{1,255}$/;

/** `running` until every item is finished or the batch is cancelled. */
export const BATCH_STATES = ['running', 'completed', 'cancelled'] as const;
export type BatchState = (typeof BATCH_STATES)[number];

export const WEBHOOK_STATES = ['waiting', 'delivered', 'failed'] as const;
export type WebhookState = (typeof WEBHOOK_STATES)[number];

/** As https://www.standardwebhooks.com has it: `whsec_` and the base64 of 24 to 64 bytes. */
const WEBHOOK_SECRET_PATTERN = /^whsec_(?:[A-Za-z0-9+/]{4}){8,21}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** These texts are stored as they come: no text of PostgreSQL holds U+0000, and UTF-8 has no half a character. */
function storable(text: z.ZodString): z.ZodString {
  return text
    .refine((value) => !value.includes('\0'), 'must not contain the character U+0000')
    .refine((value) => value.isWellFormed(), 'must not contain half a character');
}

/** The body of `POST /v1/batches`. */
export function batchRequestSchema(options: RequestSchemaOptions = {}) {
  const { maxUrlLength } = options.limits ?? DEFAULT_LIMITS;
  const url = z.string().min(1, 'must not be empty').max(maxUrlLength, `must have at most ${maxUrlLength} characters`);
  const domId = z.string().min(1, 'must not be empty').max(128, 'must have at most 128 characters');
  return z
    .strictObject({
      urls: z
        .array(storable(url))
        .max(MAX_BATCH_ITEMS)
        .optional()
        .meta({ description: 'Pages to fetch and extract, http or https.' }),
      dom_ids: z
        .array(storable(domId))
        .max(MAX_BATCH_ITEMS)
        .optional()
        .meta({ description: 'Snapshots to extract from; nothing is fetched for them.' }),
      formats: z
        .array(z.enum(FORMATS))
        .max(FORMATS.length)
        .optional()
        .meta({ description: 'Further renderings of the main content, as in an extract request.' }),
      favor: z.enum(FAVORS).optional().meta({
        description: 'What the main text should rather be, as in an extract request. Default: balanced.',
      }),
      respect_robots: z
        .boolean()
        .optional()
        .meta({ description: "Heed each site's robots.txt (RFC 9309). Default: true." }),
      webhook: z
        .strictObject({
          url: storable(url).meta({
            description:
              'Told by a POST when the batch is completed (`batch.completed`), or was cancelled and the last of its items has ended (`batch.cancelled`); http or https.',
          }),
          secret: z
            .string()
            .regex(WEBHOOK_SECRET_PATTERN, 'must be whsec_ and the base64 of 24 to 64 bytes')
            .meta({ description: 'Signs the call, as standardwebhooks.com has it: `whsec_` and base64.' }),
        })
        .optional(),
    })
    .refine(({ urls = [], dom_ids: domIds = [] }) => urls.length + domIds.length > 0, {
      message: 'needs at least one of urls and dom_ids',
    })
    .refine(({ urls = [], dom_ids: domIds = [] }) => urls.length + domIds.length <= MAX_BATCH_ITEMS, {
      message: `must have at most ${MAX_BATCH_ITEMS} urls and dom_ids together`,
    })
    .meta({ id: 'BatchRequest' });
}

export type BatchRequest = z.infer<ReturnType<typeof batchRequestSchema>>;

const count = z.int().min(0);

export const batchSchema = z
  .object({
    id: z.string(),
    state: z.enum(BATCH_STATES),
    total: count,
    counts: z
      .object({ queued: count, running: count, done: count, failed: count, cancelled: count })
      .meta({ description: 'Items by their state; together they are the total.' }),
    respect_robots: z.boolean(),
    formats: z.array(z.enum(FORMATS)),
    created_at: z.string(),
    finished_at: z.string().nullable(),
    webhook: z.object({ url: z.string(), state: z.enum(WEBHOOK_STATES), attempts: count }).nullable(),
  })
  .meta({ id: 'Batch' });
export type BatchBody = z.infer<typeof batchSchema>;

export const batchResponseSchema = z
  .object({ request_id: z.string(), batch: batchSchema })
  .meta({ id: 'BatchResponse' });
export type BatchResponse = z.infer<typeof batchResponseSchema>;

/** One line of `GET /v1/batches/{id}/results`. */
export const batchLineSchema = z
  .object({
    index: z.int().min(0).meta({ description: 'Place in the request: urls first, then dom_ids.' }),
    url: z.string().optional(),
    dom_id: z.string().optional(),
    template_id: z.string().optional(),
    result: resultSchema.optional(),
    metadata: metadataSchema.optional(),
    error: errorBodySchema.optional().meta({ description: 'In place of template_id, result and metadata.' }),
  })
  .meta({ id: 'BatchLine' });
export type BatchLine = z.infer<typeof batchLineSchema>;

/** The query of `GET /v1/batches/{id}/results`. */
export const batchResultsQuerySchema = z.strictObject({
  after: z
    .string()
    .regex(/^\d{1,7}$/, 'must be the index of an item')
    .optional(),
  limit: z
    .string()
    .regex(/^[1-9]\d{0,5}$/, 'must be a number from 1 to 999999')
    .optional(),
});

/** In the form of path parameters that Fastify has. */
export const BATCH_PATHS = {
  list: '/v1/batches',
  one: '/v1/batches/:id',
  results: '/v1/batches/:id/results',
  cancel: '/v1/batches/:id/cancel',
} as const;

/** Stored snapshots, in the same form. */
export const SNAPSHOT_PATHS = { one: '/v1/snapshots/:dom_id' } as const;
