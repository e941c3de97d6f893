import type { BatchLine, ErrorBody } from '@winnow/contract';
import { runInSlot } from '../admission/current-tenant.ts';
import type { FairQueue } from '../admission/fair-queue.ts';
import type { Fetcher } from '../capture/capture-ports.ts';
import { extractPage, prepareExtract } from '../extraction/extract-page.ts';
import type { ExtractedPage, ExtractPageDeps } from '../extraction/extract-page.ts';
import { pickContentOptions } from '../request-options/content-options.ts';
import type { SecretBox } from '../shared/secrets.ts';
import type { AppError } from '../shared/errors.ts';
import { Workflow } from '../shared/workflow.ts';
import { unsealPage } from './batch-page-options.ts';
import type { ClaimedItem, ItemResult } from './batch-ports.ts';

/** Turns outcomes into the public form of result lines. */
export interface BatchLinePresenter {
  page(
    page: ExtractedPage,
    context: { readonly requestId: string; readonly workflow: Workflow },
  ): Pick<BatchLine, 'template_id' | 'result' | 'metadata'>;
  error(error: AppError): ErrorBody;
}

export interface RunBatchItemDeps {
  readonly pages: ExtractPageDeps;
  /** Follows robots.txt. */
  readonly robotsFetcher: Fetcher;
  /** Batches share slots with all other work. */
  readonly queue: FairQueue;
  readonly secrets: SecretBox | undefined;
  /** Of each stage after the fetch. */
  readonly stageTimeoutMs: number;
  readonly presenter: BatchLinePresenter;
}

/**
 * Extracts the page of a batch item. All batches share one group of the queue.
 * @throws {AppError} for items without a result
 */
export async function runBatchItem(
  deps: RunBatchItemDeps,
  item: ClaimedItem,
  signal: AbortSignal,
): Promise<ItemResult> {
  const tenant = { key: `batches of ${item.projectId}`, group: 'batches' };
  const permit = await deps.queue.acquire({ ...tenant, signal });
  return runInSlot(permit, tenant, () => extractItem(deps, item, signal));
}

async function extractItem(deps: RunBatchItemDeps, item: ClaimedItem, signal: AbortSignal): Promise<ItemResult> {
  const { secrets, stageTimeoutMs, presenter } = deps;
  const { batchId, projectId, options } = item;
  const { kind, value } = item.target;
  const pages = options.respectRobots ? { ...deps.pages, fetcher: deps.robotsFetcher } : deps.pages;
  const workflow = new Workflow({ signal });
  // Results of stored snapshots need space, too.
  await pages.storage.requireRoom(projectId);
  const command = await prepareExtract(pages, {
    projectId,
    url: kind === 'url' ? value : undefined,
    domId: kind === 'dom_id' ? value : undefined,
    ...pickContentOptions(options),
    fields: options.fields,
    page: unsealPage(options, projectId, secrets),
    reuse: options.reuse && { ...options.reuse, maxAgeMs: options.reuse.maxAgeMs ?? Infinity },
    matchTimeoutMs: stageTimeoutMs,
    generateTimeoutMs: stageTimeoutMs,
    extractTimeoutMs: stageTimeoutMs,
  });
  const page = await extractPage(pages, command, workflow);
  return toResult(item, presenter.page(page, { requestId: batchId, workflow }));
}

export function describeItemFailure(
  { presenter }: Pick<RunBatchItemDeps, 'presenter'>,
  item: ClaimedItem,
  error: AppError,
): ItemResult {
  return toResult(item, { error: presenter.error(error) });
}

function toResult(item: ClaimedItem, outcome: Omit<BatchLine, 'index' | 'url' | 'dom_id'>): ItemResult {
  const { kind, value } = item.target;
  const line: BatchLine = { index: item.index, ...(kind === 'url' ? { url: value } : { dom_id: value }), ...outcome };
  const { warnings = [], partial = false } = outcome.metadata ?? {};
  return { failed: outcome.error !== undefined, doubtful: warnings.length > 0 || partial, line: JSON.stringify(line) };
}
