import { Transform } from 'node:stream';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../../domain/shared/errors.ts';
import { BodyBudget } from './body-budget.ts';
import { findTenant } from '../requests/find-tenant.ts';

/** Bytes up to which a body is not counted: the usual request costs nothing. */
export const SMALL_BODY_BYTES: number = 64 * 1024;

/** How many of the largest bodies may be under way at a time, and how many of them for one tenant. */
const LARGEST_BODIES = 4;
const LARGEST_BODIES_OF_TENANT = 2;

/** Milliseconds for which a large body may come in at any rate, and the least mean rate after that, in bytes a second. */
const RATE_GRACE_MS = 5000;
const LEAST_RATE = 16 * 1024;
/** Milliseconds between two looks at the rate. */
const RATE_CHECK_MS = 1000;

/**
 * Bounds the memory that bodies take from their arrival to the end of their requests: they come before every
 * queue. A body counts with what has come of it, and may not come in more slowly than {@link LEAST_RATE}: a caller who
 * declares or dribbles large bodies takes no room from others. This is after authentication, so that strangers take no
 * room; endpoints that need none accept small bodies alone.
 */
export function limitBodies(app: FastifyInstance, largestBodyBytes: number): void {
  const budget = new BodyBudget({
    totalBytes: LARGEST_BODIES * largestBodyBytes,
    bytesPerTenant: LARGEST_BODIES_OF_TENANT * largestBodyBytes,
  });
  app.addHook('preParsing', (request, reply, payload, done) => {
    const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
    const declared = Number(length ?? 0);
    // One that is larger than allowed is refused without being read.
    const isRead = declared > SMALL_BODY_BYTES && declared <= request.routeOptions.bodyLimit;
    if (coding === undefined && !isRead) return done(null, payload);
    const claim = new BodyClaim(budget, findTenant(request).key);
    reply.raw.once('close', () => claim.release());
    done(null, meter(request, payload, claim));
  });
}

/** What one body holds of the budget. */
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

/**
 * The body as it comes. Fails with `overloaded` where there is no room for more of it, and with `invalid_request` where it
 * comes too slowly.
 */
function meter(request: FastifyRequest, payload: Readable, claim: BodyClaim): Readable {
  let received = 0;
  const startedAt = performance.now();
  const metered = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      received += chunk.length;
      try {
        claim.growTo(received);
        done(null, chunk);
      } catch (error) {
        done(error as Error);
      }
    },
  });
  const rateCheck = setInterval(() => {
    const countedMs = performance.now() - startedAt - RATE_GRACE_MS;
    if (request.raw.complete || received >= (countedMs / 1000) * LEAST_RATE) return;
    request.closesConnection = true;
    metered.destroy(
      new AppError(
        'invalid_request',
        `the body came in too slowly: at least ${LEAST_RATE / 1024} KiB a second are needed`,
      ),
    );
  }, RATE_CHECK_MS).unref();
  metered.once('close', () => clearInterval(rateCheck));
  // Not `pipeline`, which would cut the connection before the answer.
  payload.once('error', (error) => metered.destroy(error));
  // What is left of it is dropped.
  metered.once('error', () => payload.resume());
  return payload.pipe(metered);
}
