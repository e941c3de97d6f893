/** The schemas and endpoints of site templates in the admin API. */
import { z } from 'zod';
import type { Operation } from '../shared/operation.ts';
import { TEMPLATE_STATES, templateSchema } from '../api/templates.ts';

const requestId = z.string();

export const templateSummarySchema = z
  .object({
    name: z.string().meta({ description: 'As responses show it: tpl_…:v3.' }),
    id: z.string(),
    version: z.int(),
    state: z.enum(TEMPLATE_STATES),
    project_id: z
      .string()
      .nullable()
      .meta({ description: 'The project that it was learned from and serves; null: it serves every project.' }),
    domain: z.string(),
    hosts: z.array(z.string()),
    source: z.enum(['induced', 'ftr', 'hand']),
    note: z.string().meta({ description: 'Why it is in its state.' }),
    health: z.object({
      served: z.int(),
      failed: z.int(),
      compared: z.int(),
      disagreed: z.int(),
      drift: z.number(),
    }),
    created_at: z.string(),
    changed_at: z.string(),
  })
  .meta({ id: 'TemplateSummary' });
export type TemplateSummary = z.infer<typeof templateSummarySchema>;

export const templateListSchema = z
  .object({ request_id: requestId, items: z.array(templateSummarySchema), next: z.string().nullable() })
  .meta({ id: 'TemplateList' });

export type TemplateList = z.infer<typeof templateListSchema>;

export const templateQuerySchema = z.strictObject({
  state: z.enum(TEMPLATE_STATES).optional(),
  domain: z.string().max(260).optional(),
  cursor: z.string().max(60).optional(),
  limit: z.coerce.number().int().min(1).max(200).optional(),
});

export const templateResponseSchema = z
  .object({
    request_id: requestId,
    template: templateSummarySchema,
    versions: z.array(templateSummarySchema),
    document: templateSchema,
    serving: z
      .array(z.object({ day: z.iso.date(), served: z.int(), failed: z.int() }))
      .meta({ description: 'Pages of the last 30 days, all versions together; days without pages are left out.' }),
  })
  .meta({ id: 'TemplateResponse' });
export type TemplateResponse = z.infer<typeof templateResponseSchema>;

export const templateTestRequestSchema = z
  .strictObject({
    project_id: z.string().max(64),
    dom_ids: z.array(z.string().max(64)).min(1).max(20).meta({ description: 'Snapshots of the project.' }),
  })
  .meta({ id: 'TemplateTestRequest' });

export type TemplateTestRequest = z.infer<typeof templateTestRequestSchema>;

export const templatePreviewRequestSchema = templateTestRequestSchema
  .extend({ document: z.record(z.string(), z.unknown()).meta({ description: 'A template that is not stored.' }) })
  .meta({ id: 'TemplatePreviewRequest' });
export type TemplatePreviewRequest = z.infer<typeof templatePreviewRequestSchema>;

const fieldValue = z.union([z.string(), z.number(), z.array(z.string()), z.null()]);

export const templateTestResponseSchema = z
  .object({
    request_id: requestId,
    items: z.array(
      z.object({
        page: z.string(),
        ok: z.boolean(),
        reason: z.string(),
        agreement: z.number().meta({ description: 'Word F1 between the two main texts.' }),
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
  })
  .meta({ id: 'TemplateTestResponse' });

export type TemplateTestResponse = z.infer<typeof templateTestResponseSchema>;

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
  listTemplates: {
    method: 'GET',
    path: '/admin/v1/templates',
    summary: 'Site templates, the newest first',
    access: 'admin',
    query: templateQuerySchema,
    response: templateListSchema,
  },
  showTemplate: {
    method: 'GET',
    path: TEMPLATE,
    summary: 'A template (tpl_…:v3; an id alone: the active version) with all its versions',
    access: 'admin',
    response: templateResponseSchema,
  },
  importTemplate: {
    method: 'POST',
    path: '/admin/v1/templates',
    summary: 'Check a template and store it as a candidate',
    access: 'admin',
    body: z.record(z.string(), z.unknown()),
    example: EXAMPLE,
    response: templateResponseSchema,
  },
  activateTemplate: {
    method: 'POST',
    path: `${TEMPLATE}/activate`,
    summary: 'Put a version into service; the other versions are retired',
    access: 'admin',
    response: templateResponseSchema,
  },
  retireTemplate: {
    method: 'POST',
    path: `${TEMPLATE}/retire`,
    summary: 'Take a version out of service',
    access: 'admin',
    response: templateResponseSchema,
  },
  rollBackTemplate: {
    method: 'POST',
    path: `${TEMPLATE}/rollback`,
    summary: 'Put the version before the active one back into service',
    access: 'admin',
    response: templateResponseSchema,
  },
  testTemplate: {
    method: 'POST',
    path: `${TEMPLATE}/test`,
    summary: 'Compare a template with the generic extractor on snapshots, field by field',
    access: 'admin',
    body: templateTestRequestSchema,
    example: TEST,
    response: templateTestResponseSchema,
  },
  previewTemplate: {
    method: 'POST',
    path: '/admin/v1/templates/preview',
    summary: 'Test a template that is not stored yet',
    access: 'admin',
    body: templatePreviewRequestSchema,
    example: { ...TEST, document: EXAMPLE },
    response: templateTestResponseSchema,
  },
} as const satisfies Readonly<Record<string, Operation>>;
