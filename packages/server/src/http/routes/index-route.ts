import type { IndexResponse } from '@winnow/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

export interface IndexOptions {
  readonly version: string;
  /** Without a trailing slash; empty at the root. */
  readonly basePath: string;
  readonly consoleUrl: string;
}

/** `GET /`: redirects browsers to the console, and lists links for other clients. */
export function addIndexRoute(app: FastifyInstance, { version, basePath, consoleUrl }: IndexOptions): void {
  const links = {
    console: consoleUrl,
    docs: `${basePath}/docs`,
    openapi: `${basePath}/openapi.json`,
    extract: `${basePath}/v1/extract`,
    health: `${basePath}/healthz`,
    ready: `${basePath}/readyz`,
  };
  app.get('/', (request: FastifyRequest, reply: FastifyReply) => {
    void reply.header('Vary', 'Accept').header('Cache-Control', 'no-cache');
    if (request.headers.accept?.includes('text/html') === true) return reply.redirect(consoleUrl, 302);
    return reply.send({ request_id: request.id, name: 'winnow', version, links } satisfies IndexResponse);
  });
}
