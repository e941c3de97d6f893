import cookie from '@fastify/cookie';
import type { FastifyInstance } from 'fastify';
import type { AdminDeps } from './admin-deps.ts';
import { addAdminOperations } from './admin-operations.ts';
import { batchHandlers } from './batch-routes.ts';
import { memberHandlers } from './member-routes.ts';
import { overviewHandlers } from './overview-routes.ts';
import { addPlayground } from './playground-routes.ts';
import { projectHandlers } from './project-routes.ts';
import { requestHandlers } from './request-routes.ts';
import { sessionHandlers } from './session-routes.ts';
import { snapshotHandlers } from './snapshot-routes.ts';
import { templateHandlers } from './template-routes.ts';

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
      ...sessionHandlers(deps),
      ...projectHandlers(deps),
      ...memberHandlers(deps),
      ...overviewHandlers(deps),
      ...requestHandlers(deps),
      ...batchHandlers(deps),
      ...snapshotHandlers(deps),
      ...templateHandlers(deps),
    });
    addPlayground(app, deps);
  });
}
