import { Transform } from 'node:stream';
import type { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { AppError } from '../../domain/shared/errors.ts';
import { findTenant } from '../requests/find-tenant.ts';

/** Smaller bodies are not counted. */
export const SMALL_BODY_BYTES: number = 64 * 1024;

/**
 * Maximum concurrent bodies of the largest size, in total and per tenant. Slow bodies end with the request timeout, so
 * without the second limit one tenant could refuse all others for a minute, again and again.
 */
const LARGEST_BODIES = 4;
const LARGEST_BODIES_OF_TENANT = 2;

/** Typical duration of a request with a large body. */
const RETRY_AFTER_S = 5;

/** Limits the memory of bodies until their requests end. Endpoints without authentication accept only small bodies. */
export function limitBodies(app: FastifyInstance, largestBodyBytes: number): void {
  const heldBy = new Map<string, number>();
  let total = 0;
  const add = (tenant: string, bytes: number): void => {
    const held = (heldBy.get(tenant) ?? 0) + bytes;
    total += bytes;
    if (held > 0) heldBy.set(tenant, held);
    else heldBy.delete(tenant);
  };
  app.addHook('preParsing', (request, reply, payload, done) => {
    const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
    const declared = Number(length ?? 0);
    // A body above the limit is rejected unread.
    const isRead = declared > SMALL_BODY_BYTES && declared <= request.routeOptions.bodyLimit;
    if (coding === undefined && !isRead) return done(null, payload);
    const tenant = findTenant(request).key;
    let counted = 0;
    const growTo = (received: number): void => {
      const more = received - counted;
      if (reply.raw.closed || received <= SMALL_BODY_BYTES) return;
      if ((heldBy.get(tenant) ?? 0) + more > LARGEST_BODIES_OF_TENANT * largestBodyBytes)
        throw full('too many large request bodies of this key are in progress');
      if (total + more > LARGEST_BODIES * largestBodyBytes) throw full('too many large request bodies are in progress');
      add(tenant, more);
      counted = received;
    };
    reply.raw.once('close', () => add(tenant, -counted));
    done(null, meter(payload, growTo));
  });
}

/** @param growTo gets the bytes so far; the stream fails with its error */
function meter(payload: Readable, growTo: (received: number) => void): Readable {
  let received = 0;
  const metered = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      received += chunk.length;
      try {
        growTo(received);
        done(null, chunk);
      } catch (error) {
        done(error as Error);
      }
    },
  });
  // `pipeline` would destroy the socket before the response.
  payload.once('error', (error) => metered.destroy(error));
  // Discards the rest.
  metered.once('error', () => payload.resume());
  return payload.pipe(metered);
}

function full(message: string): AppError {
  return new AppError('overloaded', message, { retryAfterSeconds: RETRY_AFTER_S });
}
