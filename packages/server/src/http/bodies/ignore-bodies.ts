import type { FastifyInstance } from 'fastify';

/** A request that needs no body may have any, such as the empty one that clients declare to be JSON. */
export function ignoreBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async () => undefined);
}
