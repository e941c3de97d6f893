import cookie from '@fastify/cookie';
import type { FastifyInstance } from 'fastify';
import type { AdminDeps } from './admin-deps.ts';
import { addAdminBatchRoutes } from './batch-routes.ts';
import { addMemberRoutes } from './member-routes.ts';
import { addOverviewRoutes } from './overview-routes.ts';
import { addPlaygroundRoutes } from './playground-routes.ts';
import { addProjectRoutes } from './project-routes.ts';
import { addRequestRoutes } from './request-routes.ts';
import { addSessionRoutes } from './session-routes.ts';
import { addSnapshotRoutes } from './snapshot-routes.ts';
import { addTemplateRoutes } from './template-routes.ts';

/** The console's API; for sessions only, never for API keys. */
export function addAdminRoutes(parent: FastifyInstance, deps: AdminDeps): void {
  void parent.register(async (app) => {
    await app.register(cookie);
    app.decorateRequest('signedIn', null);
    app.addHook('onRequest', (_request, reply, done) => {
      void reply.header('Cache-Control', 'private, no-store');
      done();
    });
    addSessionRoutes(app, deps);
    addProjectRoutes(app, deps);
    addMemberRoutes(app, deps);
    addOverviewRoutes(app, deps);
    addRequestRoutes(app, deps);
    addAdminBatchRoutes(app, deps);
    addSnapshotRoutes(app, deps);
    addPlaygroundRoutes(app, deps);
    addTemplateRoutes(app, deps, deps.siteTemplates);
  });
}
