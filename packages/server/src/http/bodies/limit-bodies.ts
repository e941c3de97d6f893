import { Transform, type Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { LARGE_BYTES, type LargeWork } from '../../domain/admission/large-work.ts';
import { AppError } from '../../domain/shared/errors.ts';
import { ByteCollector } from '../../domain/shared/byte-collector.ts';
import { hangUpSignal } from '../requests/request-context.ts';
import type { Tenant } from '../../domain/admission/fair-queue.ts';

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

/**
 * Limits the memory of bodies until their requests end. Endpoints without authentication accept only small bodies. A large
 * body waits for its tenant's pause.
 */
export function limitBodies(app: FastifyInstance, largestBodyBytes: number, largeWork: LargeWork): void {
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
    let received = 0;
    /** The tenant's pause; null when it is over. */
    let begun: Promise<unknown> | null | undefined;
    const growBy = (bytes: number): Promise<unknown> | undefined => {
      received += bytes;
      const more = received - counted;
      if (reply.raw.closed || received <= SMALL_BODY_BYTES) return undefined;
      if ((heldBy.get(tenant) ?? 0) + more > LARGEST_BODIES_OF_TENANT * largestBodyBytes)
        throw full('too many large request bodies of this key are in progress');
      if (total + more > LARGEST_BODIES * largestBodyBytes) throw full('too many large request bodies are in progress');
      add(tenant, more);
      counted = received;
      if (received <= LARGE_BYTES || begun === null) return undefined;
      begun ??= largeWork.begin(tenant, { signal: hangUpSignal(reply) }).then((end) => {
        begun = null;
        reply.raw.once('close', () => end(received));
      });
      return begun;
    };
    reply.raw.once('close', () => add(tenant, -counted));
    done(null, meter(payload, growBy));
  });
}

/** Counts tenants as active during their requests; large answers wait for their tenant's pause. */
export function paceLargeAnswers(app: FastifyInstance, largeWork: LargeWork): void {
  // After authentication.
  app.addHook('preParsing', (request, reply, payload, done) => {
    const isKnown = request.apiKey !== null || Boolean(request.signedIn);
    if (isKnown && !reply.raw.closed) reply.raw.once('close', largeWork.enter(findTenant(request).key));
    done(null, payload);
  });
  app.addHook('onSend', async (request, reply, payload) => {
    if (typeof payload !== 'string' || payload.length <= LARGE_BYTES) return payload;
    const end = await largeWork.begin(findTenant(request).key, { signal: hangUpSignal(reply) });
    reply.raw.once('close', () => end(payload.length));
    return payload;
  });
}

/** Passes bytes on in pieces of this size: the reader keeps each piece, and joins them all at the end. */
const PIECE_BYTES = 64 * 1024;

/** @param growBy gets the size of each chunk; the stream waits for its promise and fails with its error */
function meter(payload: Readable, growBy: (bytes: number) => Promise<unknown> | undefined): Readable {
  const collected = new ByteCollector();
  const metered = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      collected.add(chunk);
      const pass = (): void => (collected.length < PIECE_BYTES ? done() : done(null, collected.take()));
      try {
        const begun = growBy(chunk.length);
        if (begun === undefined) pass();
        else begun.then(pass, done);
      } catch (error) {
        done(error as Error);
      }
    },
    flush(done) {
      done(null, collected.take());
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

/** Returns the key, the signed-in user, or one tenant for all other callers. */
export function findTenant({ apiKey, signedIn }: FastifyRequest): Tenant {
  return {
    key: apiKey?.id ?? signedIn?.user.id ?? 'strangers',
    group: apiKey?.projectId ?? 'console',
  };
}
