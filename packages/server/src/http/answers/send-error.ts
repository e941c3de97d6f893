import { ERRORS } from '@winnow/contract';
import type { ErrorResponse } from '@winnow/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { HangUpError } from '../../domain/shared/errors.ts';
import type { AppError } from '../../domain/shared/errors.ts';
import { failStep, findDomId, findStep } from '../../domain/shared/workflow.ts';
import { presentError, presentTrace, retryAfterSecondsOf } from './present.ts';
import { translateError } from './translate-error.ts';

/** A larger rejected body is not drained: the connection closes. */
const MAX_DROPPED_BYTES = 64 * 1024 * 1024;

/** Status and body of an error response. */
export interface ErrorAnswer {
  readonly status: number;
  readonly body: object;
}

type ErrorSender = (error: unknown, request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/** Creates an error handler; `present` chooses status and body. */
export function createErrorSender(present: (failure: AppError, request: FastifyRequest) => ErrorAnswer): ErrorSender {
  return async (error, request, reply) => {
    const failure = translateError(error, request);
    request.failure = failure;
    const { workflow } = request;
    // A body that cannot be parsed fails before its stage starts.
    if (workflow && findStep(workflow.steps, failure.stage) === undefined) failStep(workflow, failure.stage, failure);
    const { status, body } = present(failure, request);
    logFailure(failure, status, request);
    if ('retryAfter' in ERRORS[failure.code])
      void reply.header('Retry-After', String(Math.ceil(retryAfterSecondsOf(failure) ?? 0)));
    // Fastify would close the connection before a caller that is still sending reads the error.
    if (request.closesConnection) void reply.header('connection', 'close');
    else if (Number(request.headers['content-length'] ?? 0) <= MAX_DROPPED_BYTES) void reply.removeHeader('connection');
    // The handler may have set the policy of its successful answer.
    await reply.removeHeader('etag').header('Cache-Control', 'private, no-store').code(status).send(body);
  };
}

/** Sends an error in the format of `/v1`. */
export const sendError: ErrorSender = createErrorSender((failure, request) => ({
  status: ERRORS[failure.code].status,
  body: errorBody(failure, request),
}));

function errorBody(failure: AppError, request: FastifyRequest): ErrorResponse {
  const { workflow, responseOptions, rawDom } = request;
  const domId = findDomId(workflow?.steps ?? []);
  return {
    request_id: request.id,
    error: presentError(failure),
    ...(domId === undefined ? {} : { metadata: { dom_id: domId } }),
    ...(workflow && responseOptions?.steps === true
      ? { trace: presentTrace(workflow.steps, request.server.engineFamily) }
      : {}),
    ...(rawDom === null ? {} : { raw_dom: rawDom }),
  };
}

/** Logs a failure, with details that callers do not get. */
export function logFailure(failure: AppError, status: number, request: FastifyRequest): void {
  const cause = failure.cause instanceof Error ? failure.cause.message : undefined;
  const fields = { code: failure.code, stage: failure.stage, status, details: failure.details, cause };
  if (request.workflow?.signal.aborted === true || failure instanceof HangUpError)
    request.log.info(fields, 'request abandoned');
  else if (failure.code === 'internal')
    request.log.error({ ...fields, err: failure.cause ?? failure }, 'request failed unexpectedly');
  else request.log.info({ ...fields, reason: failure.message }, 'request refused or failed');
}
