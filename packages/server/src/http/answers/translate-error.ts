import type { FastifyRequest } from 'fastify';
import { AppError } from '../../domain/shared/errors.ts';
import { formatBytes } from '../../domain/shared/format-bytes.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Setting of the route's `bodyLimit`; null if it is fixed. Default WINNOW_MAX_BODY_BYTES. */
    bodyLimitSetting?: string | null;
  }
}

/** By Fastify error code. */
const FASTIFY_ERRORS: Readonly<Record<string, (error: Error, request: FastifyRequest) => AppError>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: bodyTooLarge,
  FST_ERR_CTP_INVALID_MEDIA_TYPE: (error) => invalid('Content-Type: must be application/json', error),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: (error) => invalid('Content-Length: does not fit the body', error),
  FST_ERR_CTP_EMPTY_JSON_BODY: (error) => invalid('body: is required', error),
  FST_ERR_BAD_URL: (error) => invalid('the path of the request is not valid', error),
  FST_ERR_MAX_PARAM_LENGTH: (error) => invalid('a segment of the path is too long', error),
  FST_ERR_ROUTE_MISSING_CONTENT_TYPE: (error) => invalid('Content-Type: must be application/json', error),
};

/** Unknown errors become `internal` without details; the log gets the cause. */
export function translateError(error: unknown, request: FastifyRequest): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof Error) {
    const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
    const known = FASTIFY_ERRORS[code];
    if (known) return known(error, request);
    const status = 'statusCode' in error ? Number(error.statusCode) : 500;
    if (status >= 400 && status < 500) return invalid('the request is not valid', error);
  }
  return new AppError('internal', 'an unexpected error occurred', { stage: 'request', cause: error });
}

function bodyTooLarge(cause: Error, { routeOptions }: FastifyRequest): AppError {
  const { bodyLimitSetting: setting = 'WINNOW_MAX_BODY_BYTES' } = routeOptions.config;
  const limit = formatBytes(routeOptions.bodyLimit) + (setting === null ? '' : ` (${setting})`);
  return new AppError('payload_too_large', `the request body is larger than ${limit}`, { cause });
}

function invalid(message: string, cause: Error): AppError {
  return new AppError('invalid_request', message, { cause });
}
