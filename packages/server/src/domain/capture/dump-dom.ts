import type { EngineName } from '@winnow/contract';
import { beginCapture, type CapturedPage, type CapturePageDeps } from './capture-page.ts';
import { reuseSnapshot, type ReusedPage, type ReusePolicy } from './reuse-snapshot.ts';
import type { Capture, CaptureJudge } from './capture-ports.ts';
import { prepareTarget, type CaptureTarget, type PrepareTargetDeps } from './check-target.ts';
import type { Workflow } from '../shared/workflow.ts';
import { attachmentsOf, type PageAttachments } from '../storage/attachments.ts';
import type { PageOptions } from '../request-options/page-options.ts';

export interface DumpDomDeps extends CapturePageDeps, PrepareTargetDeps {
  readonly judgeDump: CaptureJudge;
}

export interface DumpCommand {
  readonly projectId: string;
  readonly url: string;
  readonly timeoutMs: number;
  readonly page: PageOptions;
  /** Default: the page is fetched. */
  readonly reuse?: ReusePolicy | undefined;
}

export interface DumpedPage extends CapturedPage {
  /** A stored snapshot was reused. */
  readonly cached: boolean;
  readonly attachments: PageAttachments;
}

export interface PreparedDump extends DumpCommand {
  readonly target: CaptureTarget;
}

/** Prepares a dump in stage `request`; throws AppError like {@link prepareTarget}. */
export async function prepareDump(deps: PrepareTargetDeps, command: DumpCommand): Promise<PreparedDump> {
  return {
    ...command,
    target: await prepareTarget(deps, { ...command, path: '', isFetched: command.reuse === undefined }),
  };
}

export async function dumpDom(deps: DumpDomDeps, command: PreparedDump, flow: Workflow): Promise<DumpedPage> {
  const { projectId, timeoutMs, page, target, reuse } = command;
  const wanted = { projectId, target, timeoutMs, page };
  const reused = await reuseSnapshot(deps, wanted, reuse, flow);
  if (reused !== undefined)
    return { ...reused, capture: toCapture(reused), cached: true, attachments: attachmentsOf(reused.row) };
  const { stored } = await beginCapture(deps, { ...wanted, judge: deps.judgeDump }, flow);
  const captured = await stored;
  return { ...captured, cached: false, attachments: attachmentsOf(captured.row, page) };
}

function toCapture({ row, html }: ReusedPage): Capture {
  const { engine, finalUrl, statusCode, fetchedAt, contentType, contentLanguage } = row;
  return {
    // Only captures of engines have a reuse key.
    engine: engine as EngineName,
    finalUrl,
    statusCode,
    fetchedAt,
    html,
    contentType,
    charset: null,
    contentLanguage,
    redirects: [],
    protocol: null,
    transferBytes: null,
    bodyBytes: null,
    timings: {},
    blockedRequests: [],
    partial: false,
    attempts: [],
  };
}
