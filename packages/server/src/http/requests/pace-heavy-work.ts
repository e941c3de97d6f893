import type { FastifyInstance } from 'fastify';
import { HEAVY_BYTES } from '../../domain/admission/heavy-work-limiter.ts';
import type { HeavyWorkLimiter } from '../../domain/admission/heavy-work-limiter.ts';
import { findTenant } from './find-tenant.ts';
import { hangUpSignal } from './request-context.ts';

/** Counts the requests of keys and users as active, and delays large answers of a tenant that has used up its share. */
export function paceHeavyWork(app: FastifyInstance, heavyWork: HeavyWorkLimiter): void {
  // After authentication.
  app.addHook('preParsing', (request, reply, payload, done) => {
    const isKnown = request.apiKey !== null || Boolean(request.signedIn);
    if (isKnown && !reply.raw.closed) reply.raw.once('close', heavyWork.enter(findTenant(request).key));
    done(null, payload);
  });
  app.addHook('onSend', async (request, reply, payload) => {
    if (typeof payload !== 'string' || payload.length <= HEAVY_BYTES) return payload;
    const { key } = findTenant(request);
    const work = { key, kind: 'answer', bytes: payload.length } as const;
    const { release } = await heavyWork.acquire({ ...work, signal: hangUpSignal(reply) });
    reply.raw.once('close', release);
    return payload;
  });
}
