import { isRetryable } from '@winnow/contract/errors';
import type { StageDetails } from '@winnow/contract';
import type { Extraction } from '@winnow/extract';
import type { ReadFields, RequestedField, RequestedValue } from '@winnow/extract/templates';
import { beginCapture, type CapturePageDeps } from '../capture/capture-page.ts';
import { reuseSnapshot, type ReusedPage, type ReusePolicy } from '../capture/reuse-snapshot.ts';
import { checkTarget, prepareTarget, type CaptureTarget, type PrepareTargetDeps } from '../capture/check-target.ts';
import type { PageLinks } from '../crawls/read-links.ts';
import { AppError } from '../shared/errors.ts';
import { pickContentOptions, type ContentOptions } from '../request-options/content-options.ts';
import type { CaptureJudge } from '../capture/capture-ports.ts';
import type {
  Extractor,
  PageSource,
  ExtractionTemplate,
  TemplateMatch,
  TemplateOutcome,
  TemplateProvider,
  UnstoredPage,
  PageExtraction,
} from './extraction-ports.ts';
import { findShell, judgeContent, type HtmlJudge } from './judge-capture.ts';
import { attachmentsOf, type PageAttachments } from '../storage/attachments.ts';
import type { SnapshotRow } from '../storage/snapshot-ports.ts';
import { readContent } from '../storage/read-content.ts';
import { checkCookies, checkOffered } from '../request-options/check-page-options.ts';
import { elementsOf, type PageOptions } from '../request-options/page-options.ts';
import { failStep, SNAPSHOT_LIMIT, type Workflow } from '../shared/workflow.ts';
import { validateOutput } from './validate-output.ts';

export interface ExtractPageDeps extends CapturePageDeps, PrepareTargetDeps {
  readonly templates: TemplateProvider;
  readonly extractor: Extractor;
  readonly judgeHtml: HtmlJudge;
  readonly fetchTimeoutMs: number;
  /** Below it an extraction counts as empty. */
  readonly minConfidence: number;
}

export interface ExtractCommand extends ContentOptions {
  readonly projectId: string;
  readonly url: string | undefined;
  readonly domId: string | undefined;
  readonly fields?: readonly RequestedField[] | undefined;
  /** With a `domId` it is checked, and only the choice of elements is used. */
  readonly page?: PageOptions | undefined;
  /** Default: the page is fetched. */
  readonly reuse?: ReusePolicy | undefined;
  readonly matchTimeoutMs: number;
  readonly generateTimeoutMs: number;
  readonly extractTimeoutMs: number;
  /** Receives the HTML of the snapshot and its final address, also if a later stage fails. */
  readonly onSnapshot?: ((html: string, finalUrl: string) => void) | undefined;
  /** Receives the links of a page of a crawl, also if it has no content. */
  readonly onLinks?: ((links: PageLinks) => void) | undefined;
}

export interface PreparedExtract extends ExtractCommand {
  /** The page to fetch; undefined: a stored snapshot is extracted. */
  readonly target: CaptureTarget | undefined;
}

export interface ExtractedPage {
  readonly url: string;
  readonly snapshot: SnapshotRow;
  readonly attachments: PageAttachments;
  /** It broke off, or was captured at the deadline. */
  readonly partial: boolean;
  /** A stored snapshot was reused in place of a fetch. */
  readonly cached: boolean;
  readonly extraction: Extraction;
  readonly templateId: string;
  readonly fields: Readonly<Record<string, RequestedValue>> | undefined;
  readonly fieldFailures: ReadFields['failures'];
}

/** What every stage of an extraction needs. */
interface Stages {
  readonly deps: ExtractPageDeps;
  readonly command: PreparedExtract;
  readonly flow: Workflow;
}

/** Limits of rejected candidates in the trace. */
const MAX_RIVALS = 5;
const MAX_RIVAL_LENGTH = 200;

/**
 * Prepares an extraction in stage `request`.
 * @throws {AppError} as {@link prepareTarget}
 */
export async function prepareExtract(deps: PrepareTargetDeps, command: ExtractCommand): Promise<PreparedExtract> {
  const { projectId, url, domId, page = {} } = command;
  if (domId !== undefined) {
    if (url !== undefined) checkTarget(url, 'extract.url', deps.urlPolicy, deps.projectEgress.get(projectId));
    checkOffered(page, 'extract.options', deps);
    return { ...command, target: undefined };
  }
  if (url === undefined) throw new AppError('invalid_request', 'extract: needs at least one of url and dom_id');
  return {
    ...command,
    target: await prepareTarget(deps, {
      projectId,
      url,
      page,
      path: 'extract.',
      isFetched: command.reuse === undefined,
    }),
  };
}

/**
 * Use case of `POST /v1/extract`, with the stages fetch, snapshot, match, generate, extract, validate. A fetched page
 * is stored in parallel with later stages; the response waits for it.
 */
export async function extractPage(
  deps: ExtractPageDeps,
  command: PreparedExtract,
  flow: Workflow,
): Promise<ExtractedPage> {
  const stages = { deps, command, flow };
  const taken = await takeSnapshot(stages);
  const { partial, cached = false, stored } = taken;
  const extracting = extractContent(stages, taken);
  extracting.catch(() => undefined);
  const row = await stored;
  const outcome = await extracting;
  const { requested } = outcome;
  return {
    url: row.url,
    snapshot: row,
    attachments: attachmentsOf(row, command.domId === undefined ? command.page : undefined),
    partial,
    cached,
    extraction: outcome.extraction,
    templateId: outcome.templateId,
    fields: requested === undefined ? outcome.fields : { ...outcome.fields, ...requested.fields },
    fieldFailures: requested?.failures ?? [],
  };
}

interface ContentOutcome extends TemplateOutcome {
  readonly requested: ReadFields | undefined;
}

async function extractContent(
  stages: Stages,
  { page, engine, judged, mayImprove }: TakenPage,
): Promise<ContentOutcome> {
  const { deps, command, flow } = stages;
  const match = judged?.match ?? (await matchTemplate(stages, page));
  const template = judged?.generated ?? (await chooseTemplate(stages, match, page));
  const outcome = await applyTemplate(stages, template, { ...page, engine });
  const { leftOut, requested, followed, ...extraction } = outcome.extraction;
  if (followed !== undefined) command.onLinks?.(followed);
  const fault = findEmptiness(outcome.extraction, outcome.templateId, deps.minConfidence, mayImprove);
  if (fault !== undefined) throw failStep(flow, 'match', fault);
  await flow.run('validate', {}, ({ note }) => {
    note({ checked: validateOutput(extraction, page.url), ...leftOut });
  });
  return { ...outcome, extraction, requested };
}

interface TakenPage {
  readonly page: PageSource;
  readonly engine: SnapshotRow['engine'];
  readonly judged?: JudgedPage | undefined;
  readonly partial: boolean;
  readonly cached?: boolean;
  /** An engine failed for a passing reason, so another took the page. */
  readonly mayImprove?: boolean;
  readonly stored: Promise<SnapshotRow>;
}

async function takeSnapshot(stages: Stages): Promise<TakenPage> {
  const { deps, command, flow } = stages;
  const { projectId, target } = command;
  if (target === undefined) {
    flow.skip('fetch', 'a dom_id was given: the stored snapshot is used');
    const stored = await loadSnapshot(stages);
    checkStoredCookies(stages, stored.row);
    return takeStored(stored, command);
  }
  // The whole page is stored.
  const { include_tags: _included, exclude_tags: _excluded, ...page } = command.page ?? {};
  const timeoutMs = fetchTimeoutOf(deps, page, flow);
  const wanted = { projectId, target, page, timeoutMs, onStored: command.onSnapshot };
  const reused = await reuseSnapshot(deps, wanted, command.reuse, flow);
  if (reused !== undefined) return { ...takeStored(reused, command), cached: true };
  const judged: JudgedPage[] = [];
  const judge = createJudge(stages, judged);
  const { domId, capture, ...underway } = await beginCapture(deps, { ...wanted, judge }, flow);
  const { html, finalUrl, contentLanguage, partial, attempts } = capture;
  const stored = underway.stored.then(({ row }) => row);
  const known = judged.find((one) => one.html === html);
  const { extraction } = known ?? {};
  return {
    page: { ...wishesOf(command), domId, html, url: finalUrl, contentLanguage, stored, extraction },
    engine: capture.engine,
    judged: known,
    partial,
    mayImprove: attempts.some(({ errorCode }) => errorCode !== null && isRetryable(errorCode)),
    stored,
  };
}

/** What judging a capture already found out about its page. */
interface JudgedPage {
  readonly html: string;
  readonly match: TemplateMatch;
  /** Chosen in place of the matched template, before the extraction, which is made once. */
  readonly generated?: ExtractionTemplate | undefined;
  /** Absent if the page has the structure of a template, or if only its elements are extracted. */
  extraction?: PageExtraction;
}

/** Creates the judge of the captures of one request, which matches and extracts those whose HTML does not decide. */
function createJudge(stages: Stages, judged: JudgedPage[]): CaptureJudge {
  const { deps, command, flow } = stages;
  return async (capture, budget) => {
    const verdict = await deps.judgeHtml(capture, budget);
    if (verdict !== undefined) return verdict;
    const { html, finalUrl: url, contentLanguage } = capture;
    const page = { ...wishesOf(command), html, url, contentLanguage };
    return judgeContent(async (limits) => {
      const match = await matchTemplate(stages, page);
      const isGenerated = match.generate !== undefined;
      const generated = isGenerated ? await chooseTemplate(stages, match, page) : undefined;
      const one: JudgedPage = { html, match, generated };
      judged.push(one);
      if (match.isByStructure === true) return `its structure matches ${match.template.id}`;
      const options = { timeoutMs: limits.timeoutMs, timeoutCode: 'extract_timeout' } as const;
      const input = { ...page, elements: undefined, ...(generated ?? match.template).site };
      const extraction = await flow.run('extract', options, ({ signal, timeoutMs }) =>
        deps.extractor.extract(input, { signal, timeoutMs }),
      );
      if (page.elements === undefined) one.extraction = extraction;
      return extraction;
    }, budget);
  };
}

function wishesOf(command: ExtractCommand) {
  return {
    projectId: command.projectId,
    ...pickContentOptions(command),
    elements: command.page && elementsOf(command.page),
    fields: command.fields,
    takeLinks: command.onLinks !== undefined,
  };
}

function takeStored({ row, html }: ReusedPage, command: ExtractCommand): TakenPage {
  const { domId, finalUrl, contentLanguage, engine } = row;
  const page = { ...wishesOf(command), domId, html, url: finalUrl, contentLanguage };
  return { page, engine, partial: false, stored: Promise.resolve(row) };
}

/** Share of the time reserved for the stages after the fetch, and its limit. */
const EXTRACT_SHARE = 0.2;
const MAX_EXTRACT_RESERVE_MS = 3000;

function fetchTimeoutOf(deps: ExtractPageDeps, { timeout_ms: timeoutMs }: PageOptions, flow: Workflow): number {
  if (timeoutMs === undefined) return deps.fetchTimeoutMs;
  const leftMs = timeoutMs - flow.elapsedMs();
  return Math.max(1, Math.round(leftMs - Math.min(leftMs * EXTRACT_SHARE, MAX_EXTRACT_RESERVE_MS)));
}

/** Returns the stage's own limit, or the remaining time of the request. */
function stageTimeoutOf({ command: { page }, flow }: Stages, stageMs: number): number {
  if (page?.timeout_ms === undefined) return stageMs;
  return Math.max(1, Math.min(stageMs, page.timeout_ms - flow.elapsedMs()));
}

async function loadSnapshot({ deps, command, flow }: Stages): Promise<ReusedPage> {
  const { projectId, domId = '', onSnapshot } = command;
  return flow.run('snapshot', SNAPSHOT_LIMIT, async ({ note }) => {
    note({ dom_id: domId, source: 'stored' });
    const row = await deps.snapshots.find(projectId, domId);
    if (row === undefined) {
      throw new AppError(
        'dom_not_found',
        'extract.dom_id: no such snapshot; it is unknown, expired or of another project',
      );
    }
    const html = await readContent(deps, row);
    onSnapshot?.(html, row.finalUrl);
    note({
      bytes: row.bytes,
      stored_bytes: row.storedBytes,
      filtered: row.filtered,
      fetched_at: row.fetchedAt.toISOString(),
    });
    return { row, html };
  });
}

/** Cookies are checked against the address of the stored page, as against that of a page to fetch. */
function checkStoredCookies({ command: { page }, flow }: Stages, { url: given }: SnapshotRow): void {
  const url = URL.parse(given);
  if (page?.cookies === undefined || url === null) return;
  try {
    checkCookies(page.cookies, url, 'extract.options');
  } catch (error) {
    throw error instanceof AppError ? failStep(flow, 'request', error) : error;
  }
}

async function matchTemplate(stages: Stages, page: UnstoredPage): Promise<TemplateMatch> {
  const { deps, command, flow } = stages;
  const matchMs = stageTimeoutOf(stages, command.matchTimeoutMs);
  const limit = { timeoutMs: matchMs, timeoutCode: 'match_timeout' } as const;
  return flow.run('match', limit, async ({ signal, timeoutMs, note }) => {
    const found = await deps.templates.match(page, { signal, timeoutMs });
    note({
      template_id: found.template.id,
      candidates: found.candidates.map(({ templateId, score, reason }) => ({ template_id: templateId, score, reason })),
    });
    return found;
  });
}

async function chooseTemplate(stages: Stages, match: TemplateMatch, page: UnstoredPage): Promise<ExtractionTemplate> {
  const { deps, command, flow } = stages;
  if (match.generate === undefined) {
    flow.skip('generate', `${match.template.id} matched: no template is needed`);
    return match.template;
  }
  const generateMs = stageTimeoutOf(stages, command.generateTimeoutMs);
  const limit = { timeoutMs: generateMs, timeoutCode: 'generate_timeout' } as const;
  return flow.run('generate', limit, async ({ signal, timeoutMs, note }) => {
    const made = await deps.templates.generate(page, { signal, timeoutMs });
    note({ reason: match.generate, template_id: made?.id ?? null, ...(made?.pages && { pages: made.pages }) });
    return made ?? match.template;
  });
}

async function applyTemplate(
  stages: Stages,
  template: ExtractionTemplate,
  { engine, ...page }: PageSource & Pick<TakenPage, 'engine'>,
): Promise<TemplateOutcome> {
  const { command, flow } = stages;
  const extractMs = stageTimeoutOf(stages, command.extractTimeoutMs);
  const limit = { timeoutMs: extractMs, timeoutCode: 'extract_timeout' } as const;
  return flow.run('extract', limit, async ({ signal, timeoutMs, note }) => {
    const outcome = await template.apply(page, { signal, timeoutMs });
    const { templateId, fallback, sources } = outcome;
    const shell = engine === 'http' ? await findShell(stages.deps.judgeHtml, page, outcome.extraction) : [];
    const extraction = { ...outcome.extraction, warnings: [...shell, ...outcome.extraction.warnings] };
    const codes = [...new Set(extraction.warnings.map(({ code }) => code))];
    note({
      template_id: templateId,
      ...(fallback === undefined ? {} : { fallback }),
      ...(sources === undefined
        ? {}
        : { main_text_source: sources.mainText ?? 'none', from_generic: { ...sources.fromGeneric } }),
      page_type: extraction.pageType,
      confidence: extraction.confidence,
      ...(codes.length === 0 ? {} : { warnings: codes }),
      fields: describeEvidence(extraction.evidence),
    });
    if ((extraction.requested?.failures ?? []).length > 0) note({ warnings: [...codes, 'field_failed'] });
    return { ...outcome, extraction };
  });
}

function describeEvidence(evidence: Extraction['evidence']): StageDetails['extract']['fields'] {
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

/**
 * Returns the error for an empty or poor extraction.
 * @param minConfidence from 0 to 1
 * @param mayImprove another try may find more
 */
export function findEmptiness(
  { mainText, confidence, warnings }: Pick<Extraction, 'mainText' | 'confidence' | 'warnings'>,
  templateId: string,
  minConfidence: number,
  mayImprove?: boolean,
): AppError | undefined {
  const empty = mainText.trim() === '';
  // The text of an error page is empty because the page says so.
  if (empty && warnings.some(({ code }) => code === 'soft_404')) return undefined;
  // The validation reports NaN.
  if (!empty && !(confidence < minConfidence)) return undefined;
  const [warning] = warnings.filter(({ code }) => code !== 'near_empty_page');
  const message = empty
    ? `no main content found on the page${warning === undefined ? '' : `: ${warning.message}`}`
    : `the confidence of the extraction, ${confidence}, is under ${minConfidence} (WINNOW_MIN_CONFIDENCE)`;
  return new AppError('no_template_matched', message, { details: { template_id: templateId }, retryable: mayImprove });
}
