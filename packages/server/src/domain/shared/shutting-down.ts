import { AppError } from './errors.ts';

/** Seconds until a replacement is likely to run. */
const RETRY_AFTER_S = 5;

/** Error for work that this process no longer performs. */
export function shuttingDown(): AppError {
  return new AppError('overloaded', 'the service is shutting down', { retryAfterSeconds: RETRY_AFTER_S });
}
