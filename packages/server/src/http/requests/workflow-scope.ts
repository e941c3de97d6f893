import type { FastifyInstance } from 'fastify';
import type { AbortBroadcaster } from '../../domain/shared/time-limit.ts';
import type { KeyQuota } from '../../domain/admission/quotas.ts';
import type { AuthenticateDeps } from '../../domain/keys/authenticate.ts';
import { createAuthenticationHook } from './authenticate-request.ts';
import { beginWorkflow } from './request-context.ts';

export interface WorkflowScopeDeps extends AuthenticateDeps {
  readonly quota: KeyQuota;
  /** Aborted after the grace period. */
  readonly stop: AbortBroadcaster;
}

/** Opens a scope whose requests need a key, use its quota and run stages. */
export function openWorkflowScope(
  app: FastifyInstance,
  deps: WorkflowScopeDeps,
  addRoutes: (scope: FastifyInstance) => void,
): void {
  void app.register(async (scope) => {
    scope.addHook('onRequest', (request, reply, done) => {
      void reply.header('Cache-Control', 'private, no-store');
      beginWorkflow(request, reply, deps.stop);
      done();
    });
    scope.addHook('onRequest', createAuthenticationHook(deps));
    addRoutes(scope);
  });
}
