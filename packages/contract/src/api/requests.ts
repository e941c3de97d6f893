/**
 * The schemas of the request bodies. Every object is strict: an unknown field is refused, so that a
 * typo does not pass silently; `validation.ts` turns a refusal into a sentence that names the JSON path.
 */
import { z } from 'zod';
import { boolean, defaulted, described, toggle } from './described.ts';
import { contentFields } from './content-fields.ts';
import { DEFAULT_DUMP_TIMEOUT_MS, DEFAULT_LIMITS, DEFAULT_STAGE_TIMEOUT_MS, type Limits } from '../shared/limits.ts';
import type { RequestSchemaOptions } from '../shared/operation.ts';
import { pageOptionsSchema, timeLimit } from './request-options.ts';

/** Renderings of the main content beyond the plain text; an extension to the interface. */
export const RENDERINGS = ['markdown', 'html'] as const;

/** Optional parts of an answer: renderings, and what the page states about itself. */
export const FORMATS = [...RENDERINGS, 'stated'] as const;
export type Format = (typeof FORMATS)[number];

/** Blanks and line ends around an address are not part of it: lists and forms leave them. */
export function urlField(limits: Pick<Limits, 'maxUrlLength'>): z.ZodString {
  return z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(limits.maxUrlLength, `must have at most ${limits.maxUrlLength} characters`)
    .refine((url) => url.isWellFormed(), 'must not contain half a character');
}

const URL_META = { examples: ['https://example.com/news/1'] };

/** The body of `POST /v1/extract`. `workflow` applies to standalone keys only. */
export function extractRequestSchema(options: RequestSchemaOptions = {}) {
  const limits = options.limits ?? DEFAULT_LIMITS;
  const { stageTimeoutMs = DEFAULT_STAGE_TIMEOUT_MS } = options;
  const stage = (meaning: string) =>
    timeLimit(limits, meaning).meta({ default: stageTimeoutMs, examples: [stageTimeoutMs] });
  return z
    .strictObject({
      extract: z
        .strictObject({
          url: urlField(limits)
            .optional()
            .meta({
              ...URL_META,
              description:
                'Target page URL, http or https. Together with dom_id it is validated but ignored: the answer is about the snapshot and its URL.',
            }),
          dom_id: described(
            z.string().trim().min(1, 'must not be empty').max(128, 'must have at most 128 characters'),
            'Id of an existing DOM snapshot; with it nothing is fetched.',
            'dom_01J9ZC8X9A4Q7W2E5R8T1Y3V6K',
          ).optional(),
          formats: defaulted(
            z.array(z.enum(FORMATS)).max(FORMATS.length),
            'Further parts of the result: result.markdown and result.html render the main content, result.stated is what the page states in its metadata.',
            { default: [], example: ['markdown'] },
          ).optional(),
          ...contentFields,
          options: pageOptionsSchema(options, {
            description:
              'Time limit of the whole request; the answer comes before it. Default: the limits of the single stages.',
          })
            .optional()
            .describe(
              'How the page is captured; the same object as in a dump. With dom_id all are checked, and only include_tags and exclude_tags have an effect.',
            ),
        })
        .refine((extract) => extract.url !== undefined || extract.dom_id !== undefined, {
          message: 'needs at least one of url and dom_id',
        })
        .meta({
          description: 'Main extraction request. At least one of url and dom_id is required.',
          anyOf: [{ required: ['url'] }, { required: ['dom_id'] }],
        }),
      trace: z
        .strictObject({
          include_steps: boolean(
            'Return the workflow steps. Default: false with a project key, true with a standalone key.',
            true,
          ).optional(),
          include_raw_dom: toggle('Return the raw DOM, which can be very large.', false),
        })
        .optional()
        .describe('Further parts of the response. Each enlarges it.'),
      workflow: z
        .strictObject({
          match_timeout_ms: stage('Time limit of template matching.'),
          generate_timeout_ms: stage('Time limit of template generation.'),
          extract_timeout_ms: stage('Time limit of the final extraction.'),
        })
        .optional()
        .describe('Time limits of stages, for standalone keys. With a project key it is validated but ignored.'),
    })
    .meta({ id: 'ExtractRequest', description: 'Body of POST /v1/extract.' });
}

export type ExtractRequest = z.infer<ReturnType<typeof extractRequestSchema>>;

export function dumpRequestSchema(options: RequestSchemaOptions = {}) {
  const { limits = DEFAULT_LIMITS, dumpTimeoutMs = DEFAULT_DUMP_TIMEOUT_MS } = options;
  return z
    .strictObject({
      url: urlField(limits).meta({ ...URL_META, description: 'Page URL to capture, http or https.' }),
      options: pageOptionsSchema(options, {
        description: 'Time limit of the whole request; the answer comes before it.',
        defaultMs: dumpTimeoutMs,
      })
        .optional()
        .describe('How the page is captured.'),
    })
    .meta({ id: 'DumpRequest', description: 'Body of POST /v1/dom/dump.' });
}

export type DumpRequest = z.infer<ReturnType<typeof dumpRequestSchema>>;
