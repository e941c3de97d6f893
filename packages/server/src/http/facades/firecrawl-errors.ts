import { ERRORS } from '@winnow/contract';
import type { FastifyRequest } from 'fastify';
import type { AppError } from '../../domain/shared/errors.ts';
import { findDomId } from '../../domain/shared/steps.ts';
import { presentError } from '../answers/present.ts';
import type { ErrorAnswer } from '../answers/send-error.ts';

/** Firecrawl's code and status by our code. */
const CODES: Readonly<Record<string, { readonly code: string; readonly status: number }>> = {
  fetch_timeout: { code: 'SCRAPE_TIMEOUT', status: 408 },
};

/** Clients retry a 502 twice immediately, too often for a site that refuses requests. */
const FETCH_FAILED = 502;
const NOT_REPEATED = 500;

/** Presents a failure in Firecrawl's format; `details` has the format of `/v1`. */
export function presentFirecrawlFailure(failure: AppError, request: FastifyRequest): ErrorAnswer {
  const error = presentError(failure);
  const { status } = ERRORS[failure.code];
  const known = CODES[failure.code] ?? { code: failure.code, status: status === FETCH_FAILED ? NOT_REPEATED : status };
  const domId = findDomId(request.workflow?.steps ?? []);
  const details = { ...error, request_id: request.id, ...(domId === undefined ? {} : { dom_id: domId }) };
  return { status: known.status, body: { success: false, code: known.code, error: error.message, details } };
}
