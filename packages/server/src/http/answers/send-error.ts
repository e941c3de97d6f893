import { ERRORS, type ErrorResponse } from '@winnow/contract';
import type { FastifyReply, FastifyRequest, FastifyInstance, HTTPMethods } from 'fastify';
import { AppError, HangUpError, toAppError } from '../../domain/shared/errors.ts';
import { failStep, findDomId, findStep } from '../../domain/shared/workflow.ts';
import { presentError, presentTrace, retryAfterSecondsOf } from './present.ts';
import { formatBytes } from '../../domain/shared/format-bytes.ts';

/** A larger rejected body is not drained: the connection closes. */
const MAX_DROPPED_BYTES = 64 * 1024 * 1024;

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

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Setting of the route's `bodyLimit`; null if it is fixed. Default WINNOW_MAX_BODY_BYTES. */
    bodyLimitSetting?: string | null;
  }
}

const MAX_QUOTE = 200;

const FASTIFY_ERRORS: Readonly<Record<string, (error: Error, request: FastifyRequest) => AppError>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: bodyTooLarge,
  FST_ERR_CTP_INVALID_MEDIA_TYPE: (error, { headers }) =>
    invalid(`Content-Type: must be application/json, not ${headers['content-type']?.slice(0, MAX_QUOTE)}`, error),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: (error) => invalid('Content-Length: does not fit the body', error),
  FST_ERR_CTP_EMPTY_JSON_BODY: (error) => invalid('body: is required', error),
  FST_ERR_BAD_URL: (error) => invalid('the path of the request is not valid', error),
  FST_ERR_MAX_PARAM_LENGTH: (error) => invalid('a segment of the path is too long', error),
  FST_ERR_ROUTE_MISSING_CONTENT_TYPE: (error) => invalid('Content-Type: must be application/json', error),
};

/** Unknown errors become `internal` without details; the log gets the cause. */
function translateError(error: unknown, request: FastifyRequest): AppError {
  if (error instanceof Error && !(error instanceof AppError)) {
    const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
    const known = FASTIFY_ERRORS[code];
    if (known) return known(error, request);
    const status = 'statusCode' in error ? Number(error.statusCode) : 500;
    if (status >= 400 && status < 500) return invalid('the request is not valid', error);
  }
  return toAppError(error);
}

function bodyTooLarge(cause: Error, { routeOptions }: FastifyRequest): AppError {
  const { bodyLimitSetting: setting = 'WINNOW_MAX_BODY_BYTES' } = routeOptions.config;
  const limit = formatBytes(routeOptions.bodyLimit) + (setting === null ? '' : ` (${setting})`);
  return new AppError('payload_too_large', `the request body is larger than ${limit}`, { cause });
}

function invalid(message: string, cause: Error): AppError {
  return new AppError('invalid_request', message, { cause });
}

const METHODS: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Rejects unknown paths (404) and methods (405, with `Allow`) before reading a body. */
export function refuseUnknownRoutes(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (request.is404) done(describeUnknownRoute(app, request, reply));
    else done();
  });
  // For static files that do not exist.
  app.setNotFoundHandler(async (request, reply) => {
    throw describeUnknownRoute(app, request, reply);
  });
}

/** Answers paths below the prefix that no operation has, and methods that they lack, in another format. */
export function answerUnknownPaths(parent: FastifyInstance, prefix: string, send: ErrorSender): void {
  void parent.register(
    async (scope) => {
      scope.setErrorHandler(send);
      // The hook of `refuseUnknownRoutes` refuses the request before.
      scope.setNotFoundHandler(() => undefined);
    },
    { prefix },
  );
}

function describeUnknownRoute(app: FastifyInstance, request: FastifyRequest, reply: FastifyReply): AppError {
  const path = request.url.split('?', 1)[0] ?? '';
  const shown = path.slice(0, MAX_QUOTE);
  const allowed = METHODS.filter((method) => app.findRoute({ method, url: path }) !== null);
  if (allowed.length === 0 || allowed.some((method) => method === request.method)) {
    // Addresses of the service are written with a slash at their end, and paths are appended to them.
    const near = path
      .replaceAll(/\/{2,}/g, '/')
      .replace(/(?<=.)\/$/, '')
      .toLowerCase();
    const hint = near !== path && METHODS.some((method) => app.findRoute({ method, url: near }) !== null);
    return new AppError('not_found', `no such path: ${shown}${hint ? `; did you mean ${near}?` : ''}`);
  }
  void reply.header('Allow', allowed.join(', '));
  return new AppError(
    'method_not_allowed',
    `${shown} does not accept ${request.method}; it accepts ${allowed.join(', ')}`,
  );
}
