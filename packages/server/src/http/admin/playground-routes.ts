import { ADMIN_OPERATIONS } from '@winnow/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { requireProject } from '../../domain/accounts/projects.ts';
import { AppError } from '../../domain/shared/errors.ts';
import { addOperations } from '../routes/add-operations.ts';
import { takeQuota } from '../requests/authenticate-request.ts';
import { beginWorkflow } from '../requests/request-context.ts';
import { dumpHandler } from '../routes/dump-route.ts';
import { extractHandler } from '../routes/extract-route.ts';
import { projectDeps } from './admin-deps.ts';
import type { AdminDeps } from './admin-deps.ts';
import { requireSession } from './admin-session.ts';

/** Extract and dump of `/v1` for a project that the user may see. The session counts as a standalone key. */
export function addPlayground(parent: FastifyInstance, deps: AdminDeps): void {
  const { extract, dump } = ADMIN_OPERATIONS;
  const { pages, settings } = deps;
  const handlers = { extract: extractHandler(pages, settings), dump: dumpHandler(pages, settings) };
  void parent.register(async (app) => {
    app.addHook('onRequest', async (request, reply) => admit(deps, request, reply));
    addOperations(app, { extract, dump }, handlers, settings);
  });
}

async function admit(deps: AdminDeps, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { user } = await requireSession(deps.accounts, deps.sessionSettings, request);
  const { project_id: id } = request.params as { project_id: string };
  const project = await requireProject(projectDeps(deps), user, id);
  if (project.archivedAt !== null) throw new AppError('conflict', 'the project is archived');
  beginWorkflow(request, reply, deps.stop);
  request.apiKey = {
    id: `session:${user.id}`,
    projectId: project.id,
    name: user.email,
    kind: 'key_only',
    prefix: '',
    quotaPerMinute: null,
    createdAt: user.createdAt,
    expiresAt: null,
    revokedAt: null,
    lastUsedAt: null,
  };
  await takeQuota(deps.settings.quota, request.apiKey, reply);
}
