/**
 * The schema of a site template: declarative JSON that says where a site keeps the parts of a page.
 * A template contains no code. The extraction library checks selectors and patterns; both checks name the JSON path of
 * a fault.
 */
import { z } from 'zod';
import { namedStrict } from './described.ts';
import { validate } from '../shared/validation.ts';
import { PAGE_TYPES } from './responses.ts';

/** Far above the needs of a real template; a larger one is refused before it is read. */
export const TEMPLATE_LIMITS = {
  /** Bytes of the JSON text. */
  maxBytes: 256 * 1024,
  maxSelectors: 200,
  maxSelectorLength: 1000,
  maxCustomFields: 50,
  maxTextHashes: 4000,
  /** Class paths that marks of a site decide on. */
  maxTaughtPaths: 1500,
  /** Characters of a segment or a parameter's name: far above real addresses. */
  maxAddressPart: 2000,
} as const;

export const TEMPLATE_STATES = ['candidate', 'active', 'retired'] as const;
export type TemplateState = (typeof TEMPLATE_STATES)[number];

export const TEMPLATE_FIELD_NAMES = ['title', 'description', 'author', 'publish_time', 'language'] as const;

export const CUSTOM_FIELD_TYPES = ['text', 'number', 'date', 'url', 'list'] as const;

const shortText = z.string().max(500);
const NO_HOST = 'must be a host name, or a suffix that begins with a dot';
const host = z
  .string()
  .min(1)
  .max(260)
  .regex(/^\.?[^\s/\\?#@*]+$/, NO_HOST)
  .refine((text) => spellHost(text) !== undefined, NO_HOST)
  .overwrite((text) => spellHost(text) ?? text);

/** Returns a host or suffix as in parsed URLs (lower case, Punycode); undefined when it is invalid. */
function spellHost(text: string): string | undefined {
  const dot = text.startsWith('.') ? '.' : '';
  const [port = ''] = /:\d+$/.exec(text) ?? [];
  const url = URL.parse(`http://${text.slice(dot.length)}`);
  return url === null ? undefined : `${dot}${url.hostname}${port}`;
}

/** Processes a value that a selector found; each runs in linear time. */
export const postProcessorSchema = z.discriminatedUnion('op', [
  z.strictObject({ op: z.literal('strip_prefix'), text: shortText.min(1) }),
  z.strictObject({ op: z.literal('strip_suffix'), text: shortText.min(1) }),
  z.strictObject({ op: z.literal('before'), text: shortText.min(1) }),
  z.strictObject({ op: z.literal('after'), text: shortText.min(1) }),
  z.strictObject({
    op: z.literal('match'),
    pattern: z.string().min(1).max(300).describe('RE2 syntax: no look-around, no back-references.'),
    group: z.int().min(0).max(20).optional(),
  }),
]);

export const templateSelectorSchema = z
  .strictObject({
    css: z.string().min(1).max(TEMPLATE_LIMITS.maxSelectorLength).optional(),
    xpath: z
      .string()
      .min(1)
      .max(TEMPLATE_LIMITS.maxSelectorLength)
      .optional()
      .describe('XPath 1.0; for imported rules.'),
    json_ld: z
      .string()
      .max(200)
      .regex(/^(?:[A-Za-z]+|\*):[A-Za-z@][\w.@]*$/, 'must be a type and a path: Article:author.name')
      .optional()
      .describe("Type and path of a value in the page's JSON-LD: NewsArticle:author.name."),
    attribute: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .describe("Use this attribute's value instead of the element's text."),
    all: z.boolean().optional().describe('The value joins every match, not only the first.'),
    post: z.array(postProcessorSchema).max(10).optional(),
  })
  .refine(
    (selector) => [selector.css, selector.xpath, selector.json_ld].filter((one) => one !== undefined).length === 1,
    {
      message: 'needs exactly one of css, xpath and json_ld',
    },
  );

const selectors = z.array(templateSelectorSchema).max(TEMPLATE_LIMITS.maxSelectors);

const templateFieldSchema = z.strictObject({
  selectors,
  otherwise: shortText.min(1).optional().describe('The value when no selector finds one.'),
  agrees: z.boolean().optional().meta({
    description: "Where the page's structured data contradicts the value, the generic extractor's value is used.",
  }),
});

const segmentSchema = z.union([
  z.strictObject({ text: z.string().max(TEMPLATE_LIMITS.maxAddressPart) }),
  z.strictObject({ any: z.enum(['number', 'date', 'slug', 'text']) }),
]);

export const urlShapeSchema = z.strictObject({
  segments: z.array(segmentSchema).max(40),
  /** Names of query parameters that every page of the kind has. */
  query: z.array(z.string().max(TEMPLATE_LIMITS.maxAddressPart)).max(40),
});

/** `items` is for tools that do not support `prefixItems`. */
const band = z
  .tuple([z.number().min(0), z.number().min(0)])
  .meta({ items: { type: 'number', minimum: 0 }, minItems: 2, maxItems: 2 });

const taughtPath = z.tuple([z.int().min(0).max(0xffffffff), z.number().min(0).max(1), z.int().min(1).max(1000)]).meta({
  description: 'Hash of a class path, share of content in its marked blocks, number of marked pages with it.',
  items: { type: 'number', minimum: 0 },
  minItems: 3,
  maxItems: 3,
});

export const templateSchema = namedStrict('Template', {
  format: z.literal(1),
  id: z
    .string()
    .regex(/^tpl_[0-9A-HJKMNP-TV-Z]{26}$/, 'must be "tpl_" and a ULID')
    .optional()
    .describe('Given by the service when absent.'),
  version: z.int().min(1).max(1_000_000).optional(),
  state: z.enum(TEMPLATE_STATES).optional(),
  hosts: z.array(host).min(1).max(50),
  url_shapes: z.array(urlShapeSchema).max(20).describe('Empty: every address of the hosts.'),
  signature: z
    .strictObject({
      values: z.array(z.int().min(0).max(0xffffffff)).length(64),
      max_distance: z.number().min(0).max(1),
    })
    .nullable()
    .describe('MinHash over tag-path shingles; null: any structure.'),
  replace: z
    .array(z.strictObject({ find: z.string().min(1).max(2000), replace: z.string().max(2000) }))
    .max(50)
    .optional()
    .describe(
      'Literal replacements in the HTML before it is parsed. One that would make the page more than twice as long is left out.',
    ),
  page_type: z.enum(PAGE_TYPES).optional(),
  confidence: z.number().min(0).max(1).optional().describe('Expected word F1 of the main text.'),
  fields: z.strictObject({
    title: templateFieldSchema.optional(),
    description: templateFieldSchema.optional(),
    author: templateFieldSchema.optional(),
    publish_time: templateFieldSchema.optional(),
    language: templateFieldSchema.optional(),
  }),
  content: z
    .strictObject({
      include: selectors.min(1),
      exclude: selectors,
      exclude_text: z
        .array(z.int().min(-0x80000000).max(0x7fffffff))
        .max(TEMPLATE_LIMITS.maxTextHashes)
        .describe('Hashes of texts that repeat over the pages of the site.'),
    })
    .nullable()
    .describe("null: the main text is the generic extractor's."),
  taught: z
    .strictObject({
      paths: z.array(taughtPath).max(TEMPLATE_LIMITS.maxTaughtPaths),
      shapes: z
        .array(z.string().max(200))
        .max(50)
        .describe('Shapes of the addresses of the marked pages: /news/{number}/{slug}.'),
    })
    .optional()
    .describe("Marks by a person on pages of the site, which decide with the generic extractor's model."),
  custom: z
    .array(
      z.strictObject({
        name: z.string().regex(/^[a-z][a-z0-9_]{0,62}$/, 'must be lower-case letters, digits and _'),
        type: z.enum(CUSTOM_FIELD_TYPES),
        selectors: selectors.min(1),
      }),
    )
    .max(TEMPLATE_LIMITS.maxCustomFields)
    .refine((fields) => new Set(fields.map((field) => field.name)).size === fields.length, {
      message: 'names must differ',
    }),
  invariants: z.strictObject({
    required: z.array(z.union([z.enum(TEMPLATE_FIELD_NAMES), z.literal('main_text')])).max(10),
    exclusions: z
      .int()
      .min(0)
      .max(TEMPLATE_LIMITS.maxSelectors)
      .optional()
      .describe('Of templates that earlier versions learned; without effect, as `recall`.'),
    recall: z.number().min(0).max(1).optional(),
    main_text_words: band.nullable().describe('Minimum and maximum number of words in the main text.'),
  }),
  checks: z
    .array(z.strictObject({ url: z.string().min(1).max(8192), contains: z.array(z.string().max(4000)).max(50) }))
    .max(50)
    .optional()
    .describe('Texts that the main text of a page must contain; used by the template test.'),
  provenance: z.strictObject({
    source: z
      .enum(['induced', 'ftr', 'hand'])
      .describe('`induced`: learned by an earlier version; an import makes it `hand`.'),
    method: z.string().max(100).optional(),
    created_at: z.string().max(40).optional(),
    pages: z.array(z.string().max(200)).max(100).optional().describe('Snapshots that it was made from.'),
    note: z.string().max(2000).optional(),
  }),
});

export type TemplateDocument = z.infer<typeof templateSchema>;
export type TemplateSelectorDocument = z.infer<typeof templateSelectorSchema>;

export type TemplateReading =
  | { readonly ok: true; readonly template: TemplateDocument }
  | { readonly ok: false; readonly message: string };

/** Reads a template from its JSON text; a refusal names the JSON path and the fault. */
export function readTemplate(json: string): TemplateReading {
  const bytes = new TextEncoder().encode(json).length;
  if (bytes > TEMPLATE_LIMITS.maxBytes) {
    return { ok: false, message: `template: has ${bytes} bytes; at most ${TEMPLATE_LIMITS.maxBytes} are allowed` };
  }
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    return { ok: false, message: `template: is not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
  return checkTemplate(value);
}

/** The same for a value that is already parsed. */
export function checkTemplate(value: unknown): TemplateReading {
  const checked = validate(templateSchema, value, 'template');
  return checked.ok ? { ok: true, template: checked.value } : checked;
}
