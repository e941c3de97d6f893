/**
 * Refuses the character U+0000 wherever a request can carry it: no text of PostgreSQL holds it, and no URL, name or id
 * needs it. In headers Node's parser refuses it.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { nulIn } from '../../domain/json/refuse-nul-in-body.ts';

/** The hook that refuses it in the path and in the query, before any of them is decoded. */
export function refuseNulInUrl({ raw }: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void {
  const at = raw.url?.indexOf('%00') ?? -1;
  if (at === -1) return done();
  const query = raw.url?.indexOf('?') ?? -1;
  done(nulIn(query === -1 || at < query ? 'path' : 'query'));
}
