import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { AppError } from '../../domain/shared/errors.ts';

const METHODS: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Longest path that a message quotes, in characters. */
const MAX_QUOTE = 200;

/**
 * Refuses, before any body is read, a path that does not exist (404) and one that exists for other
 * methods only (405, with `Allow`).
 */
export function refuseUnknownRoutes(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (request.is404) done(describeUnknownRoute(app, request, reply));
    else done();
  });
  // Reached when a route that exists finds nothing to send, such as a file.
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
