import { ID_PREFIXES, UPLOAD } from '@winnow/contract';
import { newId } from '../ids/new-id.ts';
import { AppError } from '../shared/errors.ts';
import type { Workflow } from '../shared/workflow.ts';
import { findTitle } from '../storage/find-title.ts';
import type { SnapshotRow } from '../storage/snapshot-ports.ts';
import { requireRoom } from './capture-page.ts';
import type { CapturePageDeps } from './capture-page.ts';
import type { UrlPolicy } from './capture-ports.ts';
import { requireTarget } from './check-target.ts';

export interface UploadSnapshotDeps extends Pick<
  CapturePageDeps,
  'snapshots' | 'content' | 'projectEgress' | 'storage'
> {
  readonly urlPolicy: UrlPolicy;
  /** Largest HTML in bytes of UTF-8. */
  readonly maxPageBytes: number;
}

export interface UploadSnapshotCommand {
  readonly projectId: string;
  readonly url: string;
  readonly html: string;
  readonly contentLanguage: string | null;
}

/** The status of a page that a caller has: it was shown. */
const OK = 200;

const SNAPSHOT_LIMIT = { timeoutMs: 15_000, timeoutCode: 'overloaded' } as const;

/**
 * Stores HTML that a caller has as a snapshot, for `POST /v1/snapshots`. Nothing is fetched.
 * @throws {AppError} `url_not_allowed`, `payload_too_large`, `storage_quota_exceeded`
 */
export async function uploadSnapshot(
  deps: UploadSnapshotDeps,
  command: UploadSnapshotCommand,
  flow: Workflow,
): Promise<SnapshotRow> {
  const { projectId, url: givenUrl, contentLanguage } = command;
  const url = requireTarget(flow, givenUrl, 'url', deps.urlPolicy, deps.projectEgress.get(projectId));
  const html = command.html.toWellFormed();
  requireSize(html, deps.maxPageBytes, flow);
  await requireRoom(deps.storage, projectId, flow);
  flow.skip('fetch', 'the HTML came with the request');
  return flow.run('snapshot', SNAPSHOT_LIMIT, async ({ note }) => {
    const row: SnapshotRow = {
      ...(await deps.content.put(html)),
      domId: newId(ID_PREFIXES.dom),
      projectId,
      url: givenUrl,
      finalUrl: url.href,
      statusCode: OK,
      engine: UPLOAD,
      fetchedAt: new Date(),
      contentType: 'text/html',
      contentLanguage,
      filtered: false,
      title: findTitle(html),
    };
    await deps.snapshots.insert(row);
    flow.domId = row.domId;
    note({ domId: row.domId, source: 'uploaded', bytes: row.bytes, storedBytes: row.storedBytes });
    return row;
  });
}

function requireSize(html: string, maxBytes: number, flow: Workflow): void {
  const bytes = Buffer.byteLength(html);
  if (bytes <= maxBytes) return;
  const message = `html: has ${bytes} bytes; the limit is ${maxBytes} (WINNOW_MAX_PAGE_BYTES)`;
  throw flow.failEarlier('request', new AppError('payload_too_large', message));
}
