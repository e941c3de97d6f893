import { SNAPSHOT_PATHS } from '@winnow/contract';
import type { DeletedResponse } from '@winnow/contract';
import type { FastifyInstance } from 'fastify';
import { deleteSnapshot } from '../../domain/storage/delete-snapshot.ts';
import type { DeleteSnapshotDeps } from '../../domain/storage/delete-snapshot.ts';
import { AppError } from '../../domain/shared/errors.ts';
import { sendScreenshot } from '../answers/describe-screenshot.ts';
import { ignoreBodies } from '../bodies/ignore-bodies.ts';
import { requireKey } from '../requests/request-context.ts';

export function addSnapshotRoutes(app: FastifyInstance, deps: DeleteSnapshotDeps): void {
  void app.register(async (plugin) => {
    ignoreBodies(plugin);
    plugin.get<{ Params: { dom_id: string } }>(SNAPSHOT_PATHS.screenshot, async (request, reply) => {
      const row = await deps.snapshots.find(requireKey(request).projectId, request.params.dom_id);
      if (row === undefined)
        throw new AppError('dom_not_found', 'no such snapshot; it is unknown, expired or of another project');
      return sendScreenshot(reply, deps.content, row.screenshot);
    });
    plugin.delete<{ Params: { dom_id: string } }>(SNAPSHOT_PATHS.one, async (request): Promise<DeletedResponse> => {
      const id = request.params.dom_id;
      await deleteSnapshot(deps, requireKey(request).projectId, id);
      return { request_id: request.id, deleted: id };
    });
  });
}
