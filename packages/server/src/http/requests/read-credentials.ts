import { HEADERS } from '@winnow/contract';
import type { FastifyRequest } from 'fastify';
import type { Credentials } from '../../domain/keys/authenticate.ts';
import { AppError } from '../../domain/shared/errors.ts';

const API_KEY = HEADERS.apiKey.toLowerCase();
const PROJECT_ID = HEADERS.projectId.toLowerCase();
const BEARER = /^bearer(?: (.*))?$/i;

/**
 * Accepts `X-API-Key` or `Authorization: Bearer` (RFC 6750).
 * @throws {AppError} `unauthorized` for repeated headers or another scheme
 */
export function readCredentials({ headers, raw }: FastifyRequest): Credentials {
  const apiKey = single(headers[API_KEY]);
  const projectId = single(headers[PROJECT_ID]);
  // Node drops repeated Authorization headers.
  if ((raw.headersDistinct['authorization']?.length ?? 0) > 1) throw repeated();
  const bearer = readBearer(headers.authorization, apiKey !== undefined);
  return { apiKey: apiKey || bearer, otherKey: apiKey ? bearer : undefined, projectId };
}

/** With X-API-Key, another scheme is meant for a proxy. */
function readBearer(authorization: string | undefined, hasApiKey: boolean): string | undefined {
  if (authorization === undefined) return undefined;
  const match = BEARER.exec(authorization);
  if (match === null && !hasApiKey) throw new AppError('unauthorized', 'Authorization: must be Bearer and an API key');
  return match?.[1]?.trim();
}

/** Node joins repeats with a comma, which no key or id contains. */
function single(value: string | string[] | undefined): string | undefined {
  if (Array.isArray(value)) throw repeated();
  return value;
}

function repeated(): AppError {
  return new AppError('unauthorized', 'a credential header is repeated');
}
