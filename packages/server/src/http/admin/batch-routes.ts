import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ADMIN_OPERATIONS, ADMIN_STREAMS } from '@winnow/contract';
import type { BatchItemBody, BatchLine } from '@winnow/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { recordAudit } from '../../domain/accounts/audit.ts';
import { requireProject } from '../../domain/accounts/projects.ts';
import type { User } from '../../domain/accounts/ports.ts';
import { cancelBatch, deleteBatch, listBatches, readBatch, readResults } from '../../domain/batches/batches.ts';
import type { Project } from '../../domain/keys/key-ports.ts';
import { presentBatch } from '../answers/present.ts';
import { addOperation, readParam } from './add-operation.ts';
import { projectDeps } from './admin-deps.ts';
import type { AdminDeps } from './admin-deps.ts';
import { requireSession } from './admin-session.ts';

const PAGE = 20;

export function addAdminBatchRoutes(app: FastifyInstance, deps: AdminDeps): void {
  const { batches } = deps;
  const findProject = (request: FastifyRequest, user: User): Promise<Project> =>
    requireProject(projectDeps(deps), user, readParam(request, 'project_id'));
  addOperation(app, deps, ADMIN_OPERATIONS.listBatches, async ({ request, query, signedIn }) => {
    const project = await findProject(request, signedIn().user);
    const { state, cursor, limit = PAGE } = query;
    const page = await listBatches(batches, project.id, state, { limit, ...(cursor === undefined ? {} : { cursor }) });
    return { request_id: request.id, items: page.items.map(presentBatch), next_cursor: page.nextCursor };
  });
  addOperation(app, deps, ADMIN_OPERATIONS.readBatch, async ({ request, param, signedIn }) => {
    const project = await findProject(request, signedIn().user);
    return { request_id: request.id, batch: presentBatch(await readBatch(batches, project.id, param('id'))) };
  });
  addOperation(app, deps, ADMIN_OPERATIONS.listBatchItems, async ({ request, query, param, signedIn }) => {
    const project = await findProject(request, signedIn().user);
    const { outcome, after = -1, limit = PAGE } = query;
    const range = { after, limit, isPage: false, ...(outcome === undefined ? {} : { outcome }) };
    const items: BatchItemBody[] = [];
    for await (const line of await readResults(batches, project.id, param('id'), range)) {
      items.push(presentItem(JSON.parse(line) as BatchLine));
      // Lines may be large, so other requests run between them.
      await nextTurn();
    }
    return { request_id: request.id, items, next_after: items.length < limit ? null : (items.at(-1)?.index ?? null) };
  });
  addOperation(app, deps, ADMIN_OPERATIONS.cancelBatch, async ({ request, param, signedIn }) => {
    const { user } = signedIn();
    const project = await findProject(request, user);
    const cancelled = await cancelBatch(batches, project.id, param('id'));
    await recordAudit(deps.accounts, user, { action: 'batch.cancel', projectId: project.id, target: param('id') });
    return { request_id: request.id, batch: presentBatch(cancelled) };
  });
  addOperation(app, deps, ADMIN_OPERATIONS.deleteBatch, async ({ request, param, signedIn }) => {
    const { user } = signedIn();
    const project = await findProject(request, user);
    await deleteBatch(batches, project.id, param('id'));
    await recordAudit(deps.accounts, user, { action: 'batch.delete', projectId: project.id, target: param('id') });
    return { request_id: request.id, deleted: param('id') };
  });
  addDownload(app, deps, findProject);
}

/** Downloads all results as JSON Lines. */
function addDownload(
  app: FastifyInstance,
  deps: AdminDeps,
  findProject: (request: FastifyRequest, user: User) => Promise<Project>,
): void {
  app.get(ADMIN_STREAMS.batchResults, async (request, reply) => {
    const { user } = await requireSession(deps.accounts, deps.sessionSettings, request);
    const project = await findProject(request, user);
    const id = readParam(request, 'id');
    const range = { after: -1, limit: Number.POSITIVE_INFINITY, isPage: false };
    const lines = await readResults(deps.batches, project.id, id, range);
    return reply
      .header('Content-Disposition', `attachment; filename="${id}.ndjson"`)
      .header('X-Content-Type-Options', 'nosniff')
      .type('application/x-ndjson; charset=utf-8')
      .send(Readable.from(lines));
  });
}

function presentItem({ index, url, dom_id: domId, result, metadata, error }: BatchLine): BatchItemBody {
  return {
    index,
    url: url ?? result?.url ?? null,
    dom_id: metadata?.dom_id ?? domId ?? null,
    title: result?.title ?? null,
    template_id: metadata?.template_id ?? null,
    engine: metadata?.engine ?? null,
    confidence: metadata?.confidence ?? null,
    error: error ?? null,
  };
}
