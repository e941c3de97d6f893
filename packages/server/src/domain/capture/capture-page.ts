import { ID_PREFIXES, type StageDetails } from '@winnow/contract';
import type { StageBudget } from '../shared/ports.ts';
import { elementsOf, isOrdinaryCapture, describeOptions, type PageOptions } from '../request-options/page-options.ts';
import { reuseKeyOf } from './reuse-snapshot.ts';
import { CaptureError } from './capture-error.ts';
import { describeAttempts, describeCapture } from './describe-capture.ts';
import type { CaptureTarget } from './check-target.ts';
import { findTitle } from '../storage/find-title.ts';
import { newId } from '../shared/new-id.ts';
import type { Capture, CaptureJudge, Fetcher, HtmlFilter, ProjectEgress } from './capture-ports.ts';
import { describeSizes, storeAttachments } from '../storage/attachments.ts';
import type { SnapshotContent, SnapshotRepository, SnapshotRow } from '../storage/snapshot-ports.ts';
import { SNAPSHOT_LIMIT, type StageContext, type Workflow } from '../shared/workflow.ts';

export interface CapturePageDeps {
  readonly fetcher: Fetcher;
  readonly snapshots: Pick<SnapshotRepository, 'insert' | 'find' | 'findReusable'>;
  readonly content: Pick<SnapshotContent, 'put' | 'get'>;
  readonly filter: HtmlFilter;
  /** By project id. */
  readonly projectEgress: ReadonlyMap<string, ProjectEgress>;
}

export interface CaptureCommand {
  readonly projectId: string;
  readonly target: CaptureTarget;
  readonly page: PageOptions;
  readonly timeoutMs: number;
  /** Decides with `auto` whether a capture serves. */
  readonly judge: CaptureJudge;
  /** Receives the HTML of the stored page and its final address, also if a later stage fails. */
  readonly onStored?: ((html: string, finalUrl: string) => void) | undefined;
}

export interface CapturedPage {
  readonly row: SnapshotRow;
  readonly html: string;
  readonly capture: Capture;
}

/** Engines normally end by themselves at the deadline. */
const ENGINE_GRACE_MS = 3000;

export interface PageUnderway {
  readonly domId: string;
  readonly capture: Capture;
  readonly stored: Promise<CapturedPage>;
}

/** Starts storing, so that later stages overlap the write. Error pages are stored before the error is thrown. */
export async function beginCapture(
  deps: CapturePageDeps,
  command: CaptureCommand,
  flow: Workflow,
): Promise<PageUnderway> {
  const startStoring = (capture: Capture, reuseKey: string | null): PageUnderway => {
    const domId = newId(ID_PREFIXES.dom);
    const stored = flow.run('snapshot', SNAPSHOT_LIMIT, (context) =>
      storePage(deps, command, { domId, capture, reuseKey }, context),
    );
    // Avoids an unhandled rejection.
    stored.catch(() => undefined);
    return { domId, capture, stored };
  };
  try {
    const capture = await fetchPage(deps, command, flow);
    return startStoring(capture, capture.partial ? null : (reuseKeyOf(command) ?? null));
  } catch (error) {
    // Its own step reports a storage failure.
    if (error instanceof CaptureError && error.capture)
      await startStoring(error.capture, null).stored.catch(() => undefined);
    throw error;
  }
}

async function fetchPage(deps: CapturePageDeps, command: CaptureCommand, flow: Workflow): Promise<Capture> {
  const limit = { timeoutMs: command.timeoutMs + ENGINE_GRACE_MS, timeoutCode: 'fetch_timeout' } as const;
  const egress = egressOf(deps, command);
  const { page, target } = command;
  const { options } = target;
  const preference = page.engine_preference ?? 'auto';
  return flow.run('fetch', limit, async ({ signal, note, outside }) => {
    note({ preference, budget_ms: command.timeoutMs, ...describeOptions(options, page.proxy) });
    try {
      const capture = await deps.fetcher.capture(preference, {
        url: target.url,
        timeoutMs: command.timeoutMs,
        signal,
        judge: (captured, budget) => outside(() => command.judge(captured, budget)),
        ...(egress === undefined ? {} : { egress }),
        ...(isOrdinaryCapture(options) ? {} : { options }),
      });
      note(toDetails(capture));
      return capture;
    } catch (error) {
      if (error instanceof CaptureError) {
        note({
          ...(error.capture && toDetails(error.capture)),
          engine_attempts: describeAttempts(error.attempts),
        });
      }
      throw error;
    }
  });
}

function egressOf(
  { projectEgress }: CapturePageDeps,
  { projectId, page: { proxy } }: Pick<CaptureCommand, 'projectId' | 'page'>,
): ProjectEgress | undefined {
  const ofProject = projectEgress.get(projectId);
  return proxy === undefined ? ofProject : { allow: [], deny: [], ...ofProject, proxy };
}

async function storePage(
  deps: CapturePageDeps,
  command: CaptureCommand,
  { domId, capture, reuseKey }: Omit<PageUnderway, 'stored'> & { readonly reuseKey: string | null },
  context: StageContext<'snapshot'>,
): Promise<CapturedPage> {
  const html = await filterPage(deps, command, capture.html, context);
  const [stored, attachments] = await Promise.all([deps.content.put(html), storeAttachments(deps.content, capture)]);
  const row: SnapshotRow = {
    ...stored,
    domId,
    projectId: command.projectId,
    url: command.target.given,
    finalUrl: capture.finalUrl,
    statusCode: capture.statusCode,
    engine: capture.engine,
    fetchedAt: capture.fetchedAt,
    contentType: capture.contentType,
    contentLanguage: capture.contentLanguage,
    filtered: command.page.filter_scripts_styles === true || elementsOf(command.page) !== undefined,
    title: findTitle(html),
    reuseKey,
    ...attachments,
  };
  await deps.snapshots.insert(row);
  command.onStored?.(html, row.finalUrl);
  context.note({
    dom_id: domId,
    source: 'fetched',
    bytes: row.bytes,
    stored_bytes: row.storedBytes,
    filtered: row.filtered,
    ...describeSizes(attachments),
  });
  return { row, html, capture };
}

async function filterPage(
  { filter }: CapturePageDeps,
  { page }: CaptureCommand,
  captured: string,
  budget: StageBudget,
): Promise<string> {
  const html = page.filter_scripts_styles ? await filter.removeScriptsAndStyles(captured, budget) : captured;
  const elements = elementsOf(page);
  return elements === undefined ? html : filter.pickElements(html, elements, budget);
}

function toDetails(capture: Capture): StageDetails['fetch'] {
  const { engine_attempts, ...facts } = describeCapture(capture);
  return {
    engine: capture.engine,
    final_url: capture.finalUrl,
    status_code: capture.statusCode,
    ...facts,
    ...(capture.scroll && { scroll: capture.scroll }),
    ...(capture.consent && { consent: capture.consent }),
    engine_attempts,
  };
}
