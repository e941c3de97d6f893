import type { FastifyInstance } from 'fastify';
import { AbortBroadcaster } from '../../domain/shared/time-limit.ts';
import { shuttingDown } from '../../domain/shared/errors.ts';
import { connectionsOf } from './bounded-server.ts';

const SWEEP_MS = 100;

/** Time for incomplete heads and bodies when the stop begins. */
const ARRIVAL_MS = 1000;

/**
 * While stopping, rejects new requests and incomplete bodies, and closes connections after responses. Closes unused
 * connections at once, and after a second all without a pending request.
 */
export function leaveWhileStopping(app: FastifyInstance, isStopping: () => boolean): void {
  app.addHook('onRequest', (_request, _reply, done) => {
    done(isStopping() ? shuttingDown() : undefined);
  });
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (isStopping()) void reply.header('Connection', 'close');
    done();
  });
  const arrival = new AbortController();
  refuseBodiesAfter(app, new AbortBroadcaster(arrival.signal));
  app.addHook('preClose', (done) => {
    const started = performance.now();
    const sweep = setInterval(() => {
      const hasArrived = performance.now() - started > ARRIVAL_MS;
      if (hasArrived) arrival.abort();
      for (const [socket, { requests }] of connectionsOf(app.server))
        if (socket.bytesRead === 0 || (hasArrived && requests.length === 0)) socket.destroy();
    }, SWEEP_MS);
    sweep.unref();
    app.server.once('close', () => clearInterval(sweep));
    done();
  });
}

function refuseBodiesAfter(app: FastifyInstance, arrival: AbortBroadcaster): void {
  app.addHook('preParsing', (request, reply, payload, done) => {
    const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
    if (length === undefined && coding === undefined) return done(null, payload);
    const refuse = (): void => {
      if (!request.raw.complete && !reply.sent) void reply.send(shuttingDown());
    };
    arrival.addEventListener('abort', refuse);
    reply.raw.once('close', () => arrival.removeEventListener('abort', refuse));
    done(null, payload);
  });
}
