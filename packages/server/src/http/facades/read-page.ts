import type { Format } from '@winnow/contract';
import type { FastifyRequest } from 'fastify';
import { runAdmitted } from '../../domain/admission/run-admitted.ts';
import { extractPage, prepareExtract } from '../../domain/extraction/extract-page.ts';
import type { ExtractedPage, ExtractPageDeps, PreparedExtract } from '../../domain/extraction/extract-page.ts';
import type { Workflow } from '../../domain/shared/workflow.ts';
import { requireKey, requireWorkflow } from '../requests/request-context.ts';
import type { RouteSettings } from '../requests/settings.ts';

export interface FacadeDeps {
  readonly pages: ExtractPageDeps;
  readonly settings: RouteSettings;
}

export interface PageWish {
  readonly url: string;
  readonly formats: readonly Format[];
  /** Limit of the wait, the fetch and each stage, within the service's own limits. */
  readonly timeoutMs?: number | undefined;
  /** Hears the text of the snapshot. */
  readonly onSnapshot?: ((html: string) => void) | undefined;
}

export interface PreparedPage {
  readonly command: PreparedExtract;
  readonly timeoutMs: number;
}

/** Checks in stage `request` what {@link readPage} is to fetch; throws AppError as `POST /v1/extract`. */
export async function preparePage(
  request: FastifyRequest,
  { pages, settings }: FacadeDeps,
  { url, formats, timeoutMs = Number.POSITIVE_INFINITY, onSnapshot }: PageWish,
): Promise<PreparedPage> {
  const stageTimeoutMs = Math.min(settings.stageTimeoutMs, timeoutMs);
  const command = await prepareExtract(pages, {
    projectId: requireKey(request).projectId,
    url,
    domId: undefined,
    formats,
    matchTimeoutMs: stageTimeoutMs,
    generateTimeoutMs: stageTimeoutMs,
    extractTimeoutMs: stageTimeoutMs,
    onSnapshot,
  });
  return { command, timeoutMs };
}

/** Fetches and extracts a page as `POST /v1/extract` does, on behalf of the request's key. */
export async function readPage(
  request: FastifyRequest,
  { pages, settings }: FacadeDeps,
  { command, timeoutMs }: PreparedPage,
  workflow: Workflow = requireWorkflow(request),
): Promise<ExtractedPage> {
  const key = requireKey(request);
  const budgetMs = Math.min(settings.maxWaitMs, timeoutMs);
  return runAdmitted(settings.admission, { key, budgetMs }, workflow, (waitedMs) => {
    const leftMs = Math.max(1, Math.round(timeoutMs - waitedMs));
    return extractPage({ ...pages, fetchTimeoutMs: Math.min(pages.fetchTimeoutMs, leftMs) }, command, workflow);
  });
}
