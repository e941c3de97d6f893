import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { AppError } from '../domain/errors.ts';

const RETRY_AFTER_S = 5;

/** Milliseconds between two looks for connections that nobody uses. */
const SWEEP_MS = 100;

/**
 * While the service stops, requests that still come are refused, and every answer closes its connection:
 * one that is kept alive would hold up the end. So would one on which nothing was sent yet, as browsers and
 * connection pools open them in advance: Node takes it for busy, and it is cut.
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
  const open = new Set<Socket>();
  app.server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  app.addHook('preClose', (done) => {
    const sweep = setInterval(() => {
      for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
    }, SWEEP_MS);
    sweep.unref();
    app.server.once('close', () => clearInterval(sweep));
    done();
  });
}
