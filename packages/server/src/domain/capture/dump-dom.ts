import type { EngineName } from '@winnow/contract';
import { capturePage } from './capture-page.ts';
import type { CapturedPage, CapturePageDeps } from './capture-page.ts';
import { reuseSnapshot } from './reuse-snapshot.ts';
import type { ReusedPage, ReusePolicy } from './reuse-snapshot.ts';
import { requireTarget } from './check-target.ts';
import type { Capture, UrlPolicy } from './capture-ports.ts';
import type { Workflow } from '../shared/workflow.ts';
import type { PageOptions } from '../request-options/capture-options.ts';
import { requirePageOptions } from '../request-options/check-page-options.ts';

export interface DumpDomDeps extends CapturePageDeps {
  readonly urlPolicy: UrlPolicy;
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
}

/** Use case of `POST /v1/dom/dump`. */
export async function dumpDom(deps: DumpDomDeps, command: DumpCommand, flow: Workflow): Promise<DumpedPage> {
  const { projectId, timeoutMs, page } = command;
  const url = requireTarget(flow, command.url, 'url', deps.urlPolicy, deps.projectEgress.get(projectId));
  const options = requirePageOptions(flow, page, url, 'options', deps);
  const { preference, proxy, filterScriptsStyles } = page;
  const wanted = { projectId, givenUrl: command.url, url, preference, timeoutMs, filterScriptsStyles, proxy, options };
  const reused = await reuseSnapshot(deps, wanted, command.reuse, flow);
  if (reused !== undefined) return { ...reused, capture: toCapture(reused), cached: true };
  return { ...(await capturePage(deps, wanted, flow)), cached: false };
}

/** What is still known of the capture of a stored snapshot. */
function toCapture({ row, html }: ReusedPage): Capture {
  const { engine, finalUrl, statusCode, fetchedAt, contentType, contentLanguage } = row;
  return {
    // Only captures of engines have a key for reuse.
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
