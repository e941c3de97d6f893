import { createHash } from 'node:crypto';
import { ID_PREFIXES, type BatchLine, type BatchState, type ResultOutcome } from '@winnow/contract';
import { checkTarget, type PrepareTargetDeps } from '../capture/check-target.ts';
import { AppError } from '../shared/errors.ts';
import { newId } from '../shared/new-id.ts';
import type { Page, PageRequest } from '../shared/ports.ts';
import {
  batchBytes,
  type Batch,
  type BatchKey,
  type BatchRepository,
  type BatchTarget,
  type ItemCounts,
  type NewBatch,
  type TraceHeaders,
} from './batch-ports.ts';
import type { EarlierCrawls } from '../crawls/crawl-ports.ts';
import type { SecretBox } from '../shared/secrets.ts';
import { sealWebhookSecret } from './webhook-caller.ts';
import { checkBatchPage, sealPage } from './batch-page-options.ts';

export interface BatchDeps extends PrepareTargetDeps {
  readonly batches: BatchRepository;
  /** Undefined: batches cannot have headers and cookies, and secrets of webhooks are stored as they are. */
  readonly secrets: SecretBox | undefined;
}

type StoredBatches = Pick<BatchDeps, 'batches'>;

export interface CreateBatchCommand extends Pick<NewBatch, 'projectId' | 'idempotencyKey' | 'options' | 'webhook'> {
  /** Pays for the items; not part of the fingerprint. */
  readonly key: BatchKey;
  readonly targets: readonly BatchTarget[];
  readonly trace: TraceHeaders | null;
}

export interface CountedBatch {
  readonly batch: Batch;
  readonly counts: ItemCounts;
}

/**
 * Stores a batch. A repeated idempotency key returns the first batch.
 * @throws {AppError} `conflict` when the request differs, `url_not_allowed`, `invalid_request`,
 *   `storage_quota_exceeded`
 */
export async function createBatch(deps: BatchDeps, command: CreateBatchCommand): Promise<CountedBatch> {
  const egress = deps.projectEgress.get(command.projectId);
  if (command.webhook !== null) checkTarget(command.webhook.url, 'webhook.url', deps.urlPolicy, egress);
  const { targets, webhook, trace, key, projectId } = command;
  const { page } = command.options;
  if (page !== undefined) await checkBatchPage(page, targets, deps);
  const options = {
    ...command.options,
    ...(page !== undefined && sealPage(page, projectId, deps.secrets)),
    key,
    ...(webhook !== null && trace !== null && { trace }),
  };
  await requireRoom(deps, { ...command, options });
  const fingerprint = await fingerprintOf(command);
  const batch = await deps.batches.create({
    id: newId(ID_PREFIXES.batch),
    projectId: command.projectId,
    idempotencyKey: command.idempotencyKey,
    fingerprint,
    options,
    webhook: webhook && { ...webhook, secret: sealWebhookSecret(webhook.secret, projectId, deps.secrets) },
    createdAt: new Date(),
    items: targets,
  });
  if (batch.fingerprint !== fingerprint) {
    throw new AppError('conflict', 'Idempotency-Key: already used for another batch');
  }
  return countItems(deps, batch);
}

/**
 * Creates a batch of the failed items of an ended one, with its options and its webhook. Of a crawl it is a batch of the
 * pages that it found; a crawl without any result begins again.
 * @param key pays for the items
 * @throws {AppError} `not_found`, `conflict` without failed items or while items run, `storage_quota_exceeded`
 */
export async function retryFailed(
  deps: BatchDeps,
  projectId: string,
  id: string,
  key: BatchKey,
): Promise<CountedBatch> {
  const { batch, counts } = await readBatch(deps, projectId, id);
  if (batch.state === 'running' || counts.running > 0) throw new AppError('conflict', 'the batch is still running');
  if (counts.failed === 0) throw new AppError('conflict', 'no item of this batch has failed');
  const failed: BatchTarget[] = [];
  const range = { after: -1, limit: Number.POSITIVE_INFINITY, isPage: false, outcome: 'failed' } as const;
  for await (const line of await readResults(deps, projectId, id, range)) {
    const { url, dom_id: domId = '' } = JSON.parse(line) as BatchLine;
    failed.push(url === undefined ? { kind: 'dom_id', value: domId } : { kind: 'url', value: url });
  }
  const { crawl, trace: _trace, ...others } = batch.options;
  const isCrawledAgain = crawl !== undefined && counts.done === 0;
  const targets = isCrawledAgain ? failed.slice(0, 1) : failed;
  const options = isCrawledAgain ? { ...others, crawl } : others;
  const webhook = batch.webhook && { url: batch.webhook.url, secret: batch.webhook.secret };
  await deps.storage.requireRoom(projectId, batchBytes({ items: targets, webhook, options }));
  const created = await deps.batches.create({
    id: newId(ID_PREFIXES.batch),
    projectId,
    idempotencyKey: null,
    fingerprint: await fingerprintOf({ targets, options, webhook }),
    options: { ...options, key },
    webhook,
    createdAt: new Date(),
    items: targets,
  });
  return countItems(deps, created);
}

/** Checks the quota; repeated requests need no space. */
async function requireRoom(
  deps: BatchDeps,
  { projectId, idempotencyKey, targets, webhook, options }: CreateBatchCommand,
): Promise<void> {
  if (idempotencyKey !== null && (await deps.batches.hasKey(projectId, idempotencyKey))) return;
  await deps.storage.requireRoom(projectId, batchBytes({ items: targets, webhook, options }));
}

const HASHED_AT_ONCE = 2000;

/** Hashes in parts: 100,000 targets take 0.3 s. */
async function fingerprintOf({
  targets,
  options,
  webhook,
}: Pick<CreateBatchCommand, 'targets' | 'options' | 'webhook'>): Promise<string> {
  const hash = createHash('sha256').update('{"targets":[');
  for (let start = 0; start < targets.length; start += HASHED_AT_ONCE) {
    const piece = targets.slice(start, start + HASHED_AT_ONCE).map((target) => JSON.stringify(target));
    hash.update(`${start === 0 ? '' : ','}${piece.join(',')}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
  const rest = JSON.stringify({ options, webhook });
  return hash.update(`],${rest.slice(1)}`).digest('hex');
}

/** @throws {AppError} `not_found`, also for batches that are no crawls */
export async function requireCrawl(deps: StoredBatches, projectId: string, id: string): Promise<Batch> {
  const batch = await deps.batches.find(projectId, id);
  if (batch?.options.crawl !== undefined) return batch;
  throw new AppError('not_found', `there is no crawl ${id.slice(0, 64)}`);
}

/** @throws {AppError} `invalid_request` unless the crawl can be compared with */
export async function checkEarlierCrawl(earlier: EarlierCrawls, projectId: string, id: string): Promise<void> {
  const batch = await earlier.find(projectId, id);
  const name = id.slice(0, 64);
  if (batch?.options.crawl === undefined)
    throw new AppError(
      'invalid_request',
      `since: there is no crawl ${name} in this project; it is unknown or deleted, or its results have expired`,
    );
  if (batch.state === 'running') throw new AppError('invalid_request', `since: the crawl ${name} is still running`);
}

/** @throws {AppError} `not_found`, also for other projects' batches */
export async function readBatch(deps: StoredBatches, projectId: string, id: string): Promise<CountedBatch> {
  return countItems(deps, await requireBatch(deps, projectId, id));
}

export async function listBatches(
  deps: StoredBatches,
  projectId: string,
  state: BatchState | undefined,
  page: PageRequest,
): Promise<Page<CountedBatch>> {
  const { items, nextCursor } = await deps.batches.list(projectId, state, page);
  return { items: await Promise.all(items.map((batch) => countItems(deps, batch))), nextCursor };
}

export async function cancelBatch(deps: StoredBatches, projectId: string, id: string): Promise<CountedBatch> {
  if (!(await deps.batches.cancel(projectId, id, new Date()))) throw unknownBatch(id);
  return readBatch(deps, projectId, id);
}

/** @throws {AppError} `not_found`, also for other projects' batches */
export async function deleteBatch(deps: StoredBatches, projectId: string, id: string): Promise<void> {
  if (!(await deps.batches.delete(projectId, id, new Date()))) throw unknownBatch(id);
}

export interface ResultRange {
  /** Exclusive; -1: from the start. */
  readonly after: number;
  readonly limit: number;
  /** Stops before the first unfinished item. */
  readonly isPage: boolean;
  readonly outcome?: ResultOutcome | undefined;
}

/** Few: lines may be large. */
const PAGE = 50;

/** Streams result lines in the order of the request. */
export async function readResults(
  deps: StoredBatches,
  projectId: string,
  id: string,
  range: ResultRange,
): Promise<AsyncGenerator<string>> {
  const batch = await requireBatch(deps, projectId, id);
  const end = range.isPage ? await deps.batches.firstUnfinished(batch.id) : undefined;
  return streamLines(deps.batches, batch.id, range, end ?? Number.POSITIVE_INFINITY);
}

async function* streamLines(
  batches: BatchRepository,
  id: string,
  range: ResultRange,
  end: number,
): AsyncGenerator<string> {
  let { after, limit } = range;
  const { outcome } = range;
  while (limit > 0) {
    const wanted = Math.min(PAGE, limit);
    let count = 0;
    for await (const { index, line } of batches.results(id, after, wanted, outcome)) {
      if (index >= end) return;
      yield `${line}\n`;
      count += 1;
      after = index;
    }
    limit -= count;
    if (count < wanted) return;
  }
}

async function countItems(deps: StoredBatches, batch: Batch): Promise<CountedBatch> {
  return { batch, counts: await deps.batches.count(batch.id) };
}

async function requireBatch(deps: StoredBatches, projectId: string, id: string): Promise<Batch> {
  const batch = await deps.batches.find(projectId, id);
  if (batch === undefined) throw unknownBatch(id);
  return batch;
}

function unknownBatch(id: string): AppError {
  return new AppError('not_found', `there is no batch ${id.slice(0, 64)}`);
}
