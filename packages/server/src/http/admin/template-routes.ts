import { TEMPLATE_OPERATIONS } from '@winnow/contract';
import type { TemplateResponse, TemplateTestRequest, TemplateTestResponse } from '@winnow/contract';
import type { FastifyInstance } from 'fastify';
import { AppError } from '../../domain/shared/errors.ts';
import { newId } from '../../domain/ids/new-id.ts';
import { SnapshotPageReader } from '../../domain/templates/snapshot-page-reader.ts';
import {
  activateTemplate,
  checkDocument,
  exportTemplate,
  importTemplate,
  nameAuthor,
  requireTemplate,
  retireTemplate,
  rollBackTemplate,
} from '../../domain/templates/manage-templates.ts';
import type { LearningPage, ServingDay, StoredTemplate } from '../../domain/templates/template-ports.ts';
import { testTemplate } from '../../domain/templates/test-template.ts';
import type { FieldDifference } from '../../domain/templates/test-template.ts';
import { presentTemplate } from '../answers/present-template.ts';
import { addOperation } from './add-operation.ts';
import type { AdminDeps, TemplateAdminDeps } from './admin-deps.ts';

const TEST_TIMEOUT_MS = 60_000;
const PAGE_SIZE = 50;
/** 30 days with today. */
const SERVING_MS = 29 * 86_400_000;

/** For administrators. */
export function addTemplateRoutes(app: FastifyInstance, deps: AdminDeps, parts: TemplateAdminDeps): void {
  const { repository } = parts;
  const manage = { templates: repository, audit: deps.accounts.audit };
  const answer = async (requestId: string, stored: StoredTemplate): Promise<TemplateResponse> => ({
    request_id: requestId,
    template: presentTemplate(stored),
    versions: (await repository.listVersions(stored.id)).map(presentTemplate),
    document: exportTemplate(stored),
    serving: (await repository.listServing(stored.id, new Date(Date.now() - SERVING_MS))).map(presentServing),
  });
  addOperation(app, deps, TEMPLATE_OPERATIONS.listTemplates, async ({ request, query }) => {
    const limit = query.limit ?? PAGE_SIZE;
    const { state, domain, cursor } = query;
    const found = await repository.list({
      limit: limit + 1,
      ...(state === undefined ? {} : { state }),
      ...(domain === undefined ? {} : { domain }),
      ...(cursor === undefined ? {} : { after: cursor }),
    });
    const items = found.slice(0, limit).map(presentTemplate);
    return { request_id: request.id, items, next: found.length > limit ? (items.at(-1)?.name ?? null) : null };
  });
  addOperation(app, deps, TEMPLATE_OPERATIONS.showTemplate, async (context) =>
    answer(context.request.id, await requireTemplate(repository, context.param('name'))),
  );
  addOperation(app, deps, TEMPLATE_OPERATIONS.importTemplate, async ({ request, body, signedIn }) => {
    const stored = await importTemplate(manage, signedIn().user, JSON.stringify(body));
    parts.onChange();
    return answer(request.id, stored);
  });
  const changes = { activateTemplate, retireTemplate, rollBackTemplate } as const;
  for (const name of ['activateTemplate', 'retireTemplate', 'rollBackTemplate'] as const) {
    addOperation(app, deps, TEMPLATE_OPERATIONS[name], async (context) => {
      const stored = await changes[name](manage, context.signedIn().user, context.param('name'));
      parts.onChange();
      return answer(context.request.id, stored);
    });
  }
  addOperation(app, deps, TEMPLATE_OPERATIONS.testTemplate, async ({ request, body, ...context }) => {
    const stored = await requireTemplate(repository, context.param('name'));
    return { request_id: request.id, items: await tryOnSnapshots(deps, parts, stored, body) };
  });
  addOperation(app, deps, TEMPLATE_OPERATIONS.previewTemplate, async ({ request, body }) => {
    const document = await nameAuthor(repository, await checkDocument(body.document));
    // A new id, because threads cache compiled templates by name.
    const unstored = { id: newId('tpl'), version: 1, document };
    return { request_id: request.id, items: await tryOnSnapshots(deps, parts, unstored, body) };
  });
}

function presentServing({ day, served, failed }: ServingDay): TemplateResponse['serving'][number] {
  return { day: day.toISOString().slice(0, 10), served, failed };
}

async function tryOnSnapshots(
  deps: AdminDeps,
  parts: TemplateAdminDeps,
  template: Parameters<typeof testTemplate>[1],
  command: TemplateTestRequest,
): Promise<TemplateTestResponse['items']> {
  const pages = await Promise.all(command.dom_ids.map((domId) => readSnapshot(parts, command.project_id, domId)));
  const items = await testTemplate(parts.worker, template, pages, {
    timeoutMs: TEST_TIMEOUT_MS,
    signal: deps.stop.signal,
  });
  return items.map(({ fields, missing, ...item }) => ({ ...item, fields: fields.map(toField), missing: [...missing] }));
}

async function readSnapshot(
  parts: TemplateAdminDeps,
  projectId: string,
  domId: string,
): Promise<LearningPage & { name: string }> {
  const reader = new SnapshotPageReader(parts.snapshots, parts.content);
  const page = await reader.read({ projectId, domId });
  if (page === undefined) throw new AppError('dom_not_found', `dom_ids: there is no snapshot ${domId} in the project`);
  return { ...page, name: domId };
}

function toField({ template, ...rest }: FieldDifference) {
  return { ...rest, template: template === null || typeof template !== 'object' ? template : [...template] };
}
