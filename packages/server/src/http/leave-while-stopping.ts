import type { FastifyInstance } from 'fastify';
import { AppError } from '../domain/errors.ts';

const RETRY_AFTER_S = 5;

/**
 * While the service stops, requests that still come are refused, and every answer closes its connection:
 * one that is kept alive would hold up the end.
 */
export function leaveWhileStopping(app: FastifyInstance, isStopping: () => boolean): void {
  app.addHook('onRequest', (_request, _reply, done) => {
    if (!isStopping()) return done();
    done(new AppError('overloaded', 'the service is shutting down', { retryAfterSeconds: RETRY_AFTER_S }));
  });
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (isStopping()) void reply.header('Connection', 'close');
    done();
  });
}
