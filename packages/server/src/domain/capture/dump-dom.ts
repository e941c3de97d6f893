import { capturePage } from './capture-page.ts';
import type { CapturedPage, CapturePageDeps } from './capture-page.ts';
import { requireTarget } from './check-target.ts';
import type { UrlPolicy } from './capture-ports.ts';
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
}

/** Use case of `POST /v1/dom/dump`. */
export async function dumpDom(deps: DumpDomDeps, command: DumpCommand, flow: Workflow): Promise<CapturedPage> {
  const { projectId, timeoutMs, page } = command;
  const url = requireTarget(flow, command.url, 'url', deps.urlPolicy, deps.projectEgress.get(projectId));
  const options = requirePageOptions(flow, page, url, 'options', deps);
  const { preference, proxy, filterScriptsStyles } = page;
  const wanted = { projectId, givenUrl: command.url, url, preference, timeoutMs, filterScriptsStyles, proxy, options };
  return capturePage(deps, wanted, flow);
}
