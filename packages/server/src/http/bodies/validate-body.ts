import { validate } from '@winnow/contract';
import type { z } from 'zod';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../domain/shared/errors.ts';
import { nulIn } from '../../domain/shared/parse-json-text.ts';

/**
 * Returns a copy with the known fields only.
 * @throws {AppError} `invalid_request`
 */
export function validateBody<T extends z.ZodType>(schema: T, body: unknown): z.output<T> {
  if (body === undefined) throw new AppError('invalid_request', 'body: is empty; a JSON object is required');
  return requireValid(schema, body, 'body');
}

/** @param root name of the value in messages */
export function requireValid<T extends z.ZodType>(schema: T, value: unknown, root: string): z.output<T> {
  const checked = validate(schema, value, root);
  if (!checked.ok) throw new AppError('invalid_request', checked.message);
  return checked.value;
}

/** Rejects U+0000, which PostgreSQL text cannot hold, before decoding the path and query. */
export function refuseNulInUrl({ raw }: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void {
  const at = raw.url?.indexOf('%00') ?? -1;
  if (at === -1) return done();
  const query = raw.url?.indexOf('?') ?? -1;
  done(nulIn(query === -1 || at < query ? 'path' : 'query'));
}

/** Rejects parameters that a POST would ignore: its options belong to the body. */
export function refuseQuery(
  { method, query }: FastifyRequest,
  _reply: FastifyReply,
  done: (error?: Error) => void,
): void {
  const [name] = method === 'POST' ? Object.keys(query as object) : [];
  if (name === undefined) return done();
  const message = `query: unknown parameter ${name.slice(0, 64).toWellFormed()}; the request is the JSON body`;
  done(new AppError('invalid_request', message));
}
