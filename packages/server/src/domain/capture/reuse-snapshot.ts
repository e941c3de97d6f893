import { createHash } from 'node:crypto';
import { elementsOf, isOrdinaryCapture, type PageOptions } from '../request-options/page-options.ts';
import { AppError } from '../shared/errors.ts';
import { failStep, SNAPSHOT_LIMIT, type Workflow } from '../shared/workflow.ts';
import type { StorageQuota } from '../storage/project-quota.ts';
import type { CaptureTarget } from './check-target.ts';
import type { SnapshotContent, SnapshotRepository, SnapshotRow } from '../storage/snapshot-ports.ts';

export interface ReusePolicy {
  /** 0: no reuse; `Infinity`: any age. */
  readonly maxAgeMs: number;
  /** If false, the request fails without a snapshot. */
  readonly mayFetch: boolean;
}

/** Identifies captures that the requests of a project can share. */
export interface ReusableCapture {
  readonly projectId: string;
  readonly target: Pick<CaptureTarget, 'url' | 'options'>;
  readonly page: PageOptions;
  /** Receives the HTML of the snapshot. */
  readonly onStored?: ((html: string, finalUrl: string) => void) | undefined;
}

export interface ReuseDeps {
  readonly snapshots: Pick<SnapshotRepository, 'findReusable'>;
  readonly content: Pick<SnapshotContent, 'get'>;
  readonly storage: StorageQuota;
}

export interface ReusedPage {
  readonly row: SnapshotRow;
  readonly html: string;
}

/** Hex characters of a key: 128 bits. */
const KEY_LENGTH = 32;

/** Returns the reuse key of a capture. Undefined for options such as headers or cookies. */
export function reuseKeyOf({ page, target }: Pick<ReusableCapture, 'page' | 'target'>): string | undefined {
  const { url, options } = target;
  const isWhole = elementsOf(page) === undefined && page.filter_scripts_styles !== true;
  if (!isWhole || page.proxy !== undefined || !isOrdinaryCapture(options)) return undefined;
  return createHash('sha256')
    .update(`${page.engine_preference ?? 'auto'}\n${url.href}`)
    .digest('hex')
    .slice(0, KEY_LENGTH);
}

/**
 * Returns the newest snapshot that the policy allows; undefined if the page must be fetched. For that the quota is
 * checked, which {@link prepareTarget} skips for a page that might be reused.
 * @throws {AppError} `not_cached` without one, if fetching is not allowed; `storage_quota_exceeded`
 */
export async function reuseSnapshot(
  deps: ReuseDeps,
  capture: ReusableCapture,
  policy: ReusePolicy | undefined,
  flow: Workflow,
): Promise<ReusedPage | undefined> {
  if (policy === undefined) return undefined;
  const key = reuseKeyOf(capture);
  const found =
    key === undefined || policy.maxAgeMs <= 0 ? undefined : await readNewest(deps, capture, key, policy, flow);
  if (found !== undefined) return found;
  if (policy.mayFetch) {
    await requireRoom(deps, capture, flow);
    return undefined;
  }
  const reason =
    key === undefined
      ? 'requests with these options reuse no snapshots'
      : 'no stored snapshot of the page is recent enough';
  throw failStep(flow, 'fetch', new AppError('not_cached', `${reason}, and Cache-Control has only-if-cached`));
}

async function requireRoom({ storage }: ReuseDeps, { projectId }: ReusableCapture, flow: Workflow): Promise<void> {
  try {
    await storage.requireRoom(projectId);
  } catch (error) {
    throw error instanceof AppError && error.stage === 'request' ? failStep(flow, 'request', error) : error;
  }
}

async function readNewest(
  { snapshots, content }: ReuseDeps,
  { projectId, onStored }: ReusableCapture,
  key: string,
  { maxAgeMs }: ReusePolicy,
  flow: Workflow,
): Promise<ReusedPage | undefined> {
  return flow.run('snapshot', SNAPSHOT_LIMIT, async ({ note }) => {
    const row = await snapshots.findReusable(projectId, key, new Date(Math.max(0, Date.now() - maxAgeMs)));
    const html = row && (await content.get(row.hash));
    if (row === undefined || html === undefined) return undefined;
    flow.skip('fetch', 'a stored snapshot is reused, as Cache-Control allows');
    onStored?.(html, row.finalUrl);
    note({ dom_id: row.domId, source: 'reused', bytes: row.bytes, fetched_at: row.fetchedAt.toISOString() });
    return { row, html };
  });
}
