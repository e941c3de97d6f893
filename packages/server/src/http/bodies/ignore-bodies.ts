import type { FastifyInstance } from 'fastify';

/** Accepts any body where none is needed: some clients declare an empty body as JSON. */
export function ignoreBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async () => undefined);
}
