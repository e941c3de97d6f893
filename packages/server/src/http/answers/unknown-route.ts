import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { AppError } from '../../domain/shared/errors.ts';

const METHODS: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Maximum characters of a path in a message. */
const MAX_QUOTE = 200;

/** Rejects unknown paths (404) and methods (405, with `Allow`) before reading a body. */
export function refuseUnknownRoutes(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (request.is404) done(describeUnknownRoute(app, request, reply));
    else done();
  });
  // For static files that do not exist.
  app.setNotFoundHandler(async (request, reply) => {
    throw describeUnknownRoute(app, request, reply);
  });
}

function describeUnknownRoute(app: FastifyInstance, request: FastifyRequest, reply: FastifyReply): AppError {
  const path = request.url.split('?', 1)[0] ?? '';
  const shown = path.slice(0, MAX_QUOTE);
  const allowed = METHODS.filter((method) => app.findRoute({ method, url: path }) !== null);
  if (allowed.length === 0 || allowed.some((method) => method === request.method)) {
    return new AppError('not_found', `no such path: ${shown}`);
  }
  void reply.header('Allow', allowed.join(', '));
  return new AppError(
    'method_not_allowed',
    `${shown} does not accept ${request.method}; it accepts ${allowed.join(', ')}`,
  );
}
