import type { EnginePreference } from '@winnow/contract';
import { capturePage } from './capture-page.ts';
import type { CapturedPage, CapturePageDeps } from './capture-page.ts';
import { requireTarget } from './check-target.ts';
import type { UrlPolicy } from './capture-ports.ts';
import type { Workflow } from '../shared/workflow.ts';

export interface DumpDomDeps extends CapturePageDeps {
  readonly urlPolicy: UrlPolicy;
}

export interface DumpCommand {
  readonly projectId: string;
  readonly url: string;
  readonly preference: EnginePreference;
  readonly timeoutMs: number;
  readonly filterScriptsStyles: boolean;
}

/** Use case of `POST /v1/dom/dump`. */
export async function dumpDom(deps: DumpDomDeps, command: DumpCommand, flow: Workflow): Promise<CapturedPage> {
  const url = requireTarget(flow, command.url, 'url', deps.urlPolicy, deps.projectEgress.get(command.projectId));
  return capturePage(deps, { ...command, givenUrl: command.url, url }, flow);
}
