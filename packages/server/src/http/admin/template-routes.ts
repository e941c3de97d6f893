import type {
  ADMIN_OPERATIONS,
  SiteExample,
  SiteExampleList,
  SiteList,
  TemplateResponse,
  TemplateTestRequest,
  TemplateTestResponse,
} from '@winnow/contract';
import { AppError } from '../../domain/shared/errors.ts';
import type { StageBudget } from '../../domain/shared/ports.ts';
import { newId } from '../../domain/shared/new-id.ts';
import {
  activateTemplate,
  checkDocument,
  exportTemplate,
  importTemplate,
  requireTemplate,
  retireTemplate,
  rollBackTemplate,
} from '../../domain/templates/manage-templates.ts';
import { nameEvidence } from '../../domain/templates/site-evidence.ts';
import { draftTaught, outlineExample, putExample, teachSite } from '../../domain/templates/teach-site.ts';
import type { TaughtHost } from '../../domain/templates/teach-site.ts';
import type {
  EvidencePlace,
  NotedPlace,
  StoredTemplate,
  TaughtExample,
} from '../../domain/templates/template-ports.ts';
import { readStoredPage, testTemplate, type FieldDifference } from '../../domain/templates/test-template.ts';
import { presentTemplate } from '../answers/present.ts';
import { defineHandlers, type AdminCall, type AdminDeps, type TemplateAdminDeps } from './admin-operations.ts';

const TEST_TIMEOUT_MS = 60_000;
const PAGE_SIZE = 50;
/** Start of a block's text. */
const MAX_BLOCK_TEXT = 200;
/** 30 days with today. */
const SERVING_MS = 29 * 86_400_000;

export const templateHandlers = defineHandlers((deps) => {
  const parts = deps.siteTemplates;
  const { repository } = parts;
  const manage = { templates: repository, audit: deps.accounts.audit };
  const teach = { ...manage, ...parts };
  const budget = (): StageBudget => ({ timeoutMs: TEST_TIMEOUT_MS, signal: deps.stop.signal });
  type OfHost = Pick<AdminCall<(typeof ADMIN_OPERATIONS)['listExamples']>, 'params' | 'findProject'>;
  const siteOf = async ({ params: { host }, findProject }: OfHost): Promise<TaughtHost> => ({
    projectId: (await findProject()).id,
    host,
  });
  const listOf = async (requestId: string, site: TaughtHost): Promise<SiteExampleList> => {
    const { examples, template, document } = await draftTaught(teach, site);
    return {
      request_id: requestId,
      items: examples.map(presentExample),
      template: template === undefined ? null : presentTemplate(template),
      document: document ?? null,
    };
  };
  const answer = async (requestId: string, stored: StoredTemplate): Promise<TemplateResponse> => ({
    request_id: requestId,
    template: presentTemplate(stored),
    versions: (await repository.listVersions(stored.id)).map(presentTemplate),
    document: exportTemplate(stored),
    serving: (await repository.listServing(stored.id, new Date(Date.now() - SERVING_MS))).map((one) => ({
      ...one,
      day: one.day.toISOString().slice(0, 10),
    })),
  });
  const change =
    (work: typeof activateTemplate) =>
    async ({ request, params, signedIn }: AdminCall<(typeof ADMIN_OPERATIONS)['activateTemplate']>) => {
      const stored = await work(manage, signedIn().user, params.name);
      parts.onChange();
      return answer(request.id, stored);
    };
  return {
    listSites: async ({ request, query, findProject }) => {
      const { id } = await findProject();
      const { domain, limit = PAGE_SIZE } = query;
      const places = await parts.notes.listPlaces({ projectId: id, domain, limit });
      return { request_id: request.id, items: [...places, ...sumHosts(places)].map(presentPlace) };
    },
    listExamples: async (call) => listOf(call.request.id, await siteOf(call)),
    showExample: async (call) => {
      const { request, params } = call;
      const site = await siteOf(call);
      const { url, shape, blocks, example } = await outlineExample(teach, site, params.dom_id, budget());
      const marks = new Map(example?.marks);
      return {
        request_id: request.id,
        host: site.host,
        dom_id: params.dom_id,
        url,
        shape,
        changed_at: example?.changedAt.toISOString() ?? null,
        blocks: blocks.map(({ text, ...block }) => ({
          ...block,
          text: text.slice(0, MAX_BLOCK_TEXT).toWellFormed(),
          mark: marks.get(block.id) ?? null,
        })),
      };
    },
    putExample: async (call) => {
      const { request, params, body } = call;
      const marks = body.marks.map(({ block, keep }) => [block, keep] as const);
      const example = await putExample(teach, await siteOf(call), params.dom_id, marks, budget());
      return { request_id: request.id, example: presentExample(example) };
    },
    deleteExample: async (call) => {
      const { request, params } = call;
      const site = await siteOf(call);
      if (!(await parts.examples.delete(site.projectId, site.host, params.dom_id)))
        throw new AppError('not_found', `the snapshot ${params.dom_id} has no marks`);
      return listOf(request.id, site);
    },
    teachSite: async (call) => {
      const stored = await teachSite(teach, call.signedIn().user, await siteOf(call));
      parts.onChange();
      return answer(call.request.id, stored);
    },
    listTemplates: async ({ request, query }) => {
      const limit = query.limit ?? PAGE_SIZE;
      const { state, domain, project_id: projectId, cursor } = query;
      const found = await repository.list({ limit: limit + 1, state, domain, projectId, after: cursor });
      const items = found.slice(0, limit).map(presentTemplate);
      return { request_id: request.id, items, next: found.length > limit ? (items.at(-1)?.name ?? null) : null };
    },
    showTemplate: async ({ request, params }) => answer(request.id, await requireTemplate(repository, params.name)),
    importTemplate: async ({ request, body, signedIn }) => {
      const stored = await importTemplate(manage, signedIn().user, JSON.stringify(body));
      parts.onChange();
      return answer(request.id, stored);
    },
    activateTemplate: change(activateTemplate),
    retireTemplate: change(retireTemplate),
    rollBackTemplate: change(rollBackTemplate),
    testTemplate: async ({ request, body, params }) => {
      const stored = await requireTemplate(repository, params.name);
      return { request_id: request.id, items: await tryOnSnapshots(deps, parts, stored, body) };
    },
    previewTemplate: async ({ request, body }) => {
      const document = await checkDocument(body.document);
      // A new id, because workers cache compiled templates by name.
      const unstored = { id: newId('tpl'), version: 1, document };
      return { request_id: request.id, items: await tryOnSnapshots(deps, parts, unstored, body) };
    },
  };
});

function presentExample({ host, domId, url, shape, marks, changedAt }: TaughtExample): SiteExample {
  const content = marks.filter(([, keep]) => keep).length;
  return { host, dom_id: domId, url, shape, marks: marks.length, content, changed_at: changedAt.toISOString() };
}

/** Hosts with several shapes: all their pages are evidence for a page whose shape has too few others. */
function sumHosts(places: readonly NotedPlace[]): EvidenceOfHost[] {
  return [...Map.groupBy(places, ({ host }) => host).values()].flatMap((ofHost) => {
    const [newest] = ofHost;
    if (newest === undefined || ofHost.length === 1) return [];
    const sum = (name: 'pages' | 'version'): number => ofHost.reduce((total, one) => total + one[name], 0);
    return { ...newest, shape: null, pages: sum('pages'), version: sum('version') };
  });
}

type EvidenceOfHost = Omit<NotedPlace, 'shape'> & EvidencePlace;

function presentPlace(place: EvidenceOfHost): SiteList['items'][number] {
  const { host, shape, pages, version, seenAt } = place;
  return { name: nameEvidence(place, version), host, shape: shape ?? '', pages, seen_at: seenAt.toISOString() };
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

async function readSnapshot(parts: TemplateAdminDeps, projectId: string, domId: string) {
  const page = await readStoredPage(parts.snapshots, parts.content, projectId, domId);
  if (page === undefined) throw new AppError('dom_not_found', `dom_ids: there is no snapshot ${domId} in the project`);
  return page;
}

function toField({ template, ...rest }: FieldDifference) {
  return { ...rest, template: template === null || typeof template !== 'object' ? template : [...template] };
}
