import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { requireAdmin } from '../../domain/accounts/projects.ts';
import type { SignedIn } from '../../domain/accounts/sessions.ts';
import { SMALL_BODY_BYTES } from '../bodies/limit-bodies.ts';
import { validateBody, validateQuery } from '../bodies/validate-body.ts';
import { refuseForeignOrigin, requireSession, requireSignedIn } from './admin-session.ts';
import type { AdminDeps } from './admin-deps.ts';
import type { AdminOperation } from '@winnow/contract';

export interface AdminContext<O extends AdminOperation> {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly body: O extends { readonly body: infer B extends z.ZodType } ? z.output<B> : undefined;
  readonly query: O extends { readonly query: infer Q extends z.ZodType } ? z.output<Q> : undefined;
  readonly param: (name: string) => string;
  /** Throws without a session; for operations with access `member` or `admin`. */
  readonly signedIn: () => SignedIn;
}

/** Checks access, then body and query, then runs the operation. */
export function addOperation<const O extends AdminOperation>(
  app: FastifyInstance,
  deps: AdminDeps,
  operation: O,
  work: (context: AdminContext<O>) => Promise<z.output<O['response']>>,
): void {
  app.route({
    method: operation.method,
    url: operation.path,
    ...(operation.access === 'nobody' ? { bodyLimit: SMALL_BODY_BYTES, config: { bodyLimitSetting: null } } : {}),
    onRequest: async (request) => {
      if (operation.access === 'nobody') return refuseForeignOrigin(request, deps.sessionSettings);
      const { user } = await requireSession(deps.accounts, deps.sessionSettings, request);
      if (operation.access === 'admin') requireAdmin(user);
    },
    handler: async (request, reply) => {
      const body = operation.body ? validateBody(operation.body, request.body) : undefined;
      const query = operation.query ? validateQuery(operation.query, request.query) : undefined;
      return work({
        request,
        reply,
        body: body as AdminContext<O>['body'],
        query: query as AdminContext<O>['query'],
        param: (name) => readParam(request, name),
        signedIn: () => requireSignedIn(request),
      });
    },
  });
}

export function readParam(request: FastifyRequest, name: string): string {
  return (request.params as Record<string, string>)[name] ?? '';
}
