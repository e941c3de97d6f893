import type { FastifyInstance } from 'fastify';

/** Accepts and discards any body: some clients declare an empty body as JSON. */
export function ignoreBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async () => undefined);
}
