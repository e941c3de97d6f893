/** The details of each stage's trace step. A failed stage keeps the details recorded before its failure. */
import { z } from 'zod';
import { boolean, count, described, integer, nullableInteger, nullableText, text, documented } from './described.ts';
import type { Stage } from '../shared/errors.ts';
import { WARNING_CODES } from '../shared/warning-codes.ts';
import { CONSENT_ACTIONS, tracedOptionsSchema } from './request-options.ts';
import { attachmentSizes } from './attachments.ts';
import { blockedRequestsSchema, engineAttemptSchema, redirectSchema } from './capture-parts.ts';

/** Every stage may be skipped or fail. */
const outcome = {
  reason: text(
    'Why the stage was skipped, or what it decided.',
    'generic:v1 matched: no template is needed',
  ).optional(),
  error: text('Code of the error of a failed stage.', 'fetch_timeout').optional(),
  message: text('What failed.', 'the target answered with status 404').optional(),
};

const templateId = text('The template.', 'generic:v1').optional();

export const requestDetailsSchema = documented('RequestDetails', 'The request, and how long it waited.', {
  body_bytes: integer('Bytes of the request body.', 83).optional(),
  variant: z
    .enum(['A', 'B'])
    .optional()
    .meta({ description: 'Variant of the interface: A for project keys, B for standalone keys.', examples: ['B'] }),
  ignored: z
    .literal('workflow')
    .optional()
    .meta({ description: 'A part of the body that has no effect for this key.', examples: ['workflow'] }),
  reduced: described(
    z.record(z.string(), z.int()),
    'Time limits of the body that were above the longest, by their path, and what they count as.',
    { 'options.timeout_ms': 120_000 },
  ).optional(),
  tool: text('Tool of the Model Context Protocol.', 'extract').optional(),
  queued_ms: described(z.number(), 'Milliseconds of waiting for a free slot.', 0.1).optional(),
  sitemaps: z
    .object({
      read: integer('Sitemaps read.', 2),
      failed: integer('Sitemaps that could not be read.', 0),
      bytes: integer('Bytes of all sitemaps.', 81_220),
      is_cut: boolean('Whether some were left out.', false),
    })
    .optional()
    .describe('The sitemaps of a map.'),
  pages: z
    .array(
      z.object({
        url: text('The page.', 'https://example.com/'),
        dom_id: text('Its snapshot.', 'dom_01J9ZC8X9A4Q7W2E5R8T1Y3V6K').optional(),
        error: text('Code of its failure.', 'fetch_timeout').optional(),
      }),
    )
    .optional()
    .describe('The pages of a request for several pages.'),
  used_bytes: integer('Bytes that the project stores, when its quota is used up.', 1_073_741_824).optional(),
  quota_bytes: integer('Storage quota of the project.', 1_073_741_824).optional(),
  ...outcome,
});

export const authDetailsSchema = documented('AuthDetails', 'The key of the request and its project.', {
  key_id: text('The API key.', 'key_01J9ZC8X9A4Q7W2E5R8T1Y3V6K').optional(),
  key_kind: z
    .enum(['project', 'key_only'])
    .optional()
    .meta({ description: 'Kind of the key: `project`, or `key_only` for a standalone key.', examples: ['key_only'] }),
  project_id: text('Project of the key.', 'prj_01J9ZC8X9A4Q7W2E5R8T1Y3V6K').optional(),
  ...outcome,
});

export const consentDetailsSchema = z
  .object({
    action: described(z.enum(CONSENT_ACTIONS), 'What was asked for.', 'reject'),
    outcome: described(
      z.enum(['not_found', 'hidden', 'answered', 'still_shown', 'left', 'failed', 'out_of_time']),
      '`not_found`: no dialog was found. `hidden`: dialogs were hidden from the screenshot. `answered`: a dialog was answered and is gone. `still_shown`: a dialog was answered, but one is shown afterwards. `left`: the answer opened another document. `failed`: a dialog was found, but could not be answered. `out_of_time`: the page was not ready, or gave no answer, in time.',
      'answered',
    ),
    cmp: nullableText('Name of the known dialog; null when it was found by its words.', 'Onetrust'),
    hidden: integer('Elements that were hidden from the screenshot.', 0),
  })
  .meta({ id: 'ConsentDetails', description: 'What a browser did with dialogs that ask for consent to cookies.' });

export const scrollDetailsSchema = documented('ScrollDetails', 'How far a browser scrolled.', {
  steps: integer('Steps down.', 24),
  outcome: z.enum(['end', 'max_steps', 'max_items', 'out_of_time']).meta({
    description: 'Why scrolling ended: nothing more came, or a limit was reached.',
    examples: ['end'],
  }),
  items: integer('Items of the longest list, when `max_items` was given.', 100).optional(),
  restored_rows: integer(
    'Rows that lists show only while they are in sight, and that were added to the snapshot again.',
    160,
  ).optional(),
});

export const fetchDetailsSchema = documented('FetchDetails', 'How the page was captured.', {
  preference: text('The requested engine.', 'auto').optional(),
  budget_ms: integer('Milliseconds that the capture may take.', 30_000).optional(),
  options: tracedOptionsSchema().optional().describe('Options of the request; secrets by name only.'),
  engine: text('The engine that captured the page.', 'http').optional(),
  final_url: text('URL of the captured document.', 'https://example.com/news/1').optional(),
  status_code: integer('HTTP status of the target.', 200).optional(),
  redirects: z.array(redirectSchema).optional().describe('Redirects, in order.'),
  content_type: nullableText('Content-Type header of the page.', 'text/html; charset=utf-8').optional(),
  charset: nullableText('Encoding that the page was decoded from; null where a browser did it.', 'utf-8').optional(),
  protocol: nullableText('Protocol between the engine and the target.', 'h2').optional(),
  transfer_bytes: nullableInteger('Bytes of the body on the wire.', 18_204).optional(),
  body_bytes: nullableInteger('Bytes of the body after decoding.', 74_100).optional(),
  timings: described(z.record(z.string(), z.number()), 'Milliseconds of the phases of the capture, by name.', {
    response: 120,
  }).optional(),
  blocked_requests: blockedRequestsSchema.optional(),
  partial: boolean(
    'The page broke off, the deadline passed before it was ready, or some text of a document could not be read.',
    false,
  ).optional(),
  scroll: scrollDetailsSchema.optional().describe('How far a browser scrolled; absent when it did not.'),
  consent: consentDetailsSchema
    .optional()
    .describe('What a browser did with dialogs that ask for consent; absent when there was nothing to do.'),
  engine_attempts: z.array(engineAttemptSchema).optional().describe('Every attempt, in order.'),
  ...outcome,
});

export const snapshotDetailsSchema = documented('SnapshotDetails', 'Where the page is stored.', {
  dom_id: text('Id of the snapshot.', 'dom_01J9ZC8X9A4Q7W2E5R8T1Y3V6K').optional(),
  source: described(
    z.enum(['fetched', 'stored', 'uploaded', 'reused']),
    'Origin of the page: fetched for this request, stored before, uploaded, or reused instead of a fetch.',
    'fetched',
  ).optional(),
  bytes: integer('Bytes of the HTML.', 74_100).optional(),
  stored_bytes: integer('Bytes as stored, compressed.', 15_872).optional(),
  filtered: boolean('Scripts and styles were removed.', false).optional(),
  ...attachmentSizes,
  fetched_at: text('When a stored page was captured.', '2026-11-24T17:41:06.000Z').optional(),
  ...outcome,
});

export const matchDetailsSchema = documented('MatchDetails', 'Which template fits the page.', {
  template_id: templateId,
  candidates: z
    .array(
      z.object({
        template_id: text('The template.', 'generic:v1'),
        score: described(z.number(), 'How well it fits, 0 to 1.', 0.93),
        reason: text('Why.', 'host and address fit'),
      }),
    )
    .optional()
    .describe('The templates considered, the best first.'),
  ...outcome,
});

export const generateDetailsSchema = z
  .object({
    ...outcome,
    template_id: nullableText(
      'The evidence of the site, with its version; null when there is none.',
      'tpl_01J9ZC8X9A4Q7W2E5R8T1Y3V6K:v1',
    ).optional(),
    pages: integer('Other pages of the site that the evidence is from.', 7).optional(),
  })
  .meta({ id: 'GenerateDetails', description: 'Which evidence of the site was built for the page.' });

const evidenceSchema = z.object({
  source: nullableText('Where the value was found; null without one.', 'h1'),
  rivals: z
    .array(
      z.object({
        source: text('Where it was found.', 'title'),
        value: text('The value, cut to 200 characters.', 'Harbour news'),
        reason: text('Why it was not chosen.', 'less likely'),
      }),
    )
    .describe('Other values that were found, at most five.'),
});

export const extractDetailsSchema = documented('ExtractDetails', 'How the content was found.', {
  template_id: templateId,
  fallback: text('Why the matched template was not used.', 'tpl_1:v1 does not hold').optional(),
  main_text_source: text(
    'Where the main text was found: a selector of the template, or `generic`.',
    'div.story',
  ).optional(),
  from_generic: described(
    z.record(z.string(), z.string()),
    'Parts that the template left to the generic extractor, each with the reason.',
    { author: 'the template found none' },
  ).optional(),
  page_type: text('Kind of page.', 'article').optional(),
  confidence: described(z.number(), 'Expected quality of the text, 0 to 1.', 0.97).optional(),
  warnings: described(z.array(z.enum(WARNING_CODES)), 'Codes of the warnings of the answer, each once.', [
    'login_wall',
  ]).optional(),
  fields: z.record(z.string(), evidenceSchema).optional().describe('Sources of each field.'),
  ...outcome,
});

export const validateDetailsSchema = documented('ValidateDetails', 'How the output was checked.', {
  checked: described(z.array(z.string()), 'The checks that the output passed.', [
    'main_text is not empty, except on a page that does not exist',
  ]).optional(),
  links_left_out: integer('Links over the limit.', 12).optional(),
  images_left_out: integer('Images over the limit.', 3).optional(),
  ...outcome,
});

export type ScrollDetails = z.infer<typeof scrollDetailsSchema>;
export type ConsentDetails = z.infer<typeof consentDetailsSchema>;

function stepOf<S extends Stage, D extends z.ZodType>(stage: S, detail: D) {
  const fields = z.object({
    stage: described(z.literal(stage), 'Stage of the request.', stage),
    status: described(z.enum(['ok', 'failed', 'skipped']), 'How the stage ended.', 'ok'),
    started_ms: count("When the stage began: milliseconds from the request's arrival.", 3),
    elapsed_ms: count('How long the stage took, in milliseconds.', 184),
    detail,
  });
  const id = `${stage.replace(/^./, (letter) => letter.toUpperCase())}Step`;
  return fields.meta({ id, description: `The step of stage ${stage}.` });
}

export const traceStepSchema = z
  .discriminatedUnion('stage', [
    stepOf('request', requestDetailsSchema),
    stepOf('auth', authDetailsSchema),
    stepOf('fetch', fetchDetailsSchema),
    stepOf('snapshot', snapshotDetailsSchema),
    stepOf('match', matchDetailsSchema),
    stepOf('generate', generateDetailsSchema),
    stepOf('extract', extractDetailsSchema),
    stepOf('validate', validateDetailsSchema),
  ])
  .meta({ id: 'TraceStep', description: 'One step of the workflow. Details are for people: further fields may come.' });
export type TraceStep = z.infer<typeof traceStepSchema>;

export type StageDetails = { [Step in TraceStep as Step['stage']]: Step['detail'] };
