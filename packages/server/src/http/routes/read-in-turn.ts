import type { FastifyReply, FastifyRequest } from 'fastify';
import { FairQueue } from '../../domain/admission/fair-queue.ts';
import { findTenant } from '../bodies/limit-bodies.ts';
import { hangUpSignal, type RouteSettings } from '../requests/request-context.ts';

/** Answers with stored pages, pictures and results at the same time, in all and to one key or user. */
const SLOTS = 32;
const SLOTS_OF_TENANT = 4;
/** For tenants with fewer than the others: callers that do not read keep their slots until they are cut off. */
const EXTRA_SLOTS = 8;
const MAX_WAITING = 1000;
const WAIT_MS = 60_000;

export function openContentReads(): FairQueue {
  const sizes = { slots: SLOTS, slotsPerGroup: SLOTS_OF_TENANT, extraSlots: EXTRA_SLOTS, maxWaiting: MAX_WAITING };
  return new FairQueue({ ...sizes, name: 'the reading of stored pages' });
}

/**
 * Reads stored content for an answer, of the tenants in turn. The slot is free once the answer is written: it may have
 * 10 MB, or a line of a stream has. A hundred at once took gigabytes and held the event loop for seconds.
 * @throws {AppError} `overloaded`
 */
export async function readInTurn<T>(
  request: FastifyRequest,
  reply: FastifyReply,
  { contentReads }: Pick<RouteSettings, 'contentReads'>,
  read: () => Promise<T>,
): Promise<T> {
  const { key } = findTenant(request);
  const permit = await contentReads.acquire({ key, group: key, budgetMs: WAIT_MS, signal: hangUpSignal(reply) });
  if (reply.raw.closed) permit.release();
  else reply.raw.once('close', () => permit.release());
  return read();
}
