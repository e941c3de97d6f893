import { SNAPSHOT_PATHS, snapshotRequestSchema } from '@winnow/contract';
import type { CreateSnapshotResponse } from '@winnow/contract';
import type { FastifyInstance } from 'fastify';
import { runAdmitted } from '../../domain/admission/run-admitted.ts';
import { prepareUpload, uploadSnapshot } from '../../domain/capture/upload-snapshot.ts';
import type { UploadSnapshotDeps } from '../../domain/capture/upload-snapshot.ts';
import { validateBody } from '../bodies/validate-body.ts';
import { requireKey, requireWorkflow } from '../requests/request-context.ts';
import type { RouteSettings } from '../requests/settings.ts';

/** JSON bytes per byte of HTML: `\u00e4` has six for two. */
const JSON_FACTOR = 3;
const OTHER_FIELDS_BYTES = 64 * 1024;

/** Returns the largest accepted body of `POST /v1/snapshots`, in bytes. */
export function uploadBodyLimit(maxPageBytes: number): number {
  return JSON_FACTOR * maxPageBytes + OTHER_FIELDS_BYTES;
}

/** `POST /v1/snapshots`. */
export function addUploadRoute(app: FastifyInstance, deps: UploadSnapshotDeps, settings: RouteSettings): void {
  const schema = snapshotRequestSchema({ limits: settings.limits });
  const limit = {
    bodyLimit: uploadBodyLimit(deps.maxPageBytes),
    config: { bodyLimitSetting: 'WINNOW_MAX_PAGE_BYTES' },
  };
  app.post(SNAPSHOT_PATHS.list, limit, async (request): Promise<CreateSnapshotResponse> => {
    const workflow = requireWorkflow(request);
    const key = requireKey(request);
    const command = await workflow.run('request', {}, () => {
      const { url, html, content_language: contentLanguage = null } = validateBody(schema, request.body);
      // The request log does not store the page.
      request.acceptedBody = { url, content_language: contentLanguage };
      return prepareUpload(deps, { projectId: key.projectId, url, html, contentLanguage });
    });
    const admission = { key, budgetMs: settings.maxWaitMs };
    const row = await runAdmitted(settings.admission, admission, workflow, () =>
      uploadSnapshot(deps, command, workflow),
    );
    return {
      request_id: request.id,
      dom_id: row.domId,
      url: row.url,
      fetched_at: row.fetchedAt.toISOString(),
      html_bytes: row.bytes,
      stored_bytes: row.storedBytes,
    };
  });
}
