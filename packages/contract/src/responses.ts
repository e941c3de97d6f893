/** The schemas of the responses. The types of the service, the SDK and the console are inferred from them. */
import { z } from 'zod';
import { ERROR_CODES, STAGES } from './errors.ts';

export const PAGE_TYPES = ['article', 'forum', 'product', 'collection', 'listing', 'documentation', 'service'] as const;
export type PageType = (typeof PAGE_TYPES)[number];

const requestId = z.string().meta({ description: 'Request correlation id, also in the X-Request-ID header.' });
const nullableString = z.string().nullable();

export const linkSchema = z
  .object({
    url: z.string().meta({ description: 'Absolute URL.' }),
    text: z.string(),
    rel: nullableString,
    internal: z.boolean().meta({ description: "Whether it leads to the page's own site." }),
    in_main: z.boolean().meta({ description: 'Whether it stands in the main content.' }),
  })
  .meta({ id: 'Link' });
export type Link = z.infer<typeof linkSchema>;

export const imageSchema = z
  .object({
    url: z.string().meta({ description: 'Absolute URL, lazy sources resolved to the best one.' }),
    alt: nullableString.meta({ description: "Null where the page states none; '' where it states an empty one." }),
    width: z.int().nullable(),
    height: z.int().nullable(),
    in_main: z.boolean(),
  })
  .meta({ id: 'Image' });
export type Image = z.infer<typeof imageSchema>;

export const customFieldSchema = z.union([z.string(), z.number(), z.array(z.string()), z.null()]);

export const traceStepSchema = z
  .object({
    stage: z.enum(STAGES),
    status: z.enum(['ok', 'failed', 'skipped']),
    started_ms: z.number().meta({ description: "Milliseconds from the request's arrival." }),
    elapsed_ms: z.number(),
    detail: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'TraceStep' });
export type TraceStep = z.infer<typeof traceStepSchema>;

export const resultSchema = z
  .object({
    url: nullableString.meta({
      description: 'The requested URL; with dom_id alone, the URL the snapshot was taken from.',
    }),
    final_url: z.string(),
    status_code: z.int(),
    title: nullableString,
    description: nullableString,
    main_text: z.string().meta({
      description: 'Paragraphs separated by blank lines; list items and table rows on lines of their own.',
    }),
    publish_time: nullableString.meta({
      description: 'RFC 3339 with time and zone, YYYY-MM-DDTHH:MM:SS without zone, YYYY-MM-DD for a day.',
    }),
    author: nullableString,
    language: nullableString.meta({ description: 'BCP 47 tag.' }),
    links: z.array(linkSchema).meta({ description: 'At most 100,000, and 20 million characters: of more, the first.' }),
    images: z
      .array(imageSchema)
      .meta({ description: 'At most 100,000, and 20 million characters: of more, the first.' }),
    engine: z.string(),
    dom_id: z.string(),
    template_id: z.string(),
    markdown: z.string().optional().meta({ description: 'With extract.formats: the main content as Markdown.' }),
    html: z.string().optional().meta({ description: 'With extract.formats: the main content as clean HTML.' }),
    fields: z
      .record(z.string(), customFieldSchema)
      .optional()
      .meta({ description: "The site template's custom fields, when it has any." }),
  })
  .meta({ id: 'ExtractResult' });
export type ExtractResult = z.infer<typeof resultSchema>;

export const metadataSchema = z
  .object({
    dom_id: z.string(),
    template_id: z.string(),
    server_elapsed_ms: z.number(),
    engine: z.string(),
    fetched_at: z.string(),
    page_type: z.enum(PAGE_TYPES),
    confidence: z.number().meta({ description: 'Expected word F1 of main_text, 0 to 1, calibrated.' }),
    partial: z.literal(true).optional().meta({
      description: 'The page was fetched for this answer and taken at its deadline, as it was by then.',
    }),
  })
  .meta({ id: 'ExtractMetadata' });
export type ExtractMetadata = z.infer<typeof metadataSchema>;

export const extractResponseSchema = z
  .object({
    request_id: requestId,
    template_id: z.string(),
    result: resultSchema,
    metadata: metadataSchema,
    trace: z.array(traceStepSchema).optional(),
    raw_dom: z.string().optional(),
  })
  .meta({ id: 'ExtractResponse' });
export type ExtractResponse = z.infer<typeof extractResponseSchema>;

export const redirectSchema = z.object({ url: z.string(), status_code: z.int() }).meta({ id: 'Redirect' });

export const engineAttemptSchema = z
  .object({
    engine: z.string(),
    outcome: z.enum(['captured', 'rejected', 'failed']),
    reason: nullableString,
    error_code: z.enum(ERROR_CODES).nullable(),
    elapsed_ms: z.number(),
  })
  .meta({ id: 'EngineAttempt' });
export type EngineAttemptBody = z.infer<typeof engineAttemptSchema>;

export const dumpDebugSchema = z
  .object({
    engine_attempts: z.array(engineAttemptSchema),
    redirects: z.array(redirectSchema),
    content_type: nullableString,
    charset: nullableString,
    protocol: nullableString,
    transfer_bytes: z.int().nullable(),
    body_bytes: z.int().nullable(),
    html_bytes: z.int(),
    stored_bytes: z.int(),
    timings: z.record(z.string(), z.number()),
    blocked_requests: z.array(z.object({ url: z.string(), reason: z.string() })),
    partial: z.boolean().meta({ description: "The deadline came before the engine's readiness." }),
    filtered: z.boolean(),
  })
  .meta({ id: 'DumpDebug' });
export type DumpDebug = z.infer<typeof dumpDebugSchema>;

export const dumpResponseSchema = z
  .object({
    request_id: requestId,
    url: z.string(),
    final_url: z.string(),
    status_code: z.int(),
    fetched_at: z.string(),
    engine: z.string(),
    dom_id: z.string(),
    html: z.string(),
    debug: dumpDebugSchema,
  })
  .meta({ id: 'DumpResponse' });
export type DumpResponse = z.infer<typeof dumpResponseSchema>;

export const errorBodySchema = z
  .object({
    code: z.enum(ERROR_CODES).meta({ description: 'Machine-readable code.', examples: ['http_status_not_ok'] }),
    message: z.string().meta({
      description: 'What failed and what to do about it, for people; its wording may change.',
      examples: ['the target answered with status 404'],
    }),
    stage: z.enum(STAGES).meta({ description: 'Stage of the request in which the error arose.', examples: ['fetch'] }),
    retryable: z.boolean().meta({
      description:
        'Whether the same request can succeed when it is sent again later: false for a permanent refusal, true for a passing fault.',
      examples: [false],
    }),
    retry_after_ms: z
      .int()
      .min(0)
      .optional()
      .meta({
        description:
          'Milliseconds to wait before the next try, where that is known: from the quota, the load of this service, or the Retry-After header of the target.',
        examples: [2000],
      }),
    upstream_status_code: z
      .int()
      .optional()
      .meta({
        description:
          'Status of the target site; present only when the site returned a status that is not accepted, with a block page too.',
        examples: [404],
      }),
  })
  .meta({ id: 'ErrorBody' });
export type ErrorBody = z.infer<typeof errorBodySchema>;

export const errorResponseSchema = z
  .object({
    request_id: requestId,
    error: errorBodySchema,
    metadata: z
      .object({ dom_id: z.string() })
      .optional()
      .meta({ description: 'When a snapshot was taken before the failure.' }),
    trace: z.array(traceStepSchema).optional(),
    raw_dom: z.string().optional(),
  })
  .meta({ id: 'ErrorResponse' });
export type ErrorResponse = z.infer<typeof errorResponseSchema>;

export const indexResponseSchema = z
  .object({
    request_id: requestId,
    name: z.literal('winnow'),
    version: z.string(),
    links: z
      .object({
        console: z.string(),
        docs: z.string(),
        openapi: z.string(),
        extract: z.string(),
        health: z.string(),
        ready: z.string(),
      })
      .meta({ description: 'Paths, or addresses, of the parts of the service.' }),
  })
  .meta({ id: 'IndexResponse' });
export type IndexResponse = z.infer<typeof indexResponseSchema>;

export const healthResponseSchema = z
  .object({ request_id: requestId, status: z.literal('ok') })
  .meta({ id: 'HealthResponse' });

export const readyResponseSchema = z
  .object({
    request_id: requestId,
    status: z.enum(['ready', 'not_ready']),
    checks: z.record(z.string(), z.object({ ok: z.boolean(), detail: z.string(), elapsed_ms: z.number() })),
  })
  .meta({ id: 'ReadyResponse' });
export type ReadyResponse = z.infer<typeof readyResponseSchema>;
