import { z } from 'zod';
import { answer, named, namedStrict } from '../api/described.ts';
import type { Operation } from '../shared/operation.ts';
import { del, get, post, put } from '../shared/operation-rows.ts';
import { TEMPLATE_STATES, templateSchema } from '../api/templates.ts';

export const templateSummarySchema = named('TemplateSummary', {
  name: z.string().describe('As responses show it: tpl_…:v3.'),
  id: z.string(),
  version: z.int(),
  state: z.enum(TEMPLATE_STATES),
  project_id: z.string().nullable().describe('The project that it serves; null: every project.'),
  domain: z.string(),
  hosts: z.array(z.string()),
  source: z.enum(['induced', 'ftr', 'hand']),
  note: z.string().describe('Why it is in its state.'),
  health: z.object({
    served: z.int().describe('Pages that it answered.'),
    failed: z.int().describe('Pages that it matched and the generic extractor answered.'),
    fill_rates: z
      .record(z.string(), z.number())
      .describe('By part: share of the answered pages on which its selectors found a value.'),
  }),
  warning: z
    .string()
    .nullable()
    .describe('What its last pages lacked; null while it fits. The generic extractor supplies it.'),
  created_at: z.string(),
  changed_at: z.string(),
});
export type TemplateSummary = z.infer<typeof templateSummarySchema>;

export const templateListSchema = answer('TemplateList', {
  items: z.array(templateSummarySchema),
  next: z.string().nullable(),
});

export type TemplateList = z.infer<typeof templateListSchema>;

export const templateQuerySchema = z.strictObject({
  state: z.enum(TEMPLATE_STATES).optional(),
  domain: z.string().max(260).optional(),
  project_id: z.string().max(64).optional().describe('Only those of this project and those of all.'),
  cursor: z.string().max(60).optional(),
  limit: z.coerce.number().int().min(1).max(200).optional(),
});

export const templateResponseSchema = answer('TemplateResponse', {
  template: templateSummarySchema,
  versions: z.array(templateSummarySchema),
  document: templateSchema,
  serving: z
    .array(z.object({ day: z.iso.date(), served: z.int(), failed: z.int() }))
    .describe('Pages of the last 30 days, all versions together; days without pages are left out.'),
});
export type TemplateResponse = z.infer<typeof templateResponseSchema>;

export const templateTestRequestSchema = namedStrict('TemplateTestRequest', {
  project_id: z.string().max(64),
  dom_ids: z.array(z.string().max(64)).min(1).max(20).describe('Snapshots of the project.'),
});

export type TemplateTestRequest = z.infer<typeof templateTestRequestSchema>;

export const templatePreviewRequestSchema = templateTestRequestSchema
  .extend({ document: z.record(z.string(), z.unknown()).describe('A template that is not stored.') })
  .meta({ id: 'TemplatePreviewRequest' });
export type TemplatePreviewRequest = z.infer<typeof templatePreviewRequestSchema>;

const fieldValue = z.union([z.string(), z.number(), z.array(z.string()), z.null()]);

export const templateTestResponseSchema = answer('TemplateTestResponse', {
  items: z.array(
    z.object({
      page: z.string(),
      matches: z.boolean().describe('Host, address and structure fit: the template would answer it.'),
      ok: z.boolean(),
      reason: z.string(),
      agreement: z.number().describe('Word F1 between the two main texts.'),
      fields: z.array(
        z.object({
          field: z.string(),
          template: fieldValue,
          generic: z.string().nullable(),
          same: z.boolean(),
          selector: z.string().nullable(),
        }),
      ),
      missing: z.array(z.string()),
    }),
  ),
});

export type TemplateTestResponse = z.infer<typeof templateTestResponseSchema>;

export const siteListSchema = answer('SiteList', {
  items: z.array(
    z.object({
      name: z.string().describe('As responses show it: tpl_…:v12. The version grows with each page.'),
      host: z.string(),
      shape: z.string().describe('Shape of the addresses: /news/{number}/{slug}. Empty: all pages of the host.'),
      pages: z.int().describe('Pages whose notes are kept.'),
      seen_at: z.string().describe('When the newest page was seen.'),
    }),
  ),
});

export type SiteList = z.infer<typeof siteListSchema>;

export const siteQuerySchema = z.strictObject({
  domain: z.string().max(260).optional(),
  limit: z.coerce.number().int().min(1).max(200).optional(),
});

/** Of one example; pages have at most as many blocks in an outline. */
export const MAX_MARKS = 1500;

const exampleFields = {
  host: z.string(),
  dom_id: z.string(),
  url: z.string(),
  shape: z.string().describe('Shape of the address: /news/{number}/{slug}.'),
};

export const siteExampleSchema = named('SiteExample', {
  ...exampleFields,
  marks: z.int().describe('Number of marked blocks.'),
  content: z.int().describe('How many of them are content.'),
  changed_at: z.string(),
});
export type SiteExample = z.infer<typeof siteExampleSchema>;

export const siteExampleListSchema = answer('SiteExampleList', {
  items: z.array(siteExampleSchema),
  template: templateSummarySchema
    .nullable()
    .describe('The active version that earlier examples made, else the newest.'),
  document: templateSchema
    .nullable()
    .describe('The next version, as the examples teach it; null as long as they teach nothing. Preview it before.'),
});
export type SiteExampleList = z.infer<typeof siteExampleListSchema>;

export const siteOutlineSchema = answer('SiteOutline', {
  ...exampleFields,
  changed_at: z.string().nullable().describe('When it was last marked.'),
  blocks: z.array(
    z.object({
      id: z.string().describe('The same whenever the same HTML is read.'),
      node: z.int().describe('Number of its element in document order, without those inside svg, math and template.'),
      text: z.string().describe('Start of its text.'),
      heading: z.boolean(),
      kept: z.boolean().describe('Whether it is main text now.'),
      mark: z.boolean().nullable().describe('The mark of the example; null: none.'),
    }),
  ),
});
export type SiteOutline = z.infer<typeof siteOutlineSchema>;

export const siteMarksRequestSchema = namedStrict('SiteMarksRequest', {
  marks: z
    .array(z.strictObject({ block: z.string().min(1).max(60), keep: z.boolean() }))
    .min(1)
    .max(MAX_MARKS)
    .describe('Whether blocks of the outline are content. Blocks that are not listed say nothing.'),
});
export type SiteMarksRequest = z.infer<typeof siteMarksRequestSchema>;

export const siteExampleResponseSchema = answer('SiteExampleResponse', { example: siteExampleSchema });
export type SiteExampleResponse = z.infer<typeof siteExampleResponseSchema>;

const SITE = '/admin/v1/projects/:project_id/sites/:host';
const TEMPLATE = '/admin/v1/templates/:name';

const EXAMPLE = {
  format: 1,
  hosts: ['www.example.com'],
  url_shapes: [],
  signature: null,
  fields: { title: { selectors: [{ css: 'h1' }] } },
  content: { include: [{ css: 'article' }], exclude: [{ css: '.advert' }], exclude_text: [] },
  custom: [],
  invariants: { required: ['title'], main_text_words: null },
  provenance: { source: 'hand' },
};
const TEST = { project_id: 'prj_01J9ZC8X9A4Q7W2E5R8T1Y3V6K', dom_ids: ['dom_01J9ZC8X9A4Q7W2E5R8T1Y3V6K'] };

export const TEMPLATE_OPERATIONS = {
  listSites: get(
    'member',
    '/admin/v1/projects/:project_id/sites',
    'Hosts of a project with notes of their pages, which help to extract others; the newest first',
    { query: siteQuerySchema, response: siteListSchema },
  ),
  listExamples: get('admin', `${SITE}/examples`, 'Marked snapshots of a host, and the template that they teach', {
    response: siteExampleListSchema,
  }),
  showExample: get(
    'admin',
    `${SITE}/examples/:dom_id`,
    'The blocks of a snapshot, and whether they are main text now; the starting point for marks',
    { response: siteOutlineSchema },
  ),
  putExample: put(
    'admin',
    `${SITE}/examples/:dom_id`,
    'Mark blocks of a snapshot as content or not, in place of its earlier marks',
    {
      body: siteMarksRequestSchema,
      example: { marks: [{ block: '1k2x9f-a81c3', keep: true }] },
      response: siteExampleResponseSchema,
    },
  ),
  deleteExample: del(
    'admin',
    `${SITE}/examples/:dom_id`,
    'Delete the marks of a snapshot; versions that they taught stay',
    { response: siteExampleListSchema },
  ),
  teachSite: post(
    'admin',
    `${SITE}/teach`,
    "Make a version of the site's template from the marks, for this project, and activate it",
    { response: templateResponseSchema },
  ),
  listTemplates: get('admin', '/admin/v1/templates', 'Site templates, the newest first', {
    query: templateQuerySchema,
    response: templateListSchema,
  }),
  showTemplate: get('admin', TEMPLATE, 'A template (tpl_…:v3; an id alone: the active version) with all its versions', {
    response: templateResponseSchema,
  }),
  importTemplate: post(
    'admin',
    '/admin/v1/templates',
    'Check a template and store it as a candidate, which serves no requests',
    { body: z.record(z.string(), z.unknown()), example: EXAMPLE, response: templateResponseSchema },
  ),
  activateTemplate: post(
    'admin',
    `${TEMPLATE}/activate`,
    'Put a version into service; the other versions are retired',
    { response: templateResponseSchema },
  ),
  retireTemplate: post('admin', `${TEMPLATE}/retire`, 'Take a version out of service', {
    response: templateResponseSchema,
  }),
  rollBackTemplate: post('admin', `${TEMPLATE}/rollback`, 'Put the version before the active one back into service', {
    response: templateResponseSchema,
  }),
  testTemplate: post(
    'admin',
    `${TEMPLATE}/test`,
    'Compare a template with the generic extractor on snapshots, field by field',
    { body: templateTestRequestSchema, example: TEST, response: templateTestResponseSchema },
  ),
  previewTemplate: post('admin', '/admin/v1/templates/preview', 'Test a template that is not stored yet', {
    body: templatePreviewRequestSchema,
    example: { ...TEST, document: EXAMPLE },
    response: templateTestResponseSchema,
  }),
} as const satisfies Readonly<Record<string, Operation>>;
