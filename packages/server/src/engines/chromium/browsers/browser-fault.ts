import type { AppError } from '../../../domain/shared/errors.ts';

/** All other statuses are faults of the browser. */
const ENDED_BY_PAGE = new Set(['crashed', 'oom']);

/** The browser failed, not the page, so a retry makes sense. */
export class BrowserFaultError extends Error {
  readonly failure: AppError;
  /** The cause was outside the browser. */
  readonly isBrowserSound: boolean;
  constructor(failure: AppError, { isBrowserSound = false }: { readonly isBrowserSound?: boolean } = {}) {
    super(failure.message, { cause: failure });
    this.name = 'BrowserFaultError';
    this.failure = failure;
    this.isBrowserSound = isBrowserSound;
  }
}

export function isEndedByPage(status: string): boolean {
  return ENDED_BY_PAGE.has(status);
}
