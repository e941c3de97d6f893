import type { EnginePreference } from '@winnow/contract';
import { capturePage } from './capture-page.ts';
import type { CapturedPage, CapturePageDeps } from './capture-page.ts';
import { requireTarget } from './check-target.ts';
import type { UrlPolicy } from './capture-ports.ts';
import type { Workflow } from '../shared/workflow.ts';

export interface DumpDomDeps extends CapturePageDeps {
  readonly urlPolicy: UrlPolicy;
}

export interface DumpOrder {
  readonly projectId: string;
  readonly url: string;
  readonly preference: EnginePreference;
  readonly timeoutMs: number;
  readonly filterScriptsStyles: boolean;
}

/** Use case of `POST /v1/dom/dump`. */
export async function dumpDom(deps: DumpDomDeps, order: DumpOrder, flow: Workflow): Promise<CapturedPage> {
  const url = requireTarget(flow, order.url, 'url', deps.urlPolicy, deps.projectEgress.get(order.projectId));
  return capturePage(deps, { ...order, givenUrl: order.url, url }, flow);
}
