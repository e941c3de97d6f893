import type { Format } from '@winnow/contract';
import type { FastifyRequest } from 'fastify';
import { runAdmitted } from '../../domain/admission/run-admitted.ts';
import { extractPage } from '../../domain/extraction/extract-page.ts';
import type { ExtractedPage, ExtractPageDeps } from '../../domain/extraction/extract-page.ts';
import type { Workflow } from '../../domain/shared/workflow.ts';
import { requireKey, requireWorkflow } from '../requests/request-context.ts';
import type { RouteSettings } from '../requests/settings.ts';

/** What the interfaces of other services work with. */
export interface FacadeDeps {
  readonly pages: ExtractPageDeps;
  readonly settings: RouteSettings;
}

export interface PageWish {
  readonly url: string;
  readonly formats: readonly Format[];
  /** Milliseconds of the wait, of the fetch and of each stage; the service's own limits are not exceeded. */
  readonly timeoutMs?: number | undefined;
}

/** Fetches and extracts a page as `POST /v1/extract` does, on behalf of the request's key. */
export async function readPage(
  request: FastifyRequest,
  { pages, settings }: FacadeDeps,
  { url, formats, timeoutMs = Number.POSITIVE_INFINITY }: PageWish,
  workflow: Workflow = requireWorkflow(request),
): Promise<ExtractedPage> {
  const key = requireKey(request);
  const stageTimeoutMs = Math.min(settings.stageTimeoutMs, timeoutMs);
  const command = {
    projectId: key.projectId,
    url,
    domId: undefined,
    formats,
    matchTimeoutMs: stageTimeoutMs,
    generateTimeoutMs: stageTimeoutMs,
    extractTimeoutMs: stageTimeoutMs,
  };
  const budgetMs = Math.min(settings.maxWaitMs, timeoutMs);
  return runAdmitted(settings.admission, { key, budgetMs }, workflow, (waitedMs) => {
    const leftMs = Math.max(1, Math.round(timeoutMs - waitedMs));
    return extractPage({ ...pages, fetchTimeoutMs: Math.min(pages.fetchTimeoutMs, leftMs) }, command, workflow);
  });
}
