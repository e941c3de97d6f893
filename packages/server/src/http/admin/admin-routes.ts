import cookie from '@fastify/cookie';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ADMIN_OPERATIONS } from '@winnow/contract';
import { addAdminOperations, projectDeps, sessionKeyId, type AdminDeps } from './admin-operations.ts';
import { adminBatchHandlers } from './batch-routes.ts';
import { accountHandlers } from './account-routes.ts';
import { overviewHandlers } from './overview-routes.ts';
import { projectHandlers } from './project-routes.ts';
import { requestHandlers } from './request-routes.ts';
import { adminSnapshotHandlers } from './snapshot-routes.ts';
import { templateHandlers } from './template-routes.ts';
import { requireProject } from '../../domain/accounts/projects.ts';
import { AppError } from '../../domain/shared/errors.ts';
import { addOperations } from '../routes/add-operations.ts';
import { takeQuota } from '../requests/authenticate-request.ts';
import { beginWorkflow } from '../requests/request-context.ts';
import { batchHandlers } from '../routes/batch-routes.ts';
import { dumpHandler } from '../routes/dump-route.ts';
import { extractHandler } from '../routes/extract-route.ts';
import { requireSession } from './admin-session.ts';

/** The console's API; for sessions only, never for API keys. */
export function addAdminRoutes(parent: FastifyInstance, deps: AdminDeps): void {
  void parent.register(async (app) => {
    await app.register(cookie);
    app.decorateRequest('signedIn', null);
    app.addHook('onRequest', (_request, reply, done) => {
      void reply.header('Cache-Control', 'private, no-store');
      done();
    });
    addAdminOperations(app, deps, {
      ...projectHandlers(deps),
      ...accountHandlers(deps),
      ...overviewHandlers(deps),
      ...requestHandlers(deps),
      ...adminBatchHandlers(deps),
      ...adminSnapshotHandlers(deps),
      ...templateHandlers(deps),
    });
    addPlayground(app, deps);
  });
}

/** Operations of `/v1` for a project that the user may see. The session counts as a standalone key. */
function addPlayground(parent: FastifyInstance, deps: AdminDeps): void {
  const { extract, dump, createBatch, createCrawl } = ADMIN_OPERATIONS;
  const { pages, settings } = deps;
  const batches = batchHandlers(deps.batches, settings);
  const handlers = {
    extract: extractHandler(pages, settings),
    dump: dumpHandler(pages, settings),
    createBatch: batches.createBatch,
    createCrawl: batches.createCrawl,
  };
  void parent.register(async (app) => {
    app.addHook('onRequest', async (request, reply) => admit(deps, request, reply));
    addOperations(app, { extract, dump, createBatch, createCrawl }, handlers, settings);
  });
}

async function admit(deps: AdminDeps, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { user } = await requireSession(deps.accounts, deps.sessionSettings, request);
  const { project_id: id } = request.params as { project_id: string };
  const project = await requireProject(projectDeps(deps), user, id);
  if (project.archivedAt !== null) throw new AppError('conflict', 'the project is archived');
  beginWorkflow(request, reply, deps.stop);
  request.apiKey = {
    id: sessionKeyId(user),
    projectId: project.id,
    name: user.email,
    kind: 'key_only',
    prefix: '',
    quotaPerMinute: null,
    createdAt: user.createdAt,
    expiresAt: null,
    revokedAt: null,
    lastUsedAt: null,
    scope: null,
  };
  await takeQuota(deps.settings.quota, request.apiKey, reply);
}
