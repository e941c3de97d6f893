/**
 * The schemas of the request bodies. Every object is strict: an unknown field is refused, so that a
 * typo does not pass silently; `validation.ts` turns a refusal into a sentence that names the JSON path.
 */
import { z } from 'zod';
import { enginePreferenceNames } from './engines.ts';
import { DEFAULT_DUMP_TIMEOUT_MS, DEFAULT_LIMITS, DEFAULT_STAGE_TIMEOUT_MS } from './limits.ts';
import type { Limits } from './limits.ts';

/** Renderings of the main content beyond the plain text; an extension to the interface. */
export const FORMATS = ['markdown', 'html'] as const;
export type Format = (typeof FORMATS)[number];

/** What the main text should rather be, free of what is not content or complete; an extension to the interface. */
export const FAVORS = ['precision', 'balanced', 'recall'] as const;
export type Favor = (typeof FAVORS)[number];

export interface RequestSchemaOptions {
  readonly limits?: Limits;
  /** Name of the engine family, see `engines.ts`. */
  readonly engineFamily?: string;
}

function urlField(limits: Limits): z.ZodString {
  return z
    .string()
    .min(1, 'must not be empty')
    .max(limits.maxUrlLength, `must have at most ${limits.maxUrlLength} characters`)
    .refine((url) => url.isWellFormed(), 'must not contain half a character');
}

function timeoutField(limits: Limits, defaultMs: number, meaning: string): z.ZodOptional<z.ZodNumber> {
  return z
    .int()
    .min(1)
    .max(limits.maxTimeoutMs)
    .optional()
    .meta({ description: `${meaning} Milliseconds, 1 to ${limits.maxTimeoutMs}. Default ${defaultMs}.` });
}

/** The body of `POST /v1/extract`. `workflow` is accepted with key-only access (Variant B) only. */
export function extractRequestSchema(options: RequestSchemaOptions = {}) {
  const limits = options.limits ?? DEFAULT_LIMITS;
  const stage = (meaning: string) => timeoutField(limits, DEFAULT_STAGE_TIMEOUT_MS, meaning);
  return z
    .strictObject({
      extract: z
        .strictObject({
          url: urlField(limits).optional().meta({ description: 'Target page URL, http or https.' }),
          dom_id: z
            .string()
            .min(1, 'must not be empty')
            .max(128, 'must have at most 128 characters')
            .optional()
            .meta({ description: 'Id of an existing DOM snapshot; with it nothing is fetched.' }),
          formats: z
            .array(z.enum(FORMATS))
            .max(FORMATS.length)
            .optional()
            .meta({ description: 'Further renderings of the main content: adds result.markdown, result.html.' }),
          favor: z.enum(FAVORS).optional().meta({
            description:
              'What the main text should rather be: free of what is not content (precision), or complete (recall). Default: balanced.',
          }),
        })
        .refine((extract) => extract.url !== undefined || extract.dom_id !== undefined, {
          message: 'needs at least one of url and dom_id',
        })
        .meta({ description: 'Main extraction request. At least one of url and dom_id is required.' }),
      trace: z
        .strictObject({
          include_steps: z.boolean().optional().meta({
            description:
              'Return the workflow steps. Default: false with a project-scoped key, true with a key-only key.',
          }),
          include_raw_dom: z
            .boolean()
            .optional()
            .meta({ description: 'Return the raw DOM, which can be very large. Default: false.' }),
        })
        .optional(),
      workflow: z
        .strictObject({
          match_timeout_ms: stage('Template matching timeout.'),
          generate_timeout_ms: stage('Template generation timeout.'),
          extract_timeout_ms: stage('Final extraction timeout.'),
        })
        .optional()
        .meta({ description: 'Stage timeouts. Key-only access (Variant B) only: refused with a project-scoped key.' }),
    })
    .meta({ id: 'ExtractRequest' });
}

export type ExtractRequest = z.infer<ReturnType<typeof extractRequestSchema>>;

/** The body of `POST /v1/dom/dump`. */
export function dumpRequestSchema(options: RequestSchemaOptions = {}) {
  const limits = options.limits ?? DEFAULT_LIMITS;
  return z
    .strictObject({
      url: urlField(limits).meta({ description: 'Page URL to capture, http or https.' }),
      options: z
        .strictObject({
          engine_preference: z
            .enum(enginePreferenceNames(options.engineFamily ?? 'vendor'))
            .optional()
            .meta({ description: 'Fetch engine. Default auto.' }),
          timeout_ms: timeoutField(limits, DEFAULT_DUMP_TIMEOUT_MS, 'Request timeout.'),
          filter_scripts_styles: z.boolean().optional().meta({
            description:
              'Remove script and style elements before the snapshot is returned and stored. Cleaner for inspection, not equivalent to the original. Default: false.',
          }),
        })
        .optional(),
    })
    .meta({ id: 'DumpRequest' });
}

export type DumpRequest = z.infer<ReturnType<typeof dumpRequestSchema>>;
