import { ID_PREFIXES, UPLOAD } from '@winnow/contract';
import { newId } from '../shared/new-id.ts';
import { AppError } from '../shared/errors.ts';
import { SNAPSHOT_LIMIT, type Workflow } from '../shared/workflow.ts';
import { findTitle } from '../storage/find-title.ts';
import type { SnapshotRow } from '../storage/snapshot-ports.ts';
import type { CapturePageDeps } from './capture-page.ts';
import { checkTarget, type PrepareTargetDeps } from './check-target.ts';

export interface UploadSnapshotDeps
  extends Pick<CapturePageDeps, 'snapshots' | 'content'>, Omit<PrepareTargetDeps, 'requestProxies'> {
  /** Largest HTML in bytes of UTF-8. */
  readonly maxPageBytes: number;
}

export interface UploadSnapshotCommand {
  readonly projectId: string;
  readonly url: string;
  readonly html: string;
  readonly contentLanguage: string | null;
}

const OK = 200;

export interface PreparedUpload extends UploadSnapshotCommand {
  readonly finalUrl: string;
}

/**
 * Prepares an upload in stage `request`.
 * @throws {AppError} `url_not_allowed`, `payload_too_large`, `storage_quota_exceeded`
 */
export async function prepareUpload(deps: UploadSnapshotDeps, command: UploadSnapshotCommand): Promise<PreparedUpload> {
  const { projectId } = command;
  const url = checkTarget(command.url, 'url', deps.urlPolicy, deps.projectEgress.get(projectId));
  const html = command.html.toWellFormed();
  requireSize(html, deps.maxPageBytes);
  await deps.storage.requireRoom(projectId);
  return { ...command, html, finalUrl: url.href };
}

/** Use case of `POST /v1/snapshots`: stores the request's HTML as a snapshot. */
export async function uploadSnapshot(
  deps: Pick<UploadSnapshotDeps, 'snapshots' | 'content'>,
  command: PreparedUpload,
  flow: Workflow,
): Promise<SnapshotRow> {
  const { projectId, url, finalUrl, html, contentLanguage } = command;
  flow.skip('fetch', 'the HTML came with the request');
  return flow.run('snapshot', SNAPSHOT_LIMIT, async ({ note }) => {
    const row: SnapshotRow = {
      ...(await deps.content.put(html)),
      domId: newId(ID_PREFIXES.dom),
      projectId,
      url,
      finalUrl,
      statusCode: OK,
      engine: UPLOAD,
      fetchedAt: new Date(),
      contentType: 'text/html',
      contentLanguage,
      filtered: false,
      title: findTitle(html),
    };
    await deps.snapshots.insert(row);
    note({ dom_id: row.domId, source: 'uploaded', bytes: row.bytes, stored_bytes: row.storedBytes });
    return row;
  });
}

function requireSize(html: string, maxBytes: number): void {
  const bytes = Buffer.byteLength(html);
  if (bytes <= maxBytes) return;
  const message = `html: has ${bytes} bytes; the limit is ${maxBytes} (WINNOW_MAX_PAGE_BYTES)`;
  throw new AppError('payload_too_large', message);
}
