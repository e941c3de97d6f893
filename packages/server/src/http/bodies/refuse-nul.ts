/** Rejects U+0000, which PostgreSQL text cannot hold. Node's parser rejects it in headers. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { nulIn } from '../../domain/shared/parse-json-text.ts';

/** Rejects U+0000 before decoding the path and query. */
export function refuseNulInUrl({ raw }: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void {
  const at = raw.url?.indexOf('%00') ?? -1;
  if (at === -1) return done();
  const query = raw.url?.indexOf('?') ?? -1;
  done(nulIn(query === -1 || at < query ? 'path' : 'query'));
}
