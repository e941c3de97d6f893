import { z } from 'zod';
import { answer, namedStrict } from '../api/described.ts';
import { ERROR_CODES, STAGES } from '../shared/errors.ts';
import { DOUBT_CODES } from '../shared/warning-codes.ts';
import { errorBodySchema } from '../api/responses.ts';
import { traceStepSchema } from '../api/stage-details.ts';
import { RESULT_OUTCOMES } from './admin-batches.ts';

/** What is recorded of requests; the setting `WINNOW_REQUEST_LOG`. */
export const REQUEST_LOG_MODES = ['off', 'metadata', 'full'] as const;
export type RequestLogMode = (typeof REQUEST_LOG_MODES)[number];

/** Where a request came from: an API key, or the console's playground. */
export const REQUEST_SOURCES = ['api', 'console'] as const;
export type RequestSource = (typeof REQUEST_SOURCES)[number];

const logged = z.object({
  id: z.string().describe('Id of the log entry.'),
  request_id: z.string().describe('As in X-Request-ID; callers may choose it, so it need not be unique.'),
  at: z.string().describe('Arrival of the request.'),
  source: z.enum(REQUEST_SOURCES),
  key_id: z.string().nullable().describe('Null for requests of the playground.'),
  method: z.string(),
  endpoint: z.string(),
  status: z.int().describe('HTTP status of the answer.'),
  code: z.enum(ERROR_CODES).nullable().describe('Error code; null for success.'),
  stage: z.enum(STAGES).nullable(),
  url: z.string().nullable().describe('Target page, without credentials.'),
  engine: z.string().nullable(),
  dom_id: z.string().nullable(),
  template_id: z.string().nullable(),
  confidence: z.number().nullable().describe('Expected quality of the text, 0 to 1; null without an extraction.'),
  warnings: z.array(z.enum(DOUBT_CODES)).describe('Codes of the reasons to doubt the text.'),
  elapsed_ms: z.number(),
});

export const loggedRequestSchema = logged.meta({ id: 'LoggedRequest' });
export type LoggedRequestBody = z.infer<typeof loggedRequestSchema>;

export const loggedRequestDetailSchema = logged
  .extend({
    request: z.unknown().describe('The validated body without secrets; null when the body was refused.'),
    trace: z.array(traceStepSchema),
    error: errorBodySchema.nullable(),
    answer: z
      .object({ text: z.string(), truncated: z.boolean() })
      .nullable()
      .describe('Start of the response body; only with WINNOW_REQUEST_LOG=full.'),
  })
  .meta({ id: 'LoggedRequestDetail' });
export type LoggedRequestDetail = z.infer<typeof loggedRequestDetailSchema>;

export const loggedRequestQuerySchema = namedStrict('LoggedRequestQuery', {
  outcome: z
    .enum(RESULT_OUTCOMES)
    .optional()
    .describe('`doubtful`: succeeded with warnings, which `succeeded` includes.'),
  code: z.enum(ERROR_CODES).optional(),
  warning: z.enum(DOUBT_CODES).optional(),
  engine: z.string().max(40).optional().describe('Engine that captured the page.'),
  max_confidence: z.coerce.number().min(0).max(1).optional().describe('Only extractions of at most this confidence.'),
  dom_id: z.string().max(128).optional().describe('Requests that made or used this snapshot.'),
  endpoint: z.string().max(100).optional().describe('For example /v1/extract.'),
  key_id: z.string().max(64).optional(),
  source: z.enum(REQUEST_SOURCES).optional(),
  host: z.string().max(253).optional().describe('Host of the target page, exactly; with a port only at this port.'),
  request_id: z.string().max(128).optional(),
  from: z.iso.datetime({ offset: true }).optional(),
  to: z.iso.datetime({ offset: true }).optional(),
  cursor: z.string().max(200).optional(),
  limit: z.coerce.number().int().min(1).max(200).optional().describe('Default 50.'),
});
export type LoggedRequestQuery = z.infer<typeof loggedRequestQuerySchema>;

export const loggedRequestListSchema = answer('LoggedRequestList', {
  items: z.array(loggedRequestSchema),
  next_cursor: z.string().nullable(),
  recording: z
    .object({ mode: z.enum(REQUEST_LOG_MODES), max_age_ms: z.int(), max_rows: z.int() })
    .describe('What is recorded, and how long each project keeps it.'),
});
export type LoggedRequestList = z.infer<typeof loggedRequestListSchema>;

export const loggedRequestResponseSchema = answer('LoggedRequestResponse', { request: loggedRequestDetailSchema });
export type LoggedRequestResponse = z.infer<typeof loggedRequestResponseSchema>;
