import { Transform } from 'node:stream';
import type { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { BodyBudget } from './body-budget.ts';
import { findParty } from './find-party.ts';

/** Bytes up to which a body is not counted: the usual request costs nothing. */
export const SMALL_BODY_BYTES: number = 64 * 1024;

/** How many of the largest bodies may be under way at a time, and how many of them for one party. */
const LARGEST_BODIES = 4;
const LARGEST_BODIES_OF_PARTY = 2;

/**
 * Bounds the memory that bodies take from their arrival to the end of their requests: they come before every
 * queue. A body counts with its `Content-Length`, a chunked one with what has come of it. This is after
 * authentication, so that strangers take no room; endpoints that need none accept small bodies alone.
 */
export function limitBodies(app: FastifyInstance, largestBodyBytes: number): void {
  const budget = new BodyBudget({
    totalBytes: LARGEST_BODIES * largestBodyBytes,
    bytesPerParty: LARGEST_BODIES_OF_PARTY * largestBodyBytes,
  });
  app.addHook('preParsing', (request, reply, payload, done) => {
    const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
    const declared = Number(length ?? 0);
    // One that is larger than allowed is refused without being read.
    const isRead = declared > SMALL_BODY_BYTES && declared <= request.routeOptions.bodyLimit;
    if (coding === undefined && !isRead) return done(null, payload);
    const claim = new BodyClaim(budget, findParty(request).lane);
    reply.raw.once('close', () => claim.release());
    if (coding !== undefined) return done(null, meter(payload, claim));
    try {
      claim.growTo(declared);
      done(null, payload);
    } catch (error) {
      done(error as Error);
    }
  });
}

/** What one body holds of the budget. */
class BodyClaim {
  readonly #budget: BodyBudget;
  readonly #party: string;
  #bytes = 0;
  #isReleased = false;

  constructor(budget: BodyBudget, party: string) {
    this.#budget = budget;
    this.#party = party;
  }

  /** @throws {AppError} `overloaded` */
  growTo(bytes: number): void {
    if (this.#isReleased || bytes <= SMALL_BODY_BYTES) return;
    this.#budget.take(this.#party, bytes - this.#bytes);
    this.#bytes = bytes;
  }

  release(): void {
    this.#isReleased = true;
    this.#budget.giveBack(this.#party, this.#bytes);
    this.#bytes = 0;
  }
}

/** The body as it comes, which fails with `overloaded` where there is no room for more of it. */
function meter(payload: Readable, claim: BodyClaim): Readable {
  let received = 0;
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
  // Not `pipeline`, which would cut the connection before the answer.
  payload.once('error', (error) => metered.destroy(error));
  // What is left of it is dropped.
  metered.once('error', () => payload.resume());
  return payload.pipe(metered);
}
