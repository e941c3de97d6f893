/** The schemas of `/v1/batches`: many pages in one request, processed in the background by all nodes. */
import { z } from 'zod';
import { boolean, count, defaulted, described, text, toggle, documented } from './described.ts';
import { DEFAULT_LIMITS } from '../shared/limits.ts';
import { pageOptionsSchema } from './request-options.ts';
import { contentFields } from './content-fields.ts';
import { FORMATS, urlField } from './requests.ts';
import type { RequestSchemaOptions } from '../shared/operation.ts';
import { errorBodySchema, metadataSchema, resultSchema } from './responses.ts';

/** URLs and dom_ids together. */
export const MAX_BATCH_ITEMS = 100_000;

/** A repeated request with the same value returns the existing batch. */
export const IDEMPOTENCY_HEADER = 'Idempotency-Key';

/** 1 to 255 printable ASCII characters. */
export const IDEMPOTENCY_KEY_PATTERN = /^[\x21-\x7e]{1,255}$/;

/** `running` until every item is finished or the batch is cancelled. */
export const BATCH_STATES = ['running', 'completed', 'cancelled'] as const;
export type BatchState = (typeof BATCH_STATES)[number];

export const WEBHOOK_STATES = ['waiting', 'delivered', 'failed'] as const;
export type WebhookState = (typeof WEBHOOK_STATES)[number];

/** `whsec_` and the base64 of 24 to 64 bytes (https://www.standardwebhooks.com). */
export const WEBHOOK_SECRET_PATTERN = /^whsec_(?:[A-Za-z0-9+/]{4}){8,21}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** PostgreSQL text cannot contain U+0000. */
export function withoutNul(schema: z.ZodString): z.ZodString {
  return schema.refine((value) => !value.includes('\0'), 'must not contain the character U+0000');
}

/** The fields of items and options, for JSON, JSON Lines and crawls. */
export function batchFields(options: RequestSchemaOptions) {
  const url = withoutNul(urlField(options.limits ?? DEFAULT_LIMITS));
  const domId = z.string().trim().min(1, 'must not be empty').max(128, 'must have at most 128 characters');
  return {
    url,
    domId: withoutNul(domId).refine((value) => value.isWellFormed(), 'must not contain half a character'),
    options: {
      formats: defaulted(
        z.array(z.enum(FORMATS)).max(FORMATS.length),
        'Further parts of each result, as in an extract request.',
        { default: [], example: ['markdown'] },
      ).optional(),
      ...contentFields,
      options: pageOptionsSchema(options, { description: 'Time limit of each page.' }).optional().meta({
        description:
          'How the pages are captured; the same object as in a dump. With headers or cookies all urls must be of one site.',
      }),
      respect_robots: toggle("Respect each site's robots.txt (RFC 9309).", true),
      webhook: z
        .strictObject({
          url: described(
            url,
            'Receives a POST when the batch is completed (`batch.completed`), or when the last running item of a cancelled batch has ended (`batch.cancelled`); http or https.',
            'https://example.org/hooks/winnow',
          ),
          secret: described(
            z.string().regex(WEBHOOK_SECRET_PATTERN, 'must be whsec_ and the base64 of 24 to 64 bytes'),
            'Signs the call as standardwebhooks.com specifies: `whsec_` and base64.',
            'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3',
          ),
        })
        .optional()
        .describe('A call to make when the batch has ended.'),
    },
  };
}

export function batchRequestSchema(options: RequestSchemaOptions = {}) {
  const fields = batchFields(options);
  return z
    .strictObject({
      urls: described(z.array(fields.url).max(MAX_BATCH_ITEMS), 'Pages to fetch and extract, http or https.', [
        'https://example.com/news/1',
      ]).optional(),
      dom_ids: described(
        z.array(fields.domId).max(MAX_BATCH_ITEMS),
        'Snapshots to extract from; nothing is fetched for them.',
        ['dom_01J9ZC8X9A4Q7W2E5R8T1Y3V6K'],
      ).optional(),
      ...fields.options,
    })
    .refine(({ urls = [], dom_ids: domIds = [] }) => urls.length + domIds.length > 0, {
      message: 'needs at least one of urls and dom_ids',
    })
    .refine(({ urls = [], dom_ids: domIds = [] }) => urls.length + domIds.length <= MAX_BATCH_ITEMS, {
      message: `must have at most ${MAX_BATCH_ITEMS} urls and dom_ids together`,
    })
    .meta({
      id: 'BatchRequest',
      description: 'Body of POST /v1/batches. At least one of urls and dom_ids is required.',
      anyOf: [{ required: ['urls'] }, { required: ['dom_ids'] }],
    });
}

/** A line of `POST /v1/batches` as JSON Lines: one item. */
export function batchItemLineSchema(options: RequestSchemaOptions = {}) {
  const fields = batchFields(options);
  return z
    .strictObject({
      url: fields.url.optional().meta({
        description: 'A page to fetch and extract, http or https.',
        examples: ['https://example.com/news/1'],
      }),
      dom_id: fields.domId.optional().meta({
        description: 'A snapshot to extract from; nothing is fetched for it.',
        examples: ['dom_01J9ZC8X9A4Q7W2E5R8T1Y3V6K'],
      }),
    })
    .refine((item) => (item.url === undefined) !== (item.dom_id === undefined), 'needs either url or dom_id')
    .meta({
      id: 'BatchItemLine',
      description: 'One item of a batch as JSON Lines: either a url or a dom_id.',
      minProperties: 1,
      maxProperties: 1,
    });
}

export type BatchItemLine = z.infer<ReturnType<typeof batchItemLineSchema>>;

/** The optional first line of `POST /v1/batches` as JSON Lines: options of all items. */
export function batchOptionsLineSchema(options: RequestSchemaOptions = {}) {
  return z.strictObject(batchFields(options).options).meta({
    id: 'BatchOptionsLine',
    description: 'Options of a batch as JSON Lines, in its first line.',
  });
}

export function batchBodyLineSchema(options: RequestSchemaOptions = {}) {
  return z.union([batchItemLineSchema(options), batchOptionsLineSchema(options)]).meta({
    description:
      'One item a line, in the order of the results. The first line may hold the options of the batch instead.',
  });
}

export type BatchOptionsLine = z.infer<ReturnType<typeof batchOptionsLineSchema>>;

export type BatchRequest = z.infer<ReturnType<typeof batchRequestSchema>>;

const skippedSchema = z
  .object({
    robots: count('Refused by robots.txt.', 0),
    scope: count(
      'Outside the site, host or path, or not chosen by include and exclude; also pages that redirect there.',
      12,
    ),
    depth: count('Deeper than max_depth.', 0),
    limit: count('Found when the crawl had as many pages as its limit.', 0),
    duplicate: count('Pages that turned out to be another address of a known page: by redirect or canonical link.', 1),
    unread: count('Pages whose links were not read, because the service failed on them.', 0),
    trap: count('Too many addresses of one shape, too long, too deep, or repeating themselves.', 0),
  })
  .describe('Links that were left out, by reason; a link counts once for each page that has it.');

const TIME_META = { format: 'date-time', examples: ['2026-11-24T17:41:06.000Z'] } as const;

/** What became of a page since the earlier crawl; `unknown`: the results of that crawl have expired meanwhile. */
export const PAGE_CHANGES = ['new', 'changed', 'unchanged', 'gone', 'unknown'] as const;
export type PageChange = (typeof PAGE_CHANGES)[number];

const changesSchema = z.object({
  new: count('Pages that the earlier crawl has no result of.', 2),
  changed: count('Pages with another main text.', 3),
  unchanged: count('Pages with the same main text.', 90),
  gone: count('Pages that are not found any more, or redirect out of the crawl.', 1),
  unknown: count('Pages that could not be compared, because the earlier results have expired meanwhile.', 0),
});

const changeSchema = z
  .object({
    state: described(z.enum(PAGE_CHANGES), 'What became of the page.', 'changed'),
    fetched_before: z
      .string()
      .optional()
      .meta({ description: 'When the earlier crawl fetched the page.', ...TIME_META }),
    diff: text(
      'Of a changed page: unified diff of the main text, up to 20,000 characters.',
      '@@ -1,1 +1,1 @@\n-Open until five.\n+Open until six.\n',
    ).optional(),
    diff_cut: boolean('The diff is cut, or left out because the texts have too little in common.', true).optional(),
  })
  .describe('What changed since the earlier crawl, in a crawl with `since`.');

export const batchSchema = documented('Batch', 'A batch and its progress.', {
  id: text('Id of the batch.', 'bat_01J9ZC8X9A4Q7W2E5R8T1Y3V6K'),
  state: z.enum(BATCH_STATES).meta({
    description: '`running` until every item is finished or the batch is cancelled.',
    examples: ['running'],
  }),
  total: count('Number of items.', 1000),
  counts: z
    .object({
      queued: count('Items that have not started.', 700),
      running: count('Items that are running.', 4),
      done: count('Items with a result.', 290),
      failed: count('Items with an error.', 6),
      cancelled: count('Items that had not started when the batch was cancelled.', 0),
    })
    .describe('Items by their state; together they are the total.'),
  kind: described(z.enum(['batch', 'crawl']), 'Whether its items were given or found.', 'batch'),
  crawl: z
    .object({
      url: text('Where it started: the final address of the start page.', 'https://example.com/'),
      skipped: skippedSchema,
      since: described(z.string().nullable(), 'The earlier crawl that the pages are compared with.', null),
      changes: changesSchema.nullable().describe('Pages by what became of them; null without `since`.'),
    })
    .nullable()
    .describe('What only a crawl has; null for another batch.'),
  respect_robots: boolean("Whether the sites' robots.txt is respected.", true),
  formats: described(z.array(z.enum(FORMATS)), 'Further parts of each result.', []),
  created_at: z.string().meta({ description: 'When the batch was created.', ...TIME_META }),
  finished_at: z
    .string()
    .nullable()
    .meta({ description: 'When the last item was finished; null until then.', ...TIME_META }),
  webhook: z
    .object({
      url: text('URL of the call.', 'https://example.org/hooks/winnow'),
      state: described(z.enum(WEBHOOK_STATES), 'Whether the call was made.', 'waiting'),
      attempts: count('Number of attempts so far.', 0),
    })
    .nullable()
    .describe('The call that is made when the batch has ended; null without one.'),
});
export type BatchBody = z.infer<typeof batchSchema>;

export const batchResponseSchema = documented('BatchResponse', 'Answer of the batch endpoints.', {
  request_id: text('Request correlation id, also in the X-Request-ID header.', 'req_01J9ZC8X6M4Q7W2E5R8T1Y3V6J'),
  batch: batchSchema,
});
export type BatchResponse = z.infer<typeof batchResponseSchema>;

export const batchLineSchema = documented('BatchLine', 'Outcome of one item of a batch, one JSON object a line.', {
  index: count('Index in the request: urls first, then dom_ids.', 0),
  url: text('URL of the item.', 'https://example.com/news/1').optional(),
  dom_id: text('Snapshot of the item.', 'dom_01J9ZC8X9A4Q7W2E5R8T1Y3V6K').optional(),
  template_id: text('Template that made the result.', 'generic:v1').optional(),
  result: resultSchema.optional(),
  metadata: metadataSchema.optional(),
  change: changeSchema.optional(),
  error: errorBodySchema.optional().describe('Replaces template_id, result and metadata.'),
});
export type BatchLine = z.infer<typeof batchLineSchema>;

/** A caller that continues after the last index then misses no item. */
const PAGES = 'With `after` or `limit` the lines end before the first item that is not finished.';

/** A number in a query, which is a text there. */
export const WHOLE_NUMBER = { type: 'integer', pattern: undefined } as const;

export const batchResultsQuerySchema = z.strictObject({
  after: z
    .string()
    .regex(/^\d{1,7}$/, 'must be the index of an item')
    .optional()
    .meta({ description: `Only items with an index above this one. ${PAGES}`, ...WHOLE_NUMBER, minimum: 0 }),
  limit: z
    .string()
    .regex(/^[1-9]\d{0,5}$/, 'must be a number from 1 to 999999')
    .optional()
    .meta({ description: `Maximum number of lines. Default: all. ${PAGES}`, ...WHOLE_NUMBER, minimum: 1 }),
});
