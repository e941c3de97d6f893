import type { API_OPERATIONS } from '@winnow/contract';
import type { FastifyRequest } from 'fastify';
import { runAdmitted } from '../../domain/admission/current-tenant.ts';
import { prepareUpload, uploadSnapshot, type UploadSnapshotDeps } from '../../domain/capture/upload-snapshot.ts';
import { deleteSnapshot, type DeleteSnapshotDeps } from '../../domain/storage/delete-snapshot.ts';
import type { SnapshotRow } from '../../domain/storage/snapshot-ports.ts';
import { AppError } from '../../domain/shared/errors.ts';
import { sendMhtml, sendScreenshot } from '../answers/attachments.ts';
import { presentFields } from '../answers/present.ts';
import type { Handlers } from './add-operations.ts';
import { readInTurn } from './read-in-turn.ts';
import { requireKey, requireWorkflow, type RouteSettings } from '../requests/request-context.ts';

/** JSON bytes per byte of HTML: `\u00e4` has six for two. */
const JSON_FACTOR = 3;
const OTHER_FIELDS_BYTES = 64 * 1024;

export function uploadBodyLimit(maxPageBytes: number): number {
  return JSON_FACTOR * maxPageBytes + OTHER_FIELDS_BYTES;
}

export function snapshotHandlers(
  deps: UploadSnapshotDeps & DeleteSnapshotDeps,
  settings: RouteSettings,
): Handlers<Omit<typeof API_OPERATIONS.pages, 'extract' | 'dumpDom'>> {
  return {
    createSnapshot: async ({ request, readBody }) => {
      const workflow = requireWorkflow(request);
      const key = requireKey(request);
      const command = await workflow.run('request', {}, () => {
        const { url, html, content_language: contentLanguage = null } = readBody();
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
        ...presentFields(row, ['domId', 'url', 'fetchedAt']),
        html_bytes: row.bytes,
        stored_bytes: row.storedBytes,
      };
    },
    readScreenshot: async ({ request, reply, params }) =>
      readInTurn(request, reply, settings, async () =>
        sendScreenshot(reply, deps, await findSnapshot(deps, request, params.dom_id)),
      ),
    readMhtml: async ({ request, reply, params }) =>
      readInTurn(request, reply, settings, async () =>
        sendMhtml(reply, deps, await findSnapshot(deps, request, params.dom_id)),
      ),
    deleteSnapshot: async ({ request, params: { dom_id: id } }) => {
      await deleteSnapshot(deps, requireKey(request).projectId, id);
      return { request_id: request.id, deleted: id };
    },
  };
}

async function findSnapshot(deps: DeleteSnapshotDeps, request: FastifyRequest, domId: string): Promise<SnapshotRow> {
  const row = await deps.snapshots.find(requireKey(request).projectId, domId);
  if (row !== undefined) return row;
  throw new AppError('dom_not_found', 'no such snapshot; it is unknown, expired or of another project');
}
