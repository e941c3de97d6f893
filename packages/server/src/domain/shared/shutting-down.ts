import { AppError } from './errors.ts';

/** A replacement is likely to run by then. */
const RETRY_AFTER_S = 5;

export function shuttingDown(): AppError {
  return new AppError('overloaded', 'the service is shutting down', { retryAfterSeconds: RETRY_AFTER_S });
}
