import type { FastifyInstance } from 'fastify';
import { AppError } from '../domain/errors.ts';

const RETRY_AFTER_S = 5;

/**
 * While the service stops, requests that still come are refused, and every answer closes its connection:
 * one that is kept alive would hold up the end.
 */
export function leaveWhileStopping(app: FastifyInstance, isStopping: () => boolean): void {
  app.addHook('onRequest', async () => {
    if (isStopping())
      throw new AppError('overloaded', 'the service is shutting down', { retryAfterSeconds: RETRY_AFTER_S });
  });
  app.addHook('onSend', async (_request, reply) => {
    if (isStopping()) void reply.header('Connection', 'close');
  });
}
