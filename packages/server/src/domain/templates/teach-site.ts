import { TEMPLATE_LIMITS, type TemplateDocument } from '@winnow/contract';
import { describePath, gatherTaught, type TaughtSite } from '@winnow/extract/matching';
import type { OutlinedBlock } from '@winnow/extract/templates';
import type { Actor } from '../accounts/audit.ts';
import { AppError } from '../shared/errors.ts';
import type { StageBudget } from '../shared/ports.ts';
import type { SnapshotContent, SnapshotRepository } from '../storage/snapshot-ports.ts';
import { activateTemplate, exportTemplate, storeCandidate, type ManageTemplatesDeps } from './manage-templates.ts';
import { locateSite } from './site-address.ts';
import {
  nameVersion,
  type BlockMarks,
  type StoredPage,
  type StoredTemplate,
  type TaughtExample,
  type TaughtExampleRepository,
  type TemplateRepository,
  type TemplateWorker,
} from './template-ports.ts';
import { readStoredPage } from './test-template.ts';

export interface TeachSiteDeps extends ManageTemplatesDeps {
  readonly templates: TemplateRepository;
  readonly examples: TaughtExampleRepository;
  readonly worker: Pick<TemplateWorker, 'outline' | 'mark'>;
  readonly snapshots: SnapshotRepository;
  readonly content: SnapshotContent;
}

export interface TaughtHost {
  readonly projectId: string;
  readonly host: string;
}

export interface ExampleOutline {
  readonly url: string;
  readonly shape: string;
  readonly blocks: readonly OutlinedBlock[];
  /** Undefined: the page is not marked. */
  readonly example: TaughtExample | undefined;
}

/**
 * Lists the blocks of a snapshot, as the site's active template keeps them, with their marks.
 * @throws {AppError} `dom_not_found`; `invalid_request` if the snapshot is of another host
 */
export async function outlineExample(
  deps: TeachSiteDeps,
  site: TaughtHost,
  domId: string,
  budget: StageBudget,
): Promise<ExampleOutline> {
  const { url, html, shape } = await readPage(deps, site, domId);
  const live = await findTaught(deps.templates, site);
  const taught = live?.state === 'active' ? live.document.taught : undefined;
  const blocks = await deps.worker.outline({ html, url }, taught, budget);
  return { url, shape, blocks, example: await deps.examples.find(site.projectId, site.host, domId) };
}

/**
 * Stores the marks of a snapshot in place of its earlier ones.
 * @throws {AppError} `dom_not_found`; `invalid_request` for another host or unknown blocks; `conflict` for too many examples
 */
export async function putExample(
  deps: TeachSiteDeps,
  site: TaughtHost,
  domId: string,
  marks: BlockMarks,
  budget: StageBudget,
): Promise<TaughtExample> {
  const { url, html, shape } = await readPage(deps, site, domId);
  const { page, unknown } = await deps.worker.mark(html, marks, budget);
  if (unknown.length > 0)
    throw new AppError('invalid_request', `marks: the snapshot has no block ${unknown[0]?.slice(0, 100)}`);
  const example = { ...site, domId, url, shape, marks, page, changedAt: deps.now?.() ?? new Date() };
  if (!(await deps.examples.put(example)))
    throw new AppError('conflict', 'the site or the project has too many examples; delete one first');
  return example;
}

export interface TaughtDraft {
  readonly examples: readonly TaughtExample[];
  /** The active version, else the newest. */
  readonly template: StoredTemplate | undefined;
  /** The next version; undefined as long as the examples teach nothing. */
  readonly document: TemplateDocument | undefined;
}

/** Makes the next version of a site's template from its examples. Fields and other rules stay. */
export async function draftTaught(
  deps: Pick<TeachSiteDeps, 'templates' | 'examples'>,
  site: TaughtHost,
): Promise<TaughtDraft> {
  const examples = await deps.examples.list(site.projectId, site.host);
  const template = await findTaught(deps.templates, site);
  const { paths }: TaughtSite = gatherTaught(examples.map(({ shape, page }) => ({ shape, marks: page })));
  if (paths.length === 0) return { examples, template, document: undefined };
  const taught = {
    paths: paths.slice(0, TEMPLATE_LIMITS.maxTaughtPaths).map(([...row]): [number, number, number] => row),
    shapes: [...new Set(examples.map(({ shape }) => shape))],
  };
  const rules: TemplateDocument = template === undefined ? createRules(site.host) : exportTemplate(template);
  const provenance = { ...rules.provenance, pages: examples.map(({ domId }) => domId) };
  return { examples, template, document: { ...rules, taught, provenance } };
}

/**
 * Stores what the examples of a site teach as a version of the project, and activates it.
 * @throws {AppError} `conflict` if they teach nothing
 */
export async function teachSite(deps: TeachSiteDeps, actor: Actor, site: TaughtHost): Promise<StoredTemplate> {
  const { examples, document } = await draftTaught(deps, site);
  if (document === undefined)
    throw new AppError('conflict', 'the examples teach nothing yet: mark two pages of the same kind');
  const note = `by hand: taught by ${examples.length} pages`;
  const stored = await storeCandidate(deps, actor, document, note, site.projectId);
  return activateTemplate(deps, actor, nameVersion(stored), note);
}

/** Finds the active version of the project that marks taught, else the newest. */
async function findTaught(
  templates: TemplateRepository,
  { projectId, host }: TaughtHost,
): Promise<StoredTemplate | undefined> {
  const found = await templates.findByHosts([host], ['active', 'candidate', 'retired'], projectId);
  const taught = found.filter((one) => one.projectId === projectId && one.document.taught !== undefined);
  return taught.find(({ state }) => state === 'active') ?? taught[0];
}

async function readPage(
  { snapshots, content }: Pick<TeachSiteDeps, 'snapshots' | 'content'>,
  { projectId, host }: TaughtHost,
  domId: string,
): Promise<StoredPage & { readonly shape: string }> {
  const page = await readStoredPage(snapshots, content, projectId, domId);
  if (page === undefined) throw new AppError('dom_not_found', `there is no snapshot ${domId} in the project`);
  const address = locateSite(page.url);
  if (address?.host !== host) throw new AppError('invalid_request', `the snapshot ${domId} is not of the host ${host}`);
  return { ...page, shape: describePath(address) };
}

function createRules(host: string): TemplateDocument {
  return {
    format: 1,
    hosts: [host],
    url_shapes: [],
    signature: null,
    fields: {},
    content: null,
    custom: [],
    invariants: { required: [], main_text_words: null },
    provenance: { source: 'hand' },
  };
}
