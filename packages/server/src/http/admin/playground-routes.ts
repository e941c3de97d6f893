import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { requireProject } from '../../domain/accounts/projects.ts';
import { AppError } from '../../domain/shared/errors.ts';
import { takeQuota } from '../requests/authenticate-request.ts';
import { beginWorkflow } from '../requests/request-context.ts';
import { addDumpRoute } from '../routes/dump-route.ts';
import { addExtractRoute } from '../routes/extract-route.ts';
import { readParam } from './add-operation.ts';
import { projectDeps } from './admin-deps.ts';
import type { AdminDeps } from './admin-deps.ts';
import { requireSession } from './admin-session.ts';

const PLAYGROUND_PATHS = {
  extract: '/admin/v1/projects/:project_id/extract',
  dump: '/admin/v1/projects/:project_id/dump',
} as const;

/** Extract and dump of `/v1` for a project that the user may see. The session counts as a standalone key. */
export function addPlaygroundRoutes(parent: FastifyInstance, deps: AdminDeps): void {
  void parent.register(async (app) => {
    app.addHook('onRequest', async (request, reply) => admit(deps, request, reply));
    addExtractRoute(app, deps.pages, deps.settings, PLAYGROUND_PATHS.extract);
    addDumpRoute(app, deps.pages, deps.settings, PLAYGROUND_PATHS.dump);
  });
}

async function admit(deps: AdminDeps, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { user } = await requireSession(deps.accounts, deps.sessionSettings, request);
  const project = await requireProject(projectDeps(deps), user, readParam(request, 'project_id'));
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
