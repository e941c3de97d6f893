/** Maps domain values to public snake_case bodies. */
import { ERRORS, HEADERS, publicEngineName } from '@winnow/contract';
import type {
  BatchBody,
  DoubtCode,
  DumpResponse,
  EnginePreference,
  ErrorBody,
  ExtractMetadata,
  ExtractResponse,
  ExtractResult,
  Format,
  StageDetails,
  TraceStep,
  TemplateSummary,
} from '@winnow/contract';
import type { Extraction } from '@winnow/extract';
import type { CountedBatch } from '../../domain/batches/batches.ts';
import { noChanges, noneSkipped, type CrawlSettings } from '../../domain/crawls/crawl-ports.ts';
import type { Batch } from '../../domain/batches/batch-ports.ts';
import { describeCapture } from '../../domain/capture/describe-capture.ts';
import type { DumpedPage } from '../../domain/capture/dump-dom.ts';
import { presentAttachments } from './attachments.ts';
import type { AppError } from '../../domain/shared/errors.ts';
import type { ExtractedPage } from '../../domain/extraction/extract-page.ts';
import { toSnakeCase, type SnakeCase } from '../../domain/shared/snake-case.ts';
import type { Step, Workflow } from '../../domain/shared/workflow.ts';
import { isDrifting } from '../../domain/templates/health-recorder.ts';
import { nameVersion, type FilledFields, type StoredTemplate } from '../../domain/templates/template-ports.ts';

type Presented<Value> = Value extends Date ? string : Value;

/** Returns the named fields in snake case, with times as ISO 8601. Others stay inside, such as secrets. */
export function presentFields<T extends object, Name extends keyof T & string>(
  item: T,
  names: readonly Name[],
): { [Field in Name as SnakeCase<Field>]: Presented<T[Field]> } {
  const entries = names.map((name) => {
    const value = item[name];
    return [toSnakeCase(name), value instanceof Date ? value.toISOString() : value];
  });
  return Object.fromEntries(entries) as ReturnType<typeof presentFields<T, Name>>;
}

interface AnswerContext {
  readonly requestId: string;
  readonly workflow: Workflow;
  readonly engineFamily: string;
  /** HTML of the snapshot, if the response includes it. */
  readonly rawDom?: string | null;
}

export function presentExtract(
  page: ExtractedPage,
  context: AnswerContext,
  responseOptions: { readonly steps: boolean },
): ExtractResponse {
  const { workflow, rawDom = null } = context;
  return {
    request_id: context.requestId,
    template_id: page.templateId,
    result: presentResult(page, context),
    metadata: {
      dom_id: page.snapshot.domId,
      template_id: page.templateId,
      server_elapsed_ms: workflow.elapsedMs(),
      engine: publicEngineName(page.snapshot.engine, context.engineFamily),
      fetched_at: page.snapshot.fetchedAt.toISOString(),
      page_type: page.extraction.pageType,
      confidence: page.extraction.confidence,
      token_estimate: page.extraction.tokenEstimate,
      warnings: presentWarnings(page),
      ...(page.partial ? { partial: true } : {}),
      ...(page.cached ? { cached: true } : {}),
      ...presentAttachments(page.snapshot.domId, page.attachments),
    },
    ...(responseOptions.steps ? { trace: presentTrace(workflow.steps, context.engineFamily) } : {}),
    ...(rawDom === null ? {} : { raw_dom: rawDom }),
  };
}

function presentResult(page: ExtractedPage, context: AnswerContext): ExtractResult {
  const { extraction, snapshot, fields } = page;
  return {
    url: page.url,
    final_url: snapshot.finalUrl,
    status_code: snapshot.statusCode,
    ...presentContent(extraction),
    engine: publicEngineName(snapshot.engine, context.engineFamily),
    dom_id: snapshot.domId,
    template_id: page.templateId,
    ...presentFormats(extraction),
    fields,
  };
}

export function presentWarnings({ extraction, fieldFailures }: ExtractedPage): ExtractMetadata['warnings'] {
  return [...extraction.warnings, ...presentFieldFailures(fieldFailures)];
}

/** What is doubtful about a page: its warnings, and that it is not whole. */
export function listDoubts({
  warnings,
  partial,
}: Pick<ExtractMetadata, 'warnings'> & { readonly partial?: boolean | undefined }): {
  code: DoubtCode;
  message: string;
}[] {
  const cut = {
    code: 'partial' as const,
    message: 'the page broke off, was still loading at its deadline, or is a document that could not be read in full',
  };
  return partial === true ? [...warnings, cut] : warnings;
}

export function describeDoubts(metadata: Parameters<typeof listDoubts>[0]): string[] {
  return listDoubts(metadata).map(({ code, message }) => `${code}: ${message}`);
}

export function listDoubtCodes(metadata: Parameters<typeof listDoubts>[0]): DoubtCode[] {
  return [...new Set(listDoubts(metadata).map(({ code }) => code))];
}

export function codeDoubts(page: ExtractedPage): string {
  return listDoubtCodes({ warnings: presentWarnings(page), partial: page.partial }).join(', ');
}

/** The facts about an answer that text has no place for. */
export function presentHeaders(page: ExtractedPage): Record<string, string> {
  const doubts = codeDoubts(page);
  return {
    [HEADERS.domId]: page.snapshot.domId,
    [HEADERS.templateId]: page.templateId,
    [HEADERS.confidence]: String(page.extraction.confidence),
    ...(doubts === '' ? {} : { [HEADERS.warnings]: doubts }),
  };
}

export function presentFieldFailures(failures: ExtractedPage['fieldFailures']): ExtractMetadata['warnings'] {
  return failures.map(({ name, message }) => ({ code: 'field_failed', message: `fields.${name}: ${message}` }));
}

type Content = 'title' | 'description' | 'main_text' | 'publish_time' | 'author' | 'language' | 'links' | 'images';

export function presentContent(extraction: Extraction): Pick<ExtractResult, Content> {
  const names = ['title', 'description', 'mainText', 'publishTime', 'author', 'language', 'links', 'images'] as const;
  return presentFields(extraction, names);
}

export function presentFormats({ markdown, html, stated, chunks }: Extraction): Pick<ExtractResult, Format | 'chunks'> {
  return { markdown, html, stated, chunks };
}

export function presentDump(page: DumpedPage, context: AnswerContext): DumpResponse {
  const { row, html, capture } = page;
  return {
    request_id: context.requestId,
    ...presentFields(row, ['url', 'finalUrl', 'statusCode', 'fetchedAt']),
    engine: publicEngineName(row.engine, context.engineFamily),
    dom_id: row.domId,
    html,
    ...presentAttachments(row.domId, page.attachments),
    debug: {
      ...describeCapture(capture, context.engineFamily),
      html_bytes: row.bytes,
      stored_bytes: row.storedBytes,
      filtered: row.filtered,
      ...(page.cached ? { cached: true } : {}),
    },
  };
}

export function presentBatch({ batch, counts }: CountedBatch): BatchBody {
  const { webhook, options } = batch;
  const { crawl } = options;
  return {
    id: batch.id,
    state: batch.state,
    total: batch.total,
    counts,
    kind: crawl === undefined ? 'batch' : 'crawl',
    crawl: crawl === undefined ? null : presentCrawl(batch, crawl),
    respect_robots: batch.options.respectRobots,
    formats: [...batch.options.formats],
    created_at: batch.createdAt.toISOString(),
    finished_at: batch.finishedAt?.toISOString() ?? null,
    webhook: webhook && { url: webhook.url, state: webhook.state, attempts: webhook.attempts },
  };
}

function presentCrawl({ skipped, changes }: Batch, { url, since }: CrawlSettings): BatchBody['crawl'] {
  return {
    url,
    skipped: { ...noneSkipped(), ...skipped },
    since: since ?? null,
    changes: since === undefined ? null : { ...noChanges(), ...changes },
  };
}

/** If the error has no `retryAfterSeconds`. */
const DEFAULT_RETRY_AFTER_S = 1;

/** Undefined if unknown. */
export function retryAfterSecondsOf({ code, retryAfterSeconds }: AppError): number | undefined {
  return retryAfterSeconds ?? ('retryAfter' in ERRORS[code] ? DEFAULT_RETRY_AFTER_S : undefined);
}

/** Messages of unexpected errors stay in the log. */
export function presentError(error: AppError): ErrorBody {
  const { code, message, stage, retryable, upstreamStatusCode } = error;
  const retryAfterSeconds = retryAfterSecondsOf(error);
  return {
    code,
    message: code === 'internal' ? 'an unexpected error occurred' : message,
    stage,
    retryable,
    ...(retryAfterSeconds === undefined ? {} : { retry_after_ms: Math.ceil(retryAfterSeconds * 1000) }),
    upstream_status_code: upstreamStatusCode,
  };
}

export function presentTrace(steps: readonly Step[], engineFamily: string): TraceStep[] {
  return steps.map(({ stage, status, startedMs, elapsedMs, detail }) => {
    const times = { status, started_ms: startedMs, elapsed_ms: elapsedMs };
    return {
      stage,
      ...times,
      detail: stage === 'fetch' ? presentFetch(detail, engineFamily) : detail,
    } as TraceStep;
  });
}

function presentFetch(detail: StageDetails['fetch'], engineFamily: string): StageDetails['fetch'] {
  const publicName = (name: string): string => publicEngineName(name as EnginePreference, engineFamily);
  const { preference, engine, engine_attempts: attempts } = detail;
  return {
    ...detail,
    ...(preference === undefined ? {} : { preference: publicName(preference) }),
    ...(engine === undefined ? {} : { engine: publicName(engine) }),
    ...(attempts && { engine_attempts: attempts.map((one) => ({ ...one, engine: publicName(one.engine) })) }),
  };
}

export function presentTemplate(stored: StoredTemplate): TemplateSummary {
  const { state, document, note, health } = stored;
  return {
    name: nameVersion(stored),
    ...presentFields(stored, ['id', 'version', 'state', 'projectId', 'domain']),
    hosts: document.hosts,
    source: document.provenance.source,
    note,
    health: { served: health.served, failed: health.failed, fill_rates: presentFillRates(health.filled) },
    warning: state === 'active' && isDrifting(health) ? 'its last pages failed or lack values that others have' : null,
    ...presentFields(stored, ['createdAt', 'changedAt']),
  };
}

function presentFillRates({ pages, fields }: FilledFields): Record<string, number> {
  return Object.fromEntries(Object.entries(fields).map(([name, count]) => [name, count / pages]));
}
