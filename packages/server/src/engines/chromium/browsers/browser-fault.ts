import type { AppError } from '../../../domain/shared/errors.ts';

/** What the protocol says of a renderer that ended because of the page in it; every other end is the browser's. */
const ENDED_BY_PAGE = new Set(['crashed', 'oom']);

/**
 * A capture failed because of the browser and not because of the page: one of its processes was killed or
 * could not be started, or it gave its connections up. Beginning anew is worth it.
 */
export class BrowserFaultError extends Error {
  /** What the capture fails with when it is not begun anew. */
  readonly failure: AppError;
  /** The browser is as good as another: what happened was outside of it. */
  readonly isBrowserSound: boolean;
  constructor(failure: AppError, { isBrowserSound = false }: { readonly isBrowserSound?: boolean } = {}) {
    super(failure.message, { cause: failure });
    this.name = 'BrowserFaultError';
    this.failure = failure;
    this.isBrowserSound = isBrowserSound;
  }
}

/** Whether a renderer's end, in the words of `Target.targetCrashed`, is the page's own doing. */
export function isEndedByPage(status: string): boolean {
  return ENDED_BY_PAGE.has(status);
}
