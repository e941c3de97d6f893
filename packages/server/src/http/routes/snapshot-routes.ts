import { SNAPSHOT_PATHS } from '@winnow/contract';
import type { DeletedResponse } from '@winnow/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { deleteSnapshot } from '../../domain/storage/delete-snapshot.ts';
import type { DeleteSnapshotDeps } from '../../domain/storage/delete-snapshot.ts';
import type { SnapshotRow } from '../../domain/storage/snapshot-ports.ts';
import { AppError } from '../../domain/shared/errors.ts';
import { sendMhtml, sendScreenshot } from '../answers/attachments.ts';
import { ignoreBodies } from '../bodies/ignore-bodies.ts';
import { requireKey } from '../requests/request-context.ts';

interface OfSnapshot {
  readonly Params: { readonly dom_id: string };
}

export function addSnapshotRoutes(app: FastifyInstance, deps: DeleteSnapshotDeps): void {
  void app.register(async (plugin) => {
    ignoreBodies(plugin);
    plugin.get<OfSnapshot>(SNAPSHOT_PATHS.screenshot, async (request, reply) =>
      sendScreenshot(reply, deps.content, (await findSnapshot(deps, request)).screenshot),
    );
    plugin.get<OfSnapshot>(SNAPSHOT_PATHS.mhtml, async (request, reply) =>
      sendMhtml(reply, deps.content, await findSnapshot(deps, request)),
    );
    plugin.delete<OfSnapshot>(SNAPSHOT_PATHS.one, async (request): Promise<DeletedResponse> => {
      const id = request.params.dom_id;
      await deleteSnapshot(deps, requireKey(request).projectId, id);
      return { request_id: request.id, deleted: id };
    });
  });
}

async function findSnapshot(deps: DeleteSnapshotDeps, request: FastifyRequest<OfSnapshot>): Promise<SnapshotRow> {
  const row = await deps.snapshots.find(requireKey(request).projectId, request.params.dom_id);
  if (row !== undefined) return row;
  throw new AppError('dom_not_found', 'no such snapshot; it is unknown, expired or of another project');
}
