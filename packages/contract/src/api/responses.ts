/** The schemas of the responses. The types of the service, the SDK and the console are inferred from them. */
import { z } from 'zod';
import { boolean, count, described, integer, nullableInteger, nullableText, text, documented } from './described.ts';
import { attachmentFields } from './attachments.ts';
import { ERROR_CODES, STAGES } from '../shared/errors.ts';
import { blockedRequestsSchema, engineAttemptSchema, redirectSchema } from './capture-parts.ts';
import { chunkSchema } from './content-fields.ts';
import { statedSchema } from './stated.ts';
import { warningSchema } from './warnings.ts';
import { traceStepSchema } from './stage-details.ts';

export const PAGE_TYPES = ['article', 'forum', 'product', 'collection', 'listing', 'documentation', 'service'] as const;
export type PageType = (typeof PAGE_TYPES)[number];

const EXAMPLE = {
  requestId: 'req_01J9ZC8X6M4Q7W2E5R8T1Y3V6J',
  domId: 'dom_01J9ZC8X9A4Q7W2E5R8T1Y3V6K',
  url: 'https://example.com/news/1',
  time: '2026-11-24T17:41:06.000Z',
} as const;

const requestId = text('Request correlation id, also in the X-Request-ID header.', EXAMPLE.requestId);
const domId = text('Id of the stored snapshot.', EXAMPLE.domId);
const finalUrl = text('URL of the captured document, after redirects.', EXAMPLE.url);
const statusCode = integer('HTTP status of the target site.', 200);
const fetchedAt = z
  .string()
  .meta({ description: 'When the page was captured.', format: 'date-time', examples: [EXAMPLE.time] });
const engine = text(
  'Engine that captured the page, by the name of this deployment; never auto and never an alias.',
  'http',
);
const templateId = text(
  'Template that made the result: `generic:v1`, the built-in extractor, or a template or evidence of the site. Answered for project keys and for standalone keys.',
  'generic:v1',
);
const rawDom = text('The captured HTML; only with trace.include_raw_dom.', '<!doctype html><html>…').optional();
export const linkSchema = documented('Link', 'A link of the page.', {
  url: text('Absolute URL.', 'https://example.com/more'),
  text: text('Text of the link.', 'More'),
  rel: nullableText("The link's rel attribute, null without one.", 'nofollow'),
  internal: boolean("Whether the link leads to the page's own site.", true),
  in_main: boolean('Whether the link is in the main content.', true),
});
export type Link = z.infer<typeof linkSchema>;

export const imageSchema = documented('Image', 'An image of the page.', {
  url: text('Absolute URL; lazy sources are resolved to the best one.', 'https://example.com/fish.png'),
  alt: nullableText("Alternative text: null where the page states none, '' where it states an empty one.", 'Fish'),
  width: nullableInteger('Width that the page states, in pixels.', 640),
  height: nullableInteger('Height that the page states, in pixels.', 480),
  in_main: boolean('Whether the image is in the main content.', true),
});
export type Image = z.infer<typeof imageSchema>;

export const customFieldSchema = z
  .union([z.string(), z.number(), z.array(z.union([z.string(), z.number()])), z.null()])
  .describe('Value of a custom field; null where the page has none.');

export const resultSchema = documented('ExtractResult', 'Content extracted from the page.', {
  url: nullableText('The requested URL; with dom_id, the URL that the snapshot was taken from.', EXAMPLE.url),
  final_url: finalUrl,
  status_code: statusCode,
  title: nullableText('Title of the page.', 'The market by the harbour'),
  description: nullableText('Summary that the page states.', 'What is sold at the harbour.'),
  main_text: text(
    'The main content as text: paragraphs separated by blank lines; list items and table rows on lines of their own.',
    'The harbour town keeps its old market.\n\nThe fishermen sell there every morning.',
  ),
  publish_time: nullableText(
    'RFC 3339 with time and zone, YYYY-MM-DDTHH:MM:SS without zone, YYYY-MM-DD for a day.',
    '2024-05-06T07:08:09+02:00',
  ),
  author: nullableText('Authors, as the page names them.', 'Ada Example'),
  language: nullableText('Language of the main content, as a BCP 47 tag.', 'en'),
  links: z.array(linkSchema).describe('Links of the page: the first 100,000, up to 20 million characters.'),
  images: z.array(imageSchema).describe('Images of the page: the first 100,000, up to 20 million characters.'),
  engine,
  dom_id: domId,
  template_id: templateId,
  markdown: text('With extract.formats: the main content as Markdown.', '# The market by the harbour').optional(),
  html: text('With extract.formats: the main content as clean HTML.', '<p>The harbour town …</p>').optional(),
  stated: statedSchema.optional(),
  chunks: z
    .array(chunkSchema)
    .optional()
    .describe('With extract.chunks: the whole Markdown in parts, in order, without overlap.'),
  fields: described(
    z.record(z.string(), customFieldSchema),
    "With extract.fields: the requested values. Also the site template's custom fields, when it has any.",
    { price: 12.5 },
  ).optional(),
});
export type ExtractResult = z.infer<typeof resultSchema>;

export const metadataSchema = documented('ExtractMetadata', 'Metadata of the extraction.', {
  dom_id: domId,
  template_id: templateId,
  server_elapsed_ms: count('Time from the arrival of the request to its answer, in milliseconds.', 231),
  engine,
  fetched_at: fetchedAt,
  page_type: described(z.enum(PAGE_TYPES), 'Kind of page.', 'article'),
  confidence: described(z.number(), 'Expected word F1 of main_text, 0 to 1, calibrated.', 0.97),
  token_estimate: count(
    'Estimated tokens of result.markdown if requested, otherwise of result.main_text. One token: four ASCII characters, two characters of other alphabets, or one Chinese, Japanese or Korean character.',
    412,
  ),
  warnings: described(
    z.array(warningSchema),
    'Reasons why the text may not be the expected content; empty for nearly all pages. New codes may be added.',
    [],
  ),
  partial: described(
    z.literal(true),
    'The page was fetched for this answer and is not whole: it broke off, was captured at its deadline, before it was ready, or is a document of which some text could not be read.',
    true,
  ).optional(),
  cached: described(
    z.literal(true),
    'The page was not fetched for this answer: as Cache-Control of the request allows, a stored snapshot was reused. `dom_id` names it, `fetched_at` tells when it was captured.',
    true,
  ).optional(),
  ...attachmentFields,
});
export type ExtractMetadata = z.infer<typeof metadataSchema>;

const trace = z.array(traceStepSchema).optional().describe('The steps of the workflow; only with trace.include_steps.');

export const extractResponseSchema = documented('ExtractResponse', 'Answer of POST /v1/extract.', {
  request_id: requestId,
  template_id: templateId,
  result: resultSchema,
  metadata: metadataSchema,
  trace,
  raw_dom: rawDom,
});
export type ExtractResponse = z.infer<typeof extractResponseSchema>;

export const dumpDebugSchema = documented('DumpDebug', 'How the page was captured.', {
  engine_attempts: z.array(engineAttemptSchema).describe('Every attempt, in order.'),
  redirects: z.array(redirectSchema).describe('Redirects, in order.'),
  content_type: nullableText('Content-Type header of the page.', 'text/html; charset=utf-8'),
  charset: nullableText('Encoding that the page was decoded from; null where a browser did it.', 'utf-8'),
  protocol: nullableText('Protocol between the engine and the target.', 'http/1.1'),
  transfer_bytes: nullableInteger('Bytes of the body on the wire.', 18_204),
  body_bytes: nullableInteger('Bytes of the body after decoding.', 74_100),
  html_bytes: integer('Bytes of the returned HTML.', 74_100),
  stored_bytes: integer('Bytes of the stored snapshot, compressed.', 15_872),
  timings: z.record(z.string(), z.number()).meta({
    description: 'Milliseconds of the phases of the capture, by name; the names depend on the engine.',
    examples: [{ response: 120, body: 52, host_wait: 0 }],
  }),
  blocked_requests: blockedRequestsSchema,
  partial: boolean(
    'The page broke off, the deadline passed before it was ready, or some text of a document could not be read.',
    false,
  ),
  filtered: boolean('Scripts and styles were removed.', false),
  cached: described(
    z.literal(true),
    'The page was not captured for this answer: a stored snapshot was reused, and `debug` has no details of its capture.',
    true,
  ).optional(),
});
export type DumpDebug = z.infer<typeof dumpDebugSchema>;

export const dumpResponseSchema = documented('DumpResponse', 'Answer of POST /v1/dom/dump.', {
  request_id: requestId,
  url: text('The requested URL.', EXAMPLE.url),
  final_url: finalUrl,
  status_code: statusCode,
  fetched_at: fetchedAt,
  engine,
  dom_id: domId,
  html: text(
    'The captured HTML; for a PDF, text, Markdown, JSON or XML the page that was made of it.',
    '<!doctype html><html>…',
  ),
  ...attachmentFields,
  debug: dumpDebugSchema,
});
export type DumpResponse = z.infer<typeof dumpResponseSchema>;

export const errorBodySchema = documented('ErrorBody', 'What failed, where, and whether another try helps.', {
  code: described(z.enum(ERROR_CODES), 'Machine-readable code.', 'http_status_not_ok'),
  message: text(
    'What failed and what to do about it, for people; its wording may change.',
    'the target answered with status 404',
  ),
  stage: described(z.enum(STAGES), 'Stage of the request in which the error arose.', 'fetch'),
  retryable: boolean(
    'Whether the same request can succeed when it is sent again later: false for a permanent refusal, true for a temporary fault.',
    false,
  ),
  retry_after_ms: count(
    'Milliseconds to wait before the next try, where that is known: from the quota, the load of this service, or the Retry-After header of the target.',
    2000,
  ).optional(),
  upstream_status_code: integer(
    'Status of the target site; present only when the site returned a status that is not accepted, with a block page too.',
    404,
  ).optional(),
});
export type ErrorBody = z.infer<typeof errorBodySchema>;

export const errorResponseSchema = documented('ErrorResponse', 'Answer of a request that failed.', {
  request_id: requestId,
  error: errorBodySchema,
  metadata: z.object({ dom_id: domId }).optional().describe('When a snapshot was taken before the failure.'),
  trace,
  raw_dom: rawDom,
});
export type ErrorResponse = z.infer<typeof errorResponseSchema>;

export const indexResponseSchema = documented('IndexResponse', 'Answer of GET /.', {
  request_id: requestId,
  name: described(z.literal('winnow'), 'Name of the service.', 'winnow'),
  version: text('Version of the service.', '0.1.0'),
  links: z
    .object({
      console: text('The console.', '/console/'),
      docs: text('The documentation of the API.', '/docs'),
      openapi: text('The OpenAPI document.', '/openapi.json'),
      extract: text('The endpoint that extracts a page.', '/v1/extract'),
      health: text('Check that the process answers.', '/healthz'),
      ready: text('Check that every part works.', '/readyz'),
    })
    .describe('Paths, or addresses, of the parts of the service.'),
});
export type IndexResponse = z.infer<typeof indexResponseSchema>;

export const healthResponseSchema = documented('HealthResponse', 'Answer of GET /healthz.', {
  request_id: requestId,
  status: described(z.literal('ok'), 'The process answers.', 'ok'),
});

export const readyResponseSchema = documented('ReadyResponse', 'Answer of GET /readyz.', {
  request_id: requestId,
  status: described(z.enum(['ready', 'not_ready']), '`ready` when every check passed.', 'ready'),
  checks: z
    .record(
      z.string(),
      z.object({
        ok: boolean('Whether the part works.', true),
        detail: text('What the check found.', 'SQLite answers'),
        elapsed_ms: described(z.number(), 'How long the check took, in milliseconds.', 4),
      }),
    )
    .describe('One check for each part of the service, by its name.'),
});
export type ReadyResponse = z.infer<typeof readyResponseSchema>;

export const deletedResponseSchema = documented('DeletedResponse', 'Answer of a deletion.', {
  request_id: requestId,
  deleted: text('Id of the deleted resource.', EXAMPLE.domId),
});
export type DeletedResponse = z.infer<typeof deletedResponseSchema>;
