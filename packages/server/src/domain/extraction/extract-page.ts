import type { Favor, Format, HiddenText } from '@winnow/contract';
import type { Extraction } from '@winnow/extract';
import { beginCapture } from '../capture/capture-page.ts';
import type { CapturePageDeps } from '../capture/capture-page.ts';
import { requireTarget } from '../capture/check-target.ts';
import { AppError } from '../shared/errors.ts';
import type { PageSource, Template, TemplateOutcome, Templates } from './extraction-ports.ts';
import type { SnapshotRow } from '../storage/snapshot-ports.ts';
import type { UrlPolicy } from '../capture/capture-ports.ts';
import { limitLists, validateOutput } from './validate-output.ts';
import type { Workflow } from '../shared/workflow.ts';

export interface ExtractPageDeps extends CapturePageDeps {
  readonly urlPolicy: UrlPolicy;
  readonly templates: Templates;
  /** Milliseconds that a fetch may take. */
  readonly fetchTimeoutMs: number;
  /** An extraction that expects less of itself than this, 0 to 1, counts as nothing found. */
  readonly minConfidence: number;
}

export interface ExtractOrder {
  readonly projectId: string;
  readonly url: string | undefined;
  readonly domId: string | undefined;
  readonly formats: readonly Format[];
  /** Default: `balanced`. */
  readonly favor?: Favor | undefined;
  /** Default: `drop`. */
  readonly hiddenText?: HiddenText | undefined;
  readonly matchTimeoutMs: number;
  readonly generateTimeoutMs: number;
  readonly extractTimeoutMs: number;
}

export interface ExtractedPage {
  /** The requested URL; with a `dom_id` the URL that the snapshot was taken from. */
  readonly url: string;
  readonly snapshot: SnapshotRow;
  /** The page was taken at its deadline, as it was by then; false for one that was stored before. */
  readonly partial: boolean;
  readonly extraction: Extraction;
  readonly templateId: string;
  readonly fields: TemplateOutcome['fields'];
}

/** How much of the rivals for a field a trace shows. */
const MAX_RIVALS = 5;
const MAX_RIVAL_LENGTH = 200;

/** Time in which a stored snapshot is read where the disk keeps up. */
const SNAPSHOT_LIMIT = { timeoutMs: 15_000, timeoutCode: 'overloaded' } as const;

/**
 * Fetches a page, or takes a stored snapshot, and extracts it: the use case of `POST /v1/extract`.
 * Its stages, in order: fetch, snapshot, match, generate, extract, validate. A fetched page is stored while the later
 * ones go on; the answer, good or bad, waits for it.
 */
export async function extractPage(deps: ExtractPageDeps, order: ExtractOrder, flow: Workflow): Promise<ExtractedPage> {
  const { page, partial, stored } = await takeSnapshot(deps, order, flow);
  const extracting = extractContent(deps, page, order, flow);
  extracting.catch(() => undefined);
  const row = await stored;
  const outcome = await extracting;
  return {
    url: row.url,
    snapshot: row,
    partial,
    extraction: outcome.extraction,
    templateId: outcome.templateId,
    fields: outcome.fields,
  };
}

/** The stages after `snapshot`. */
async function extractContent(
  deps: ExtractPageDeps,
  page: PageSource,
  order: ExtractOrder,
  flow: Workflow,
): Promise<TemplateOutcome> {
  const template = await findTemplate(deps.templates, page, order, flow);
  const outcome = await applyTemplate(template, page, order, flow);
  refuseEmpty(outcome, deps.minConfidence, flow);
  const { extraction, leftOut } = limitLists(outcome.extraction);
  await flow.run('validate', {}, ({ note }) => {
    note({ checked: validateOutput(extraction, page.url), ...leftOut });
  });
  return { ...outcome, extraction };
}

interface TakenPage {
  readonly page: PageSource;
  readonly partial: boolean;
  readonly stored: Promise<SnapshotRow>;
}

async function takeSnapshot(deps: ExtractPageDeps, order: ExtractOrder, flow: Workflow): Promise<TakenPage> {
  const { projectId, formats, favor, hiddenText } = order;
  const rules = deps.projectEgress.get(order.projectId);
  const url =
    order.url === undefined ? undefined : requireTarget(flow, order.url, 'extract.url', deps.urlPolicy, rules);
  if (order.domId !== undefined) {
    flow.skip('fetch', 'a dom_id was given: the stored snapshot is used');
    const { row, html } = await loadSnapshot(deps, projectId, order.domId, flow);
    const { domId, finalUrl, contentLanguage } = row;
    const page = { projectId, domId, html, url: finalUrl, contentLanguage, formats, favor, hiddenText };
    return { page, partial: false, stored: Promise.resolve(row) };
  }
  if (order.url === undefined || url === undefined) {
    throw new AppError('invalid_request', 'extract: needs at least one of url and dom_id');
  }
  const timeoutMs = deps.fetchTimeoutMs;
  const wanted = {
    projectId,
    givenUrl: order.url,
    url,
    preference: 'auto',
    timeoutMs,
    filterScriptsStyles: false,
  } as const;
  const { domId, capture, ...underway } = await beginCapture(deps, wanted, flow);
  const { html, finalUrl, contentLanguage, partial } = capture;
  const stored = underway.stored.then(({ row }) => row);
  return {
    page: { projectId, domId, html, url: finalUrl, contentLanguage, formats, favor, hiddenText, stored },
    partial,
    stored,
  };
}

async function loadSnapshot(
  deps: ExtractPageDeps,
  projectId: string,
  domId: string,
  flow: Workflow,
): Promise<{ readonly row: SnapshotRow; readonly html: string }> {
  return flow.run('snapshot', SNAPSHOT_LIMIT, async ({ note }) => {
    note({ domId, source: 'stored' });
    const row = await deps.snapshots.find(projectId, domId);
    const html = row && (await deps.content.get(row.hash));
    if (!row || html === undefined) {
      throw new AppError(
        'dom_not_found',
        'extract.dom_id: no such snapshot; it is unknown, expired or of another project',
      );
    }
    flow.domId = row.domId;
    flow.rawDom = html;
    note({
      bytes: row.bytes,
      storedBytes: row.storedBytes,
      filtered: row.filtered,
      fetchedAt: row.fetchedAt.toISOString(),
    });
    return { row, html };
  });
}

/** The stages `match` and `generate`. */
async function findTemplate(
  templates: Templates,
  page: PageSource,
  order: ExtractOrder,
  flow: Workflow,
): Promise<Template> {
  const matchLimit = { timeoutMs: order.matchTimeoutMs, timeoutCode: 'match_timeout' } as const;
  const match = await flow.run('match', matchLimit, async ({ signal, timeoutMs, note }) => {
    const found = await templates.match(page, { signal, timeoutMs });
    note({ templateId: found.template.id, candidates: found.candidates });
    return found;
  });
  if (match.generate === undefined) {
    flow.skip('generate', `${match.template.id} matched: no template is needed`);
    return match.template;
  }
  const generateLimit = { timeoutMs: order.generateTimeoutMs, timeoutCode: 'generate_timeout' } as const;
  return flow.run('generate', generateLimit, async ({ signal, timeoutMs, note }) => {
    const made = await templates.generate(page, { signal, timeoutMs });
    note({ reason: match.generate, templateId: made?.id ?? null });
    return made ?? match.template;
  });
}

async function applyTemplate(
  template: Template,
  page: PageSource,
  order: ExtractOrder,
  flow: Workflow,
): Promise<TemplateOutcome> {
  const limit = { timeoutMs: order.extractTimeoutMs, timeoutCode: 'extract_timeout' } as const;
  return flow.run('extract', limit, async ({ signal, timeoutMs, note }) => {
    const outcome = await template.apply(page, { signal, timeoutMs });
    const { extraction, templateId, fallback } = outcome;
    note({
      templateId,
      ...(fallback === undefined ? {} : { fallback }),
      pageType: extraction.pageType,
      confidence: extraction.confidence,
      fields: describeEvidence(extraction.evidence),
    });
    return outcome;
  });
}

/** For each field the source that won and, with the reasons, those that did not. */
function describeEvidence(evidence: Extraction['evidence']): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(evidence).map(([field, { source, rivals }]) => [
      field,
      {
        source,
        rivals: rivals.slice(0, MAX_RIVALS).map((rival) => ({
          source: rival.source,
          value: rival.value.slice(0, MAX_RIVAL_LENGTH),
          reason: rival.reason,
        })),
      },
    ]),
  );
}

function refuseEmpty(outcome: TemplateOutcome, minConfidence: number, flow: Workflow): void {
  const fault = findEmptiness(outcome.extraction, outcome.templateId, minConfidence);
  if (fault !== undefined) throw flow.failEarlier('match', fault);
}

/**
 * The error for an extraction that found nothing, which no template can: an error of the match.
 * @param minConfidence an extraction with a lower confidence, 0 to 1, counts as nothing found
 */
export function findEmptiness(
  { mainText, confidence }: Pick<Extraction, 'mainText' | 'confidence'>,
  templateId: string,
  minConfidence: number,
): AppError | undefined {
  const empty = mainText.trim() === '';
  // A confidence that is no number is for the validation to find.
  if (!empty && !(confidence < minConfidence)) return undefined;
  const message = empty
    ? 'no main content found on the page'
    : `the confidence of the extraction, ${confidence}, is under ${minConfidence} (WINNOW_MIN_CONFIDENCE)`;
  return new AppError('no_template_matched', message, { details: { templateId } });
}
