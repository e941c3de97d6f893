import type { AppError } from '../../../domain/shared/errors.ts';

/** Renderer statuses caused by the page; all others are faults of the browser. */
const ENDED_BY_PAGE = new Set(['crashed', 'oom']);

/** A capture failed because of the browser, not the page, so a retry makes sense. */
export class BrowserFaultError extends Error {
  /** Error of the capture if it is not retried. */
  readonly failure: AppError;
  /** True if the cause was outside the browser, so it can be reused. */
  readonly isBrowserSound: boolean;
  constructor(failure: AppError, { isBrowserSound = false }: { readonly isBrowserSound?: boolean } = {}) {
    super(failure.message, { cause: failure });
    this.name = 'BrowserFaultError';
    this.failure = failure;
    this.isBrowserSound = isBrowserSound;
  }
}

/** Tests whether the page caused the end of its renderer (`Target.targetCrashed`). */
export function isEndedByPage(status: string): boolean {
  return ENDED_BY_PAGE.has(status);
}
