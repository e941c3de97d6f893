import { firecrawlStatusOf } from '@winnow/contract';
import type { FastifyRequest } from 'fastify';
import type { AppError } from '../../domain/shared/errors.ts';
import { findDomId } from '../../domain/shared/workflow.ts';
import { presentError } from '../answers/present.ts';
import type { ErrorAnswer } from '../answers/send-error.ts';

/** Presents a failure in Firecrawl's format; `details` has the format of `/v1`. */
export function presentFirecrawlFailure(failure: AppError, request: FastifyRequest): ErrorAnswer {
  const error = presentError(failure);
  const code = failure.code === 'fetch_timeout' ? 'SCRAPE_TIMEOUT' : failure.code;
  const domId = findDomId(request.workflow?.steps ?? []);
  const details = { ...error, request_id: request.id, ...(domId === undefined ? {} : { dom_id: domId }) };
  return { status: firecrawlStatusOf(failure.code), body: { success: false, code, error: error.message, details } };
}
