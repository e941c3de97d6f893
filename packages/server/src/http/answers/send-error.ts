import { ERRORS } from '@winnow/contract';
import type { ErrorResponse } from '@winnow/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AppError } from '../../domain/shared/errors.ts';
import { presentError, presentTrace, retryAfterSecondsOf } from './present.ts';
import { translateError } from './translate-error.ts';

/** Largest body, in bytes, of which what is left is read and dropped after it was refused, for as long as a request may take. */
const MAX_DROPPED_BYTES = 64 * 1024 * 1024;

/** The answer to any failure: the one place where an error becomes a status. */
export async function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const failure = translateError(error, request);
  request.failure = failure;
  const { workflow } = request;
  // A body that cannot be read fails before its stage begins.
  if (workflow && !workflow.steps.some(({ stage }) => stage === failure.stage))
    workflow.failEarlier(failure.stage, failure);
  const row = ERRORS[failure.code];
  logFailure(failure, row.status, request);
  if ('retryAfter' in row) void reply.header('Retry-After', String(Math.ceil(retryAfterSecondsOf(failure) ?? 0)));
  // Fastify would close the connection on a body that is refused, which fails callers that still send before they read why.
  if (request.closesConnection) void reply.header('connection', 'close');
  else if (Number(request.headers['content-length'] ?? 0) <= MAX_DROPPED_BYTES) void reply.removeHeader('connection');
  await reply.code(row.status).send(errorBody(failure, request));
}

function errorBody(failure: AppError, request: FastifyRequest): ErrorResponse {
  const { workflow, responseOptions } = request;
  return {
    request_id: request.id,
    error: presentError(failure),
    ...(workflow?.domId === undefined ? {} : { metadata: { dom_id: workflow.domId } }),
    ...(workflow && responseOptions?.steps === true
      ? { trace: presentTrace(workflow.steps, request.server.engineFamily) }
      : {}),
    ...(responseOptions?.rawDom && workflow?.rawDom !== undefined ? { raw_dom: workflow.rawDom } : {}),
  };
}

/** Logs why a request failed, with what callers do not see. */
export function logFailure(failure: AppError, status: number, request: FastifyRequest): void {
  const cause = failure.cause instanceof Error ? failure.cause.message : undefined;
  const fields = { code: failure.code, stage: failure.stage, status, details: failure.details, cause };
  if (request.workflow?.signal.aborted === true) request.log.info(fields, 'request abandoned');
  else if (failure.code === 'internal')
    request.log.error({ ...fields, err: failure.cause ?? failure }, 'request failed unexpectedly');
  else request.log.info({ ...fields, reason: failure.message }, 'request refused or failed');
}
