import { Transform } from 'node:stream';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../domain/shared/errors.ts';
import { ByteCollector } from '../../domain/shared/byte-collector.ts';
import { BodyBudget } from './body-budget.ts';
import { HEAVY_BYTES } from '../../domain/admission/heavy-work-limiter.ts';
import type { HeavyWorkLimiter } from '../../domain/admission/heavy-work-limiter.ts';
import { findTenant } from '../requests/find-tenant.ts';
import { hangUpSignal } from '../requests/request-context.ts';

/** Smaller bodies are not counted. */
export const SMALL_BODY_BYTES: number = 64 * 1024;

/** Maximum concurrent bodies of the largest size, in total and per tenant. */
const LARGEST_BODIES = 4;
const LARGEST_BODIES_OF_TENANT = 2;

/** Grace period, then a minimum average rate in bytes per second. */
const RATE_GRACE_MS = 5000;
const LEAST_RATE = 16 * 1024;
const RATE_CHECK_MS = 1000;

/**
 * Limits the memory of bodies until their requests end. Bodies slower than {@link LEAST_RATE} are rejected. Endpoints
 * without authentication accept only small bodies. Above {@link HEAVY_BYTES} a body waits for its tenant's share.
 */
export function limitBodies(app: FastifyInstance, largestBodyBytes: number, heavyWork: HeavyWorkLimiter): void {
  const budget = new BodyBudget({
    totalBytes: LARGEST_BODIES * largestBodyBytes,
    bytesPerTenant: LARGEST_BODIES_OF_TENANT * largestBodyBytes,
  });
  app.addHook('preParsing', (request, reply, payload, done) => {
    const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
    const declared = Number(length ?? 0);
    // A body above the limit is rejected unread.
    const isRead = declared > SMALL_BODY_BYTES && declared <= request.routeOptions.bodyLimit;
    if (coding === undefined && !isRead) return done(null, payload);
    const claim = new BodyClaim(budget, findTenant(request).key);
    reply.raw.once('close', () => claim.release());
    done(null, meter(request, payload, { claim, share: new BodyShare(heavyWork, request, reply) }));
  });
}

/** Charges a large body to its tenant: the declared length, or the received bytes if more. */
class BodyShare {
  readonly #heavyWork: HeavyWorkLimiter;
  readonly #request: FastifyRequest;
  readonly #reply: FastifyReply;
  #charged = 0;

  constructor(heavyWork: HeavyWorkLimiter, request: FastifyRequest, reply: FastifyReply) {
    this.#heavyWork = heavyWork;
    this.#request = request;
    this.#reply = reply;
  }

  /**
   * The first call waits for the tenant's share.
   * @throws {AppError} `overloaded`
   */
  async growTo(received: number): Promise<void> {
    if (received <= HEAVY_BYTES || received <= this.#charged) return;
    const declared = Number(this.#request.headers['content-length'] ?? 0);
    const bytes = Math.max(declared, received);
    const work = { key: findTenant(this.#request).key, kind: 'body', bytes: bytes - this.#charged } as const;
    const isFirst = this.#charged === 0;
    this.#charged = bytes;
    if (!isFirst) return this.#heavyWork.charge(work);
    const { release } = await this.#heavyWork.acquire({ ...work, signal: hangUpSignal(this.#reply) });
    this.#reply.raw.once('close', release);
  }
}

class BodyClaim {
  readonly #budget: BodyBudget;
  readonly #tenant: string;
  #bytes = 0;
  #isReleased = false;

  constructor(budget: BodyBudget, tenant: string) {
    this.#budget = budget;
    this.#tenant = tenant;
  }

  /** @throws {AppError} `overloaded` */
  growTo(bytes: number): void {
    if (this.#isReleased || bytes <= SMALL_BODY_BYTES) return;
    this.#budget.take(this.#tenant, bytes - this.#bytes);
    this.#bytes = bytes;
  }

  release(): void {
    this.#isReleased = true;
    this.#budget.giveBack(this.#tenant, this.#bytes);
    this.#bytes = 0;
  }
}

/** Passes bytes on in pieces of this size: the reader keeps each piece, and joins them all at the end. */
const PIECE_BYTES = 64 * 1024;

/** Fails with `overloaded` when the budget is used up, and with `invalid_request` for a slow body. */
function meter(
  request: FastifyRequest,
  payload: Readable,
  { claim, share }: { readonly claim: BodyClaim; readonly share: BodyShare },
): Readable {
  let received = 0;
  const startedAt = performance.now();
  const collected = new ByteCollector();
  const metered = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      received += chunk.length;
      collected.add(chunk);
      if (collected.length < PIECE_BYTES) {
        done();
        return;
      }
      const piece = collected.take();
      try {
        claim.growTo(received);
      } catch (error) {
        done(error as Error);
        return;
      }
      if (received <= HEAVY_BYTES) done(null, piece);
      else share.growTo(received).then(() => done(null, piece), done);
    },
    flush(done) {
      done(null, collected.take());
    },
  });
  const rateCheck = setInterval(() => {
    const countedMs = performance.now() - startedAt - RATE_GRACE_MS;
    if (request.raw.complete || received >= (countedMs / 1000) * LEAST_RATE) return;
    request.closesConnection = true;
    metered.destroy(
      new AppError(
        'invalid_request',
        `the body arrived too slowly: at least ${LEAST_RATE / 1024} KiB a second are needed`,
      ),
    );
  }, RATE_CHECK_MS).unref();
  metered.once('close', () => clearInterval(rateCheck));
  // `pipeline` would destroy the socket before the response.
  payload.once('error', (error) => metered.destroy(error));
  // Discards the rest.
  metered.once('error', () => payload.resume());
  return payload.pipe(metered);
}
